"""What routes work with: the reads, the loader, the user's notes, and what was given on the command line."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from stepscope.model.identity import RunId
from stepscope.queries.reads import Reads
from stepscope.queries.runs import RunState


class NamedRoot(Protocol):
    """A log folder that is served, and the name its runs go under."""

    @property
    def name(self) -> str:
        """Empty when there is only one."""
        ...

    @property
    def path(self) -> str:
        """The folder's absolute path."""
        ...


class Reloader(Protocol):
    """Looks at the log folders when asked."""

    def reload(self) -> int:
        """Looks now and returns the epoch at which everything found is published."""
        ...


class Notes(Protocol):
    """What users typed about runs, the layout they made and the series they marked, per log folder."""

    def read(self, folder: str) -> dict[RunId, RunState]:
        """Everything noted about the runs of a log folder."""
        ...

    def change(self, folder: str, run: RunId, changes: Mapping[str, object]) -> RunState:
        """Changes some fields and returns the whole."""
        ...

    def read_layout(self, folder: str) -> str | None:
        """The layout of charts that was made on the page, as it was given."""
        ...

    def keep_layout(self, folder: str, layout: str | None) -> None:
        """Keeps a layout in place of the one before; None removes it."""
        ...

    def memory_marks(self, folder: str) -> dict[str, str]:
        """The series that are marked as memory, and the unit of each."""
        ...

    def mark_memory(self, folder: str, tag: str, unit: str | None) -> None:
        """Marks a series as memory in that unit; None removes the mark."""
        ...


@dataclass(frozen=True, slots=True)
class FolderContext:
    """Shared by all routes of one server."""

    reads: Reads
    loader: Reloader
    notes: Notes
    roots: tuple[NamedRoot, ...] = ()
    title: str = ""
    reload_interval: float = 5.0
    clock: Callable[[], float] = field(default=time.time)

    def states(self) -> dict[RunId, RunState]:
        """What the user noted about the runs of all roots."""
        found: dict[RunId, RunState] = {}
        for root in self.roots:
            found.update(self.notes.read(root.path))
        return found

    def root_path(self, name: str) -> str:
        """The folder of the root with that name: what the user's notes hang on."""
        return next((root.path for root in self.roots if root.name == name), name)
