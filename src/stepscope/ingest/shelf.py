"""The runs and files being followed, and what has to be read again; the loader's own books, seen by its thread alone."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from stepscope._native import EventFile, NamePool
from stepscope.formats.event_recordings import MOST_RECORDINGS, find_recordings, recorded_sessions, recording_series
from stepscope.formats.run_files import Examined, examine_file, open_events
from stepscope.formats.sessions import group_sessions, run_folder
from stepscope.model.identity import RunId, TagId, run_id
from stepscope.model.run_file import RunFile
from stepscope.model.session import ProfileFile
from stepscope.sources.files import identity_of
from stepscope.sources.source import FoundFile
from stepscope.store.library import FileRecord, RunRecord


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that is served; `name` is empty when there is only one."""

    name: str
    path: str


def readable(path: str) -> str:
    """A path as text that can be sent and shown: bytes that are no UTF-8 appear as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def run_name(root: Root, folder: str) -> str:
    """The run's name: its path below the root with forward slashes, "." for the root itself, below the root's own name if any."""
    inside = os.path.join(root.path, "")  # nearly all of very many folders: relpath takes apart both paths each time
    relative = folder[len(inside) :] if folder.startswith(inside) else os.path.relpath(folder, root.path)
    relative = readable(relative).replace(os.sep, "/")
    if not root.name:
        return relative
    return root.name if relative == "." else f"{root.name}/{relative}"


@dataclass(slots=True)
class ShelvedRun:
    """One run folder and its files by path."""

    id: RunId
    root: str
    name: str
    path: str
    identity: tuple[int, int] | None
    files: dict[str, FileRecord] = field(default_factory=dict[str, FileRecord])
    examined: dict[str, Examined] = field(default_factory=dict[str, Examined])
    """Profiles and other files by path; those of plugins/profile/<session> below the folder as well."""

    def record(self) -> RunRecord:
        """The run as readers see it, files in the order the restart rule wants."""
        files = sorted(self.files.values(), key=_file_order)
        inside = [profile for file in files for profile in file.profiles]
        if not self.examined and not inside:  # as nearly all of very many runs
            return RunRecord(self.id, self.root, self.name, self.path, tuple(files))
        sessions = group_sessions(self.id, [file for file in self.examined.values() if isinstance(file, ProfileFile)])
        sessions += recorded_sessions(self.id, inside)
        sessions.sort(key=lambda session: (-session.time, session.name))
        others = sorted((file for file in self.examined.values() if isinstance(file, RunFile)), key=lambda file: file.path)
        return RunRecord(self.id, self.root, self.name, self.path, tuple(files), tuple(sessions), tuple(others))


def _file_order(file: FileRecord) -> tuple[float, str]:
    first = file.events.first_wall
    return (math.inf if math.isnan(first) else first, file.path)


@dataclass(slots=True)
class Shelf:
    """All runs by folder, with what changed since the last publication."""

    names: NamePool
    open_file: Callable[[FoundFile], EventFile]
    """Opens a file that was not followed before: anew, or as the checkpoint has it."""
    runs: dict[str, ShelvedRun] = field(default_factory=dict[str, ShelvedRun])
    changed_runs: set[str] = field(default_factory=set[str])
    """Folders whose RunRecord must be made anew."""
    changed_series: dict[RunId, set[TagId]] = field(default_factory=dict[RunId, set[TagId]])
    list_changed: bool = False
    tags_changed: bool = False
    _records: dict[str, RunRecord] = field(default_factory=dict[str, RunRecord])
    _by_identity: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    _unknown: dict[str, FoundFile] = field(default_factory=dict[str, FoundFile])
    """Candidates whose content turned out to have none of the formats, as they were then."""

    def known_as(self, folder: str) -> str:
        """The path under which a folder is followed: it may have been found by way of a link."""
        identity = None if folder in self.runs else identity_of(folder)
        known = self._by_identity.get(identity) if identity else None
        return known if known is not None and identity_of(known) == identity else folder

    def take_folder(self, root: Root, folder: str, files: list[FoundFile]) -> list[FileRecord]:
        """Compares a folder's listing with the books; returns the files that have something new to read."""
        run = self.runs.get(folder)
        if run is None and not files:
            return []
        run = run or self._begin(root, folder)
        listed = {file.path for file in files}
        for gone in run.files.keys() - listed:
            self._forget_file(run, gone)
        due = [record for file in files if (record := self._take_file(run, file)) is not None]
        self._drop_empty(run)
        return due

    def take_examined(self, root: Root, folder: str, files: list[FoundFile]) -> None:
        """Compares a folder's profiles and other files with the books; their run is listed even without an event file."""
        owner = run_folder(folder)
        if owner != root.path and not owner.startswith(root.path + os.sep):
            owner = root.path  # a session folder was itself given as the log folder
        found = {file.path: known for file in files if (known := self._examined(owner, file)) is not None}
        run = self.runs.get(owner)
        known = {path: file for path, file in run.examined.items() if os.path.dirname(path) == folder} if run is not None else {}
        if found == known:
            return
        run = run or self._begin(root, owner)
        for path in known.keys() - found.keys():
            del run.examined[path]
        run.examined.update(found)
        self.changed_runs.add(owner)
        self.list_changed = True
        self._drop_empty(run)

    def _examined(self, owner: str, found: FoundFile) -> Examined | None:
        """A candidate as its content shows it; opened only when it is new or changed."""
        run = self.runs.get(owner)
        known = run.examined.get(found.path) if run is not None else None
        if known is not None and known.stamp == (found.path, found.size, found.modified, found.inode):
            return known
        if self._unknown.get(found.path) == found:
            return None
        file = examine_file(found)
        if file is None:
            self._unknown[found.path] = found
        else:
            self._unknown.pop(found.path, None)
        return file

    def _begin(self, root: Root, folder: str) -> ShelvedRun:
        name = run_name(root, folder)
        run = ShelvedRun(run_id(root.name, name), root.name, name, folder, identity_of(folder))
        self.runs[folder] = run
        if run.identity:
            self._by_identity[run.identity] = folder
        self.changed_runs.add(folder)
        self.list_changed = True
        return run

    def _drop_empty(self, run: ShelvedRun) -> None:
        if not run.files and not run.examined:
            self.drop_run(run.path)

    def folders_below(self, path: str) -> set[str]:
        """The folders at a path and below it from which anything is followed."""
        known = {os.path.dirname(file) for run in self.runs.values() for file in run.examined} | self.runs.keys()
        return {folder for folder in known if folder == path or folder.startswith(path + os.sep)}

    def _take_file(self, run: ShelvedRun, found: FoundFile) -> FileRecord | None:
        known = run.files.get(found.path)
        if known is None:
            known = FileRecord(found.path, self.open_file(found))
            run.files[found.path] = known
            self.changed_runs.add(run.path)
        elif (known.size, known.modified, known.inode) == (found.size, found.modified, found.inode) and known.problem is None:
            return None
        known.size, known.modified, known.inode = found.size, found.modified, found.inode
        return known

    def replace_file(self, record: FileRecord) -> None:
        """Starts a file over whose content was replaced; its old points are dropped with it."""
        folder = os.path.dirname(record.path)
        run = self.runs.get(folder)
        if run is None:
            return
        fresh = FileRecord(record.path, open_events(record.path, self.names), record.size, record.modified, record.inode)
        self._note_all_series(run, record)
        run.files[record.path] = fresh
        self.changed_runs.add(folder)
        self.tags_changed = True  # the new content may lack some

    def _forget_file(self, run: ShelvedRun, path: str) -> None:
        self._note_all_series(run, run.files.pop(path))
        self.changed_runs.add(run.path)
        self.tags_changed = True

    def _note_all_series(self, run: ShelvedRun, record: FileRecord) -> None:
        self.note_series(run, [TagId(int(tag)) for tag in record.events.tag_ids()])

    def note_series(self, run: ShelvedRun, tags: list[TagId]) -> None:
        """Remembers that these series of a run changed."""
        self.changed_series.setdefault(run.id, set()).update(tags)

    def note_growth(self, run: ShelvedRun, record: FileRecord) -> None:
        """Notices new tags, and a first event: the order of a run's files hangs on it."""
        if record.events.series_count != record.series_seen:
            record.profile_series |= recording_series(record.events, record.series_seen)
            record.series_seen = record.events.series_count
            self.tags_changed = True
        if record.profile_series:
            found = find_recordings(record.events, self.names, record.profile_series, record.inode)
            if found:
                record.profiles = (record.profiles + found)[-MOST_RECORDINGS:]
                self.changed_runs.add(run.path)
                self.list_changed = True
        if not record.ordered and not math.isnan(record.events.first_wall):
            record.ordered = True
            self.changed_runs.add(run.path)

    def drop_run(self, folder: str) -> None:
        """Forgets a run whose folder is gone or holds no event file any more."""
        run = self.runs.pop(folder, None)
        if run is None:
            return
        self._records.pop(folder, None)
        if run.identity and self._by_identity.get(run.identity) == folder:
            del self._by_identity[run.identity]
        self.changed_runs.discard(folder)
        self.changed_series.pop(run.id, None)
        self.list_changed = self.tags_changed = True

    def drop_missing(self, root: Root, seen: set[str], unlisted: Sequence[str]) -> None:
        """Forgets the runs of a root that a full walk did not meet; what lies below a folder it could not list stays."""
        below = tuple(folder + os.sep for folder in unlisted)
        for folder in [path for path, run in self.runs.items() if run.root == root.name and path not in seen]:
            if not folder.startswith(below):
                self.drop_run(folder)
        for run in [run for run in self.runs.values() if run.root == root.name and run.examined]:
            for gone in {os.path.dirname(path) for path in run.examined} - seen:
                if not gone.startswith(below):
                    self.take_examined(root, gone, [])

    def refresh_records(self) -> tuple[RunRecord, ...] | None:
        """The records of all runs when any of them changed, else None. Runs that hold nothing readable yet are listed too."""
        if not self.changed_runs and not self.list_changed:
            return None
        for folder in self.changed_runs:
            self._records[folder] = self.runs[folder].record()
        self.changed_runs.clear()
        return tuple(self._records.values())

    def files(self) -> Iterator[FileRecord]:
        """Every file that is followed."""
        for run in self.runs.values():
            yield from run.files.values()
