"""Decides when a record that a file ends inside is no longer waited for: it may be torn, with others written behind it."""

from __future__ import annotations

import time

from stepscope.sources.files import SETTLED_SECONDS, has_settled
from stepscope.store.library import FileRecord


def is_settled(record: FileRecord) -> bool:
    """Whether the file has not been written to for long, or has ended inside the same record for as long as we know it.

    The second counts for a file that goes on growing behind a torn record, and where the clock of the source differs from ours.
    """
    waiting = record.waiting_since
    return has_settled(record.modified) or (waiting is not None and time.monotonic() - waiting > SETTLED_SECONDS)


def note_wait(record: FileRecord) -> None:
    """Remembers, after a scan, since when the file has ended inside the record that it ends inside now."""
    if not record.events.pending:
        record.waiting_since = record.waiting_at = None
    elif record.waiting_at != record.events.offset:
        record.waiting_since, record.waiting_at = time.monotonic(), record.events.offset


def is_overdue(record: FileRecord) -> bool:
    """Whether the file has settled since it was last read, with something left to look behind."""
    return record.waiting_since is not None and not record.read_as_settled and is_settled(record)
