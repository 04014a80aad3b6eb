"""Loads the roots into the library and follows them: the first pass, then only new bytes, found by notification and by polling."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TYPE_CHECKING

from stepscope._native import EventFile
from stepscope.formats.format import Limits
from stepscope.formats.run_files import is_followed, is_wanted, open_events
from stepscope.ingest.notify import Notifier
from stepscope.ingest.settling import is_overdue, is_settled, note_wait
from stepscope.ingest.shelf import Root, Shelf, readable
from stepscope.model.identity import TagId
from stepscope.model.trash_names import is_trash
from stepscope.sources.files import absolute, find_file, is_folder, list_folder, walk
from stepscope.sources.source import FoundFile, reason_of
from stepscope.store.library import FileRecord, Library, Progress, Unreadable

if TYPE_CHECKING:
    from stepscope.ingest.checkpointing import CheckpointSaver

log = logging.getLogger("stepscope.ingest")

__all__ = ["Loader", "Root"]

PIECE = 32 << 20
"""A file is read in pieces of this size, so that a large one shows progress and can be stopped."""
PUBLISH_EVERY = 0.15
"""Seconds between publications while loading: the page paints from whatever is there."""
IDLE_SHARE = 0.004
"""Looks at everything, and polls of what is active, may each cost this share of one core: after one that took t seconds the next waits
at least t / share."""
WATCHED_INTERVAL = 60.0
"""Seconds between full looks where every folder is watched by notification."""
RELOAD_TELLS = 0.25
"""Seconds between two calls to whoever waits for a reload."""
ACTIVE_FOR = 600.0
"""A file written within the last so many seconds is looked at in every poll, others only in full looks."""

FIRST_VIEW_SECONDS = 2.0
"""After a profile was read, until it is written to the cache: drawing it comes first."""


class Loader:
    """Owns the ingest thread. `load` reads everything once; `start` does that in the background and then follows.

    With `only`, folders that it refuses are not read.
    """

    def __init__(
        self,
        library: Library,
        roots: Sequence[Root],
        *,
        reload_interval: float = 5.0,
        cache: bool = True,
        threads: int | None = None,
        profile_limits: Limits | None = None,
        only: Callable[[str], bool] | None = None,
    ) -> None:
        self._library = library
        self._roots = tuple(Root(root.name, absolute(root.path)) for root in roots)
        self._interval = reload_interval
        self._threads = threads or min(8, os.cpu_count() or 1)
        self._saver = self._cached() if cache else None
        self._checkpoint = self._saver.checkpoint if self._saver else None
        self._shelf = Shelf(library.names, self._open)
        library.profiles.connect_later(lambda: _connect_profiles(library, cache, profile_limits, self._first_views))
        self._only = only
        self._problems: dict[str, str] = {}
        self._stop = threading.Event()
        self._wake = threading.Condition()
        self._told: set[str] = set()
        self._reload_asked = 0
        self._reload_done = 0
        self._thread: threading.Thread | None = None
        self._notifier: Notifier | None = None
        self._look_cost = 0.0
        self._looked = 0.0
        self._poll_cost = 0.0
        self.load_seconds = 0.0
        """From the first folder listed to the last point published, of the first load."""

    @property
    def roots(self) -> tuple[Root, ...]:
        """The folders being served, as absolute paths."""
        return self._roots

    def load(self) -> None:
        """Reads everything there is, and returns when every point is published."""
        started = time.perf_counter()
        self._library.publish(progress=Progress("scanning"))
        if self._checkpoint is not None:
            self._checkpoint.open()
        self._look(first=True)
        self.load_seconds = time.perf_counter() - started

    def start(self) -> None:
        """Loads and follows in the background; returns at once."""
        self._thread = threading.Thread(target=self._follow, name="stepscope-ingest", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends following; safe to call more than once."""
        self._stop.set()
        with self._wake:
            self._wake.notify_all()
        if self._notifier is not None:
            self._notifier.stop()
        if self._thread is not None:
            self._thread.join(timeout=10)
        self.save()

    def _first_views(self) -> None:
        """Waits while what was read is drawn for the first time, where somebody looks at it."""
        if self._thread is not None:
            self._stop.wait(FIRST_VIEW_SECONDS)

    def save(self) -> None:
        """Writes the checkpoint now, when it pays."""
        if self._saver is not None:
            self._saver.finish(list(self._shelf.files()))

    def reload(self, while_waiting: Callable[[], None] | None = None) -> int:
        """Looks at everything now and returns the epoch when that is published; calls `while_waiting` a few times a second."""
        if self._thread is None or not self._thread.is_alive():
            self._look()
            return self._library.snapshot.epoch
        with self._wake:
            self._reload_asked += 1
            ticket = self._reload_asked
            self._wake.notify_all()
        while True:
            with self._wake:
                if self._wake.wait_for(lambda: self._reload_done >= ticket or self._stop.is_set(), RELOAD_TELLS):
                    return self._library.snapshot.epoch
            if while_waiting is not None:
                while_waiting()

    # --- following ---

    def _follow(self) -> None:
        # Following must outlive any one mistake: a folder that vanishes mid-look, a file system that hiccups.
        while not self._stop.is_set():
            try:
                self.load()
                break
            except Exception as error:  # noqa: BLE001 — also a listener's mistake must not end following
                self._report_failure(error)
                self._stop.wait(max(1.0, self._interval))
        self._save_if_due()
        if self._interval > 0:
            self._watch()
        next_poll = self._due_poll()
        while not self._stop.is_set():
            told, reload = self._sleep_until(min(self._due_full(), next_poll))
            if self._stop.is_set():
                return
            try:
                if reload or time.monotonic() >= self._due_full():
                    self._look()
                elif told:
                    self._look_at(told)
                else:
                    next_poll = self._due_poll()
                    self._poll()
                self._save_if_due()
            except Exception as error:  # noqa: BLE001 — as above
                self._report_failure(error)
                self._looked = time.monotonic()
            if reload:
                with self._wake:
                    self._reload_done = reload
                    self._wake.notify_all()

    def _watch(self) -> None:
        """Watches the roots as they are now, and looks at what was written before the watch began."""
        if self._notifier is not None:
            self._notifier.stop()
        self._notifier = Notifier([root.path for root in self._roots], self._tell)
        self._notifier.start()
        self._look()

    def _poll(self) -> None:
        if self._notifier is not None and self._notifier.outdated():
            self._watch()
        else:
            self._look_at_active()

    def _report_failure(self, error: Exception) -> None:
        # What the system refuses is said in a line; anything else is a mistake of ours, and its place is needed.
        unexpected = None if isinstance(error, OSError) else error
        log.warning("Could not read the log folder (%s); retrying.", error, exc_info=unexpected)

    def _tell(self, paths: set[str]) -> None:
        with self._wake:
            self._told |= paths
            self._wake.notify_all()

    def _sleep_until(self, due: float) -> tuple[set[str], int]:
        """Waits for the time, a notification or a reload; returns the paths told of and the newest reload ticket, or 0."""
        with self._wake:
            self._wake.wait_for(
                lambda: self._told or self._reload_asked > self._reload_done or self._stop.is_set(),
                timeout=None if due == float("inf") else max(0.0, due - time.monotonic()),
            )
            told, self._told = self._told, set()
            reload = self._reload_asked if self._reload_asked > self._reload_done else 0
        return told, reload

    def _due_full(self) -> float:
        if self._interval <= 0:
            return float("inf")
        watched = self._notifier is not None and self._notifier.complete
        wait_for = max(WATCHED_INTERVAL if watched else self._interval, self._look_cost / IDLE_SHARE)
        return self._looked + wait_for

    def _due_poll(self) -> float:
        # Even a folder that is loaded once is looked after: a damaged cache is noticed when it is read.
        return time.monotonic() + max(self._interval if self._interval > 0 else 5.0, self._poll_cost / IDLE_SHARE)

    # --- looking ---

    def _look(self, *, first: bool = False) -> None:
        """Walks all roots and reads what is new."""
        started = time.thread_time()
        self._looked = time.monotonic()
        due: list[FileRecord] = []
        self._problems.clear()
        for root in self._roots:
            seen: set[str] = set()
            unlisted: list[str] = []
            if not is_folder(root.path):
                self._problems[root.path] = "the folder does not exist"
            for folder, listing in walk(root.path, is_wanted, self._stop.is_set):
                seen.add(folder)
                self._problems.update(listing.problems)
                if listing.complete:
                    due += self._take(root, folder, listing.files)
                else:
                    unlisted.append(folder)
            if self._stop.is_set():
                return
            self._shelf.drop_missing(root, seen, unlisted)
        self._look_cost = time.thread_time() - started
        changed = {record.path for record in due}
        due += [record for record in self._shelf.files() if is_overdue(record) and record.path not in changed]
        self._read(due, show_progress=first)
        self._finish()

    def _look_at(self, paths: Iterable[str]) -> None:
        """Looks only at the folders that notification named, and at what is below a new one."""
        folders: set[str] = set()
        for path in paths:
            if is_wanted(os.path.basename(path)) and not is_folder(path):
                folders.add(os.path.dirname(path))
            elif is_folder(path):
                folders.update(folder for folder, _ in walk(path, is_wanted, self._stop.is_set))
            else:
                # A folder that is gone takes the runs below it along.
                folders.update(self._shelf.folders_below(path))
        self._read(self._list(folders))
        self._finish()

    def _list(self, folders: Iterable[str]) -> list[FileRecord]:
        due: list[FileRecord] = []
        for folder in {self._shelf.known_as(folder) for folder in folders}:
            root = self._root_of(folder)
            listing = list_folder(folder, is_wanted)
            if root is not None and listing.complete:
                due += self._take(root, folder, listing.files)
        return due

    def _take(self, root: Root, folder: str, files: list[FoundFile]) -> list[FileRecord]:
        """Books a folder's listing: files that grow are read, all others only recognised."""
        if is_trash(folder[len(root.path) :]) or (self._only is not None and not self._only(folder)):
            return []
        followed: list[FoundFile] = []
        examined: list[FoundFile] = []
        for file in files:
            (followed if is_followed(os.path.basename(file.path)) else examined).append(file)
        self._shelf.take_examined(root, folder, examined)
        return self._shelf.take_folder(root, folder, followed)

    def _root_of(self, folder: str) -> Root | None:
        known = self._shelf.runs.get(folder)
        for root in self._roots:
            if (known is not None and known.root == root.name) or folder == root.path or folder.startswith(root.path + os.sep):
                return root
        return None

    def _look_at_active(self) -> None:
        """Looks by stat at the files written lately: growth on file systems that do not notify."""
        started = time.thread_time()
        self.repair()
        if self._interval <= 0:
            return
        newest = time.time() - ACTIVE_FOR
        folders: set[str] = set()
        overdue: list[FileRecord] = []
        for folder, run in self._shelf.runs.items():
            for record in run.files.values():
                if record.modified < newest:
                    continue
                found = find_file(record.path)
                if found is None or (found.size, found.modified, found.inode) != (record.size, record.modified, record.inode):
                    folders.add(folder)
                elif is_overdue(record):
                    overdue.append(record)
            for file in run.examined.values():
                if file.modified >= newest and find_file(file.path) != FoundFile(*file.stamp):
                    folders.add(os.path.dirname(file.path))
        self._poll_cost = time.thread_time() - started
        if folders or overdue:
            self._read(self._list(folders) + overdue)
            self._finish()

    def repair(self) -> bool:
        """Reads files again whose checkpoint turned out damaged; says whether there were any."""
        damaged = [record for record in self._shelf.files() if record.events.pack_damaged]
        for record in damaged:
            log.warning("The cache of %s is corrupt; reading the file again.", record.path)
            if self._checkpoint is not None:
                self._checkpoint.forget(record.path)
            self._shelf.replace_file(record)
            fresh = self._shelf.runs[os.path.dirname(record.path)].files[record.path]
            self._settle(fresh, self._scan(fresh))
        if damaged:
            self._finish()
        return bool(damaged)

    def _save_if_due(self) -> None:
        if self._saver is not None:
            self._saver.save_if_due(list(self._shelf.files()))

    # --- reading ---

    def _cached(self) -> CheckpointSaver:
        from stepscope.ingest.checkpointing import CheckpointSaver
        from stepscope.store.checkpoint import Checkpoint

        return CheckpointSaver(Checkpoint([(root.name, root.path) for root in self._roots]))

    def _open(self, found: FoundFile) -> EventFile:
        if self._checkpoint is not None:
            saved = self._checkpoint.restore(found.path, found.size, self._library.names)
            if saved is not None:
                return saved
        return open_events(found.path, self._library.names)

    def _read(self, due: list[FileRecord], *, show_progress: bool = False) -> None:
        """Reads files with a few threads, newest first, publishing as it goes."""
        if len(due) <= 1 and not show_progress:
            for record in due:
                self._settle(record, self._scan(record))
            return
        due = sorted(due, key=lambda record: record.modified, reverse=True)
        done = Progress("loading", 0, len(due), 0, sum(record.size for record in due))
        if show_progress:
            self._library.report_progress(done)
        published = time.monotonic()
        with ThreadPoolExecutor(self._threads, thread_name_prefix="stepscope-scan") as pool:
            waiting = iter(due)
            running: dict[Future[int | OSError], FileRecord] = {}
            while True:
                # A short queue ahead of the threads: stopping then never waits for ten thousand submitted files.
                while len(running) < self._threads * 4 and (record := next(waiting, None)) is not None:
                    running[pool.submit(self._scan, record)] = record
                if not running:
                    break
                finished, _ = wait(running, timeout=PUBLISH_EVERY, return_when=FIRST_COMPLETED)
                for future in finished:
                    record = running.pop(future)
                    self._settle(record, future.result())
                    done = replace(done, files_done=done.files_done + 1, bytes_done=done.bytes_done + record.size)
                if show_progress and time.monotonic() - published >= PUBLISH_EVERY:
                    self._publish(done)
                    published = time.monotonic()

    def _scan(self, record: FileRecord) -> int | OSError:
        """Reads one file to its end; runs in a worker thread. -1 when it was replaced."""
        started = time.thread_time()
        record.read_as_settled = is_settled(record)
        try:
            total = 0
            while not self._stop.is_set():
                consumed = record.events.scan(PIECE, record.read_as_settled)
                if consumed <= 0:
                    return consumed if consumed < 0 else total
                total += consumed
            return total
        except OSError as error:
            return error
        finally:
            record.parse_seconds += time.thread_time() - started

    def _settle(self, record: FileRecord, outcome: int | OSError) -> None:
        """Books the result of a scan; a replaced file is read again from its start."""
        if isinstance(outcome, OSError):
            if not isinstance(outcome, FileNotFoundError):
                record.problem = reason_of(outcome)
                self._problems[record.path] = record.problem
            return
        record.problem = None
        note_wait(record)
        run = self._shelf.runs.get(os.path.dirname(record.path))
        if run is None:
            return
        if outcome < 0:
            self._shelf.replace_file(record)
            fresh = run.files[record.path]
            self._settle(fresh, self._scan(fresh))
            return
        tags = [TagId(int(tag)) for tag in record.events.changed()]
        if tags:
            self._shelf.note_series(run, tags)
        self._shelf.note_growth(run, record)

    # --- publishing ---

    def _finish(self) -> None:
        records = list(self._shelf.files())
        size = sum(record.size for record in records)
        self._publish(Progress("live" if self._interval > 0 else "once", len(records), len(records), size, size))

    def _publish(self, progress: Progress) -> None:
        """Makes what has been read visible, if anything is new."""
        shelf = self._shelf
        unreadable = tuple(Unreadable(readable(path), reason) for path, reason in sorted(self._problems.items()))
        old = self._library.snapshot
        list_changed = shelf.list_changed
        runs = shelf.refresh_records()
        if runs is None and not shelf.changed_series and unreadable == old.unreadable and progress == old.progress:
            return
        self._library.publish(
            runs,
            series={run: frozenset(tags) for run, tags in shelf.changed_series.items()},
            runs_changed=list_changed,
            tags_changed=shelf.tags_changed,
            progress=progress,
            unreadable=unreadable,
        )
        shelf.changed_series.clear()
        shelf.list_changed = shelf.tags_changed = False


def _connect_profiles(library: Library, cache: bool, limits: Limits | None, before_saving: Callable[[], None]) -> None:
    from stepscope.ingest.profile_reading import connect_profiles

    connect_profiles(library, cache, limits=limits, before_saving=before_saving)
