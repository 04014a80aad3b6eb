"""Decides when a checkpoint pays, and writes it in a thread of its own so that following never waits for it."""

from __future__ import annotations

import logging
import threading
import time

from stepscope.sources.source import reason_of
from stepscope.store.checkpoint import Checkpoint
from stepscope.store.library import FileRecord

log = logging.getLogger("stepscope.cache")

WORTH_SECONDS = 0.5
"""A checkpoint is written when it would save the next start this much reading, never for less."""
QUIET_SECONDS = 60.0
"""A file that grew within this time is left for later: it would have to be written again at once."""
AT_MOST_EVERY = 600.0


class CheckpointSaver:
    """Keeps the time of the last checkpoint and the thread that writes one."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self._thread: threading.Thread | None = None
        self._last = float("-inf")

    def save_if_due(self, records: list[FileRecord]) -> None:
        """Starts a checkpoint of the quiet files when it pays; returns at once."""
        if self._busy() or time.monotonic() - self._last < AT_MOST_EVERY:
            return
        quiet_since = time.time() - QUIET_SECONDS
        due = self._unsaved([record for record in records if record.modified < quiet_since])
        if not _pays(due):
            return
        self._last = time.monotonic()
        self._thread = threading.Thread(target=self._write, args=(records, due), name="stepscope-checkpoint", daemon=True)
        self._thread.start()

    def finish(self, records: list[FileRecord]) -> None:
        """At exit: waits for a checkpoint under way, and writes a last one when it pays."""
        if self._thread is not None:
            self._thread.join()
        due = self._unsaved(records)
        if _pays(due):
            self._write(records, due)

    def _busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _unsaved(self, records: list[FileRecord]) -> list[FileRecord]:
        return [record for record in records if record.parse_seconds > 0 and not self.checkpoint.covers(record)]

    def _write(self, records: list[FileRecord], due: list[FileRecord]) -> None:
        try:
            if self.checkpoint.write(records, due):
                for record in due:
                    record.parse_seconds = 0.0
        except OSError as error:
            log.warning("Could not write the cache in %s (%s); the next start reads the logs again.", error.filename, reason_of(error))


def _pays(due: list[FileRecord]) -> bool:
    return sum(record.parse_seconds for record in due) > WORTH_SECONDS
