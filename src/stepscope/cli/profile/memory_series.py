"""`stepscope profile memory` for a log folder without recorded memory: what its runs have logged about it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import echo_answer
from stepscope.cli.profile.range_options import range_chosen
from stepscope.cli.terminal import COLUMNS, printable, shortened
from stepscope.model.errors import BadInput, NotThere

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepscope.session.logged_memory import LoggedMemory
    from stepscope.session.parts.memory import Memory

_SHOWN = 100
_NAME = 60


def memory_of_logs(path: str, marked: Sequence[str] = (), unit: str | None = None, *, cache: bool, keep: bool = False) -> LoggedMemory:
    """What the runs of a log folder have logged about memory; nothing for what is no folder. Raises NotThere or BadInput.

    The series that are marked on the page, or were kept here, count as well; `keep` keeps these.
    """
    from stepscope.logdir import open_folder
    from stepscope.model.user import LOCAL_USER
    from stepscope.queries.memory_levels import check_marked
    from stepscope.queries.memory_tags import unit_of_mark
    from stepscope.session.logged_memory import logged_memory
    from stepscope.store.library import Library
    from stepscope.store.user_state import UserState

    path = os.path.abspath(os.path.expanduser(path))
    if not os.path.isdir(path):
        if marked:
            raise NotThere(f"{path} is not a folder; --series needs a log folder.", "no_such_folder")
        return logged_memory(Library(), [])
    folder = open_folder(path, cache=cache)
    check_marked(folder.library, marked)
    given = {tag: unit_of_mark(tag, unit or "") for tag in marked}
    state = UserState()
    notes = state.of(LOCAL_USER.id)
    marks = notes.memory_marks(path) | given
    if keep:
        for tag, its_unit in given.items():
            notes.mark_memory(path, tag, its_unit)
    state.close()

    def read() -> LoggedMemory:
        return logged_memory(folder.library, sorted(folder.library.snapshot.runs, key=lambda run: run.name), marks)

    found = read()
    return read() if folder.repair() else found


def forget_series(path: str, marked: Sequence[str]) -> None:
    """Takes marks away that were kept for a log folder. Raises NotThere for a series without one."""
    from stepscope.model.user import LOCAL_USER
    from stepscope.store.user_state import UserState

    path = os.path.abspath(os.path.expanduser(path))
    state = UserState()
    notes = state.of(LOCAL_USER.id)
    kept = notes.memory_marks(path)
    for tag in marked:
        if tag not in kept:
            there = f"; marked are {', '.join(kept)}" if kept else "; no series is marked"
            raise NotThere(f"The series {tag!r} is not marked as memory in {path}{there}.", "not_marked")
        notes.mark_memory(path, tag, None)
        click.echo(printable(f"{tag} is no longer marked as memory in {path}."))
    state.close()


def show_logged_memory(logged: LoggedMemory, answer: Memory | None = None, *, as_json: bool) -> None:
    """Prints what series say, and how to see more; `answer` is what a profile without memory says. Raises BadInput."""
    if not logged.series:
        raise BadInput(
            "These series have no valid memory size: all values are negative, too large or not a number; give other series.", "no_sizes"
        )
    if range_chosen():
        raise BadInput(
            "Logged memory has no ranges: it always covers everything since the last restart; leave out the range.", "no_ranges"
        )
    if as_json:
        echo_answer(answer or {"devices": []}, sentence=logged.sentence, series=logged.series, advice=logged.advice)
        return
    lines = _wrapped(f"Logged memory: {logged.sentence}")
    run: str | None = None
    for row in logged.series[:_SHOWN]:
        if row.run != run:
            run = row.run
            lines += ["", shortened(run, COLUMNS)]
        lines += _wrapped(f"{shortened(row.name, _NAME)}: {row.sentence}", "  ", "    ")
    if len(logged.series) > _SHOWN:
        lines.append(f"and {len(logged.series) - _SHOWN:,} more; see --json")
    click.echo("\n".join([*lines, "", *_wrapped(answer.notes[0] if answer else logged.advice)]))


def _wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    return click.wrap_text(printable(text), COLUMNS, first, rest).splitlines()
