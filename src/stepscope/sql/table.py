"""What a table of SQL is: a name, declared columns, and how it is read from what is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

from msgspec import Struct

from stepscope.model.declared import Column
from stepscope.model.flat_columns import flat_columns
from stepscope.model.identity import RunId
from stepscope.queries.runs import RunState
from stepscope.session.reader import SessionOfRun
from stepscope.session.reads import Reads

MOST_SESSIONS = 64
"""Profiles that tables contain, the newest: each has to be read and analysed."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What of the folder tables contain: names or patterns of runs and tags (none: all), and what restarts hide."""

    runs: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    segments: Literal["latest", "all"] = "latest"

    def has_run(self, name: str) -> bool:
        """Whether a run is in it."""
        return _matches(name, self.runs)

    def has_tag(self, name: str) -> bool:
        """Whether a tag is in it."""
        return _matches(name, self.tags)


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a table is read from. `checkpoint` is called often, and raises when nobody waits any more."""

    reads: Reads
    scope: Scope = field(default_factory=Scope)
    states: Mapping[RunId, RunState] = field(default_factory=dict[RunId, RunState])
    now: float = 0.0
    checkpoint: Callable[[], None] = field(default=lambda: None)
    notes: list[str] = field(default_factory=list[str])
    """What tables leave out, a sentence each."""

    def sessions(self) -> list[SessionOfRun]:
        """The newest profiles of the runs in scope."""
        found = [one for one in self.reads.sessions.sessions() if self.scope.has_run(one.run.name)]
        if len(found) > MOST_SESSIONS:
            self.note(f"Only the newest {MOST_SESSIONS} of {len(found)} profiles are read; choose runs to see others.")
        return found[:MOST_SESSIONS]

    def note(self, sentence: str) -> None:
        """Says once what is left out."""
        if sentence not in self.notes:
            self.notes.append(sentence)


@dataclass(frozen=True, slots=True)
class Table:
    """One table: rows of `kinds` side by side. `read` gives an Arrow table with the declared schema."""

    name: str
    meaning: str
    kinds: tuple[type[Struct], ...]
    read: Callable[[Reading], Any]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The declared columns, with unit and meaning."""
        return tuple(found.column for found in flat_columns(*self.kinds))
