"""What a handler works with: who asks, and the project that is served: its reads, loader, notes and jobs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from stepscope.jobs.queue import JobQueue
from stepscope.model.identity import RunId
from stepscope.model.user import User
from stepscope.queries.runs import RunState
from stepscope.session.reads import Reads


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

    def reload(self, while_waiting: Callable[[], None] | None = None) -> int:
        """Looks now and returns the epoch at which everything found is published; `while_waiting` may raise to give up."""
        ...


class Notes(Protocol):
    """What one user sees and changes of the notes, layouts and marks; a folder stands for its project."""

    def read(self, folder: str) -> dict[RunId, RunState]:
        """Everything noted about the runs of a log folder."""
        ...

    def change_runs(self, folder: str, runs: Sequence[RunId], changes: Mapping[str, object]) -> dict[RunId, RunState]:
        """Changes some fields of runs and returns the whole of each."""
        ...

    def read_layout(self, folder: str) -> str | None:
        """The layout of charts that this user made on the page, as it was given."""
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


class NotesOfAll(Protocol):
    """Where the notes of all users are kept."""

    def of(self, user: str) -> Notes:
        """Those that the user with this id sees and changes."""
        ...


@dataclass(frozen=True, slots=True)
class PluginTab:
    """A tab that a plugin draws in a frame of its own."""

    id: str
    label: str
    has_data: bool
    name: str
    """As the plugin's routes name it."""
    problem: str = ""
    """Why it cannot be used."""


@dataclass(frozen=True, slots=True)
class Project:
    """What one server serves, the same for everybody."""

    reads: Reads
    loader: Reloader
    notes: NotesOfAll
    roots: tuple[NamedRoot, ...] = ()
    title: str = ""
    reload_interval: float = 5.0
    jobs: JobQueue = field(default_factory=JobQueue)
    clock: Callable[[], float] = field(default=time.time)
    capture_from: tuple[str, ...] = ()
    """Addresses of processes that may be captured from the page."""
    plugin_tabs: Callable[[], Sequence[PluginTab]] = tuple[PluginTab, ...]
    """The tabs of plugins that are loaded by now."""
    may_delete: bool = True
    """Whether runs may be moved to the trash: not by default where anybody on the network is the local user."""


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Made for each request: who asks, and of which project."""

    user: User
    project: Project

    @property
    def reads(self) -> Reads:
        """Everything that can be asked of the logs."""
        return self.project.reads

    @property
    def loader(self) -> Reloader:
        """Looks at the log folders."""
        return self.project.loader

    @property
    def notes(self) -> Notes:
        """What this user sees and changes of the notes."""
        return self.project.notes.of(self.user.id)

    @property
    def jobs(self) -> JobQueue:
        """The queue of long work."""
        return self.project.jobs

    @property
    def roots(self) -> tuple[NamedRoot, ...]:
        """The log folders that are served."""
        return self.project.roots

    @property
    def title(self) -> str:
        """As given on the command line."""
        return self.project.title

    @property
    def reload_interval(self) -> float:
        """Seconds between looks at folders that cannot be watched."""
        return self.project.reload_interval

    @property
    def clock(self) -> Callable[[], float]:
        """The time in seconds since 1970."""
        return self.project.clock

    def states(self) -> dict[RunId, RunState]:
        """What is noted about the runs of all roots, as this user sees it."""
        found: dict[RunId, RunState] = {}
        for root in self.roots:
            found.update(self.notes.read(root.path))
        return found

    def root_path(self, name: str) -> str:
        """The folder of the root with that name, under whose project notes are kept."""
        return next((root.path for root in self.roots if root.name == name), name)
