"""Notification of changes as a hurry-up for polling: says which paths changed, and never replaces the poll."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from stepscope.sources.all_sources import source_of
from stepscope.sources.files import identity_of
from stepscope.sources.source import Source

log = logging.getLogger("stepscope.ingest")


class Notifier:
    """Has each source watch its folders, in a thread of its own, and calls `tell` with changed paths."""

    def __init__(self, paths: Sequence[str], tell: Callable[[set[str]], None]) -> None:
        self._folders = {path: identity_of(path) for path in paths}
        watched = [path for path in paths if source_of(path).can_watch(path)]
        self._by_source: list[tuple[Source, list[str]]] = []
        for path in watched:
            self._take(source_of(path), path)
        self._tell = tell
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._silent = {id(source) for source, _ in self._by_source}
        self.listening = threading.Event()
        """Set once changes of every watched folder are heard of."""
        if not watched:
            self.listening.set()
        self.complete = bool(watched) and len(watched) == len(paths)
        """Whether every folder is watched; polling stays quick where one is not."""

    def _take(self, source: Source, path: str) -> None:
        for known, folders in self._by_source:
            if known is source:
                folders.append(path)
                return
        self._by_source.append((source, [path]))

    def start(self) -> None:
        """Begins to watch; returns at once."""
        for source, folders in self._by_source:
            thread = threading.Thread(target=self._watch, args=(source, folders), name="stepscope-notify", daemon=True)
            self._threads.append(thread)
            thread.start()

    def outdated(self) -> bool:
        """Whether a folder has come, gone or been made anew since: what is watched is then not what is there."""
        return any(identity_of(path) != before for path, before in self._folders.items())

    def stop(self) -> None:
        """Ends watching."""
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=2)

    def _watch(self, source: Source, folders: Sequence[str]) -> None:
        def tell(changed: set[str]) -> None:
            # Beginning takes a while on a busy machine, and nobody was told of what was written meanwhile.
            begins = id(source) in self._silent
            if changed or begins:
                self._tell(changed | set(folders) if begins else changed)
            self._silent.discard(id(source))
            if not self._silent:
                self.listening.set()

        try:
            source.watch(folders, tell, self._stop)
        except (OSError, RuntimeError) as error:
            # Too many folders for the system's limit, or a file system that cannot: polling alone then.
            self.complete = False
            log.info("File notification is not available (%s); polling the log folder instead.", error)
