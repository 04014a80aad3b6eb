"""Log folders that a command reads once: loaded, and closed when it is done."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stepscope.ingest.loader import Root
    from stepscope.model.identity import RunId
    from stepscope.session.reads import Reads
    from stepscope.store.user_state import RunState


@contextmanager
def opened(roots: Sequence[Root], cache: bool) -> Generator[Reads]:
    """Everything that can be asked of the folders as they are now."""
    from stepscope.ingest.loader import Loader
    from stepscope.session.kept_answers import KeptAnswers
    from stepscope.session.reads import Reads
    from stepscope.store.library import Library

    library = Library()
    loader = Loader(library, list(roots), reload_interval=0.0, cache=cache)
    try:
        loader.load()
        yield Reads(library, kept=KeptAnswers() if cache else None)
    finally:
        loader.stop()


def states_of(roots: Sequence[Root]) -> dict[RunId, RunState]:
    """What the user noted about the runs."""
    from stepscope.model.user import LOCAL_USER
    from stepscope.store.user_state import UserState

    notes = UserState()
    try:
        found: dict[RunId, RunState] = {}
        for root in roots:
            found.update(notes.of(LOCAL_USER.id).read(root.path))
        return found
    finally:
        notes.close()
