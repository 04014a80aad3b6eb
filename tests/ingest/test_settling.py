"""A file is read again behind an unfinished record once it has settled since: not earlier, not twice, and not without one."""

from __future__ import annotations

import time

import pytest

from stepscope._native import EventFile, NamePool
from stepscope.ingest.settling import is_overdue
from stepscope.sources.files import SETTLED_SECONDS
from stepscope.store.library import FileRecord


def record(*, waits: bool, read: bool, age: float) -> FileRecord:
    """A file written `age` seconds ago, which ends inside a record or not, and was read as settled or not."""
    since = time.monotonic() if waits else None
    return FileRecord("f", EventFile(b"f", NamePool()), modified=time.time() - age, waiting_since=since, read_as_settled=read)


@pytest.mark.parametrize(
    ("waits", "read", "age", "overdue"),
    [
        (True, False, 2 * SETTLED_SECONDS, True),
        (False, False, 2 * SETTLED_SECONDS, False),
        (True, True, 2 * SETTLED_SECONDS, False),
        (True, False, 0.0, False),
    ],
)
def test_what_is_overdue(waits: bool, read: bool, age: float, overdue: bool) -> None:
    assert is_overdue(record(waits=waits, read=read, age=age)) is overdue
