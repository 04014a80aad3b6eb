"""Native file notification as a hurry-up for polling: says which paths changed, and never replaces the poll."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Sequence

from stepscope.sources.local_folder import identity_of, notifies

log = logging.getLogger("stepscope.ingest")

QUIET_MS = 50
"""Changes are handed on after this long without another one…"""
LONGEST_MS = 250
"""…or this long after the first, when they do not stop."""


class Notifier:
    """Watches folders in a thread of its own and calls `tell` with changed paths."""

    def __init__(self, paths: Sequence[str], tell: Callable[[set[str]], None]) -> None:
        self._folders = {path: identity_of(path) for path in paths}
        self._paths = [path for path in paths if os.path.isdir(path) and notifies(path)]
        self._tell = tell
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.complete = len(self._paths) == len(paths)
        """Whether every folder is watched; polling stays quick where one is not."""

    def start(self) -> None:
        """Begins to watch; returns at once."""
        if self._paths:
            self._thread = threading.Thread(target=self._watch, name="stepscope-notify", daemon=True)
            self._thread.start()
        else:
            self.complete = False

    def outdated(self) -> bool:
        """Whether a folder has come, gone or been made anew since: what is watched is then not what is there."""
        return any(identity_of(path) != before for path, before in self._folders.items())

    def stop(self) -> None:
        """Ends watching."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=2)

    def _watch(self) -> None:
        # Imported here: it takes a while, and a load that only runs once never needs it.
        import watchfiles

        try:
            changes = watchfiles.watch(
                *self._paths,
                watch_filter=None,
                debounce=LONGEST_MS,
                step=QUIET_MS,
                stop_event=self._stop,
                rust_timeout=1_000,
                raise_interrupt=False,
                ignore_permission_denied=True,
            )
            for batch in changes:
                self._tell({path for _, path in batch})
        except (OSError, RuntimeError) as error:
            # Too many folders for the system's limit, or a file system that cannot: polling alone then.
            self.complete = False
            log.info("File notification is not available (%s); looking at the folder from time to time instead.", error)
