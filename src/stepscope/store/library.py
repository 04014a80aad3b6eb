"""The library: every run and file that has been read, as readers may see it at one epoch.

One thread (ingest) changes the library; any number read it without locks. Readers rely on three things: a tuple once handed
out never changes, a column's published points never move, and the epoch only grows.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from stepscope._native import EventFile, NamePool
from stepscope.model.identity import RunId, TagId
from stepscope.model.run_file import RunFile
from stepscope.model.session import ProfileFile, ProfileSession
from stepscope.store.profiles import Profiles

MAX_NAMED_CHANGES = 2_000
"""Above this many changed series a change says only which runs changed."""


@dataclass(slots=True)
class FileRecord:
    """One event file: its columns and what is known of it on disk. Written by ingest alone; readers may see any field a moment old."""

    path: str
    events: EventFile
    size: int = 0
    modified: float = 0.0
    inode: int = 0
    problem: str | None = None
    """Why the file cannot be read, in a sentence; None when it can."""
    series_seen: int = 0
    """How many series readers have been told of."""
    parse_seconds: float = 0.0
    """What reading cost since it was last saved in the checkpoint."""
    waiting_since: float | None = None
    """Monotonic time since when the file has ended inside one record; None when it ends behind a whole one."""
    waiting_at: int | None = None
    """Where that record begins."""
    read_as_settled: bool = False
    """Whether the last reading looked for whole records behind one that the file ends inside."""
    ordered: bool = False
    """Whether the first event's time is known, which puts the file in its place among the run's files."""
    profile_series: dict[int, int] = field(default_factory=dict[int, int])
    """Places of its series whose values may be profiles, with how many of each were looked at."""
    profiles: tuple[ProfileFile, ...] = ()
    """Profiles inside it, in the order they were written."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run at one moment. `files` is ordered by first event time, then path."""

    id: RunId
    root: str
    name: str
    """Path relative to the root with forward slashes; "." for the root folder itself."""
    path: str
    files: tuple[FileRecord, ...] = ()
    profiles: tuple[ProfileSession, ...] = ()
    """Newest first. A run may have these alone."""
    others: tuple[RunFile, ...] = ()
    """Files that are neither events nor profiles, by path, whose formats are registered."""


LoadState = Literal["scanning", "loading", "live", "once"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far loading has come."""

    state: LoadState = "scanning"
    files_done: int = 0
    files: int = 0
    bytes_done: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A folder or file that could not be opened, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Change:
    """What one publication changed."""

    epoch: int
    runs_changed: bool = False
    tags_changed: bool = False
    series: Mapping[RunId, frozenset[TagId]] = field(default_factory=dict[RunId, frozenset[TagId]])
    """Series with new points, by run."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The runs of one epoch. Their columns may meanwhile hold more points than at publication, never fewer."""

    epoch: int
    runs: tuple[RunRecord, ...]
    by_id: Mapping[RunId, RunRecord]
    progress: Progress
    unreadable: tuple[Unreadable, ...] = ()


Listener = Callable[[Change], None]


class Library:
    """Holds the current snapshot and tells listeners of changes."""

    def __init__(self) -> None:
        self.names = NamePool()
        """Tag names of all runs; a TagId is a place in it."""
        self.profiles = Profiles()
        """What has been read of the runs' profiles."""
        self._snapshot = Snapshot(0, (), {}, Progress())
        self._listeners: list[Listener] = []
        self._lock = threading.Lock()

    @property
    def snapshot(self) -> Snapshot:
        """The newest published state."""
        return self._snapshot

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Calls listener after each publication, in the publishing thread; the returned function ends that."""
        with self._lock:
            self._listeners.append(listener)

        def stop() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return stop

    def publish(
        self,
        runs: Iterable[RunRecord] | None = None,
        *,
        series: Mapping[RunId, frozenset[TagId]] | None = None,
        runs_changed: bool = False,
        tags_changed: bool = False,
        progress: Progress | None = None,
        unreadable: tuple[Unreadable, ...] | None = None,
    ) -> Change:
        """Makes a new snapshot visible. What is not given stays as it was."""
        with self._lock:
            old = self._snapshot
            new_runs = old.runs if runs is None else tuple(runs)
            self._snapshot = Snapshot(
                epoch=old.epoch + 1,
                runs=new_runs,
                by_id=old.by_id if runs is None else {run.id: run for run in new_runs},
                progress=progress or old.progress,
                unreadable=old.unreadable if unreadable is None else unreadable,
            )
            change = Change(old.epoch + 1, runs_changed, tags_changed, dict(series or {}))
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener(change)
        return change

    def report_progress(self, progress: Progress) -> None:
        """Shows progress without a new epoch."""
        with self._lock:
            self._snapshot = replace(self._snapshot, progress=progress)
