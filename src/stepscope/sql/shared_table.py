"""An Arrow table in memory that another process can map: written once, and read by each query without a copy."""

from __future__ import annotations

import contextlib
import os
import tempfile
import weakref
from typing import Any

from stepscope.sql.packages import pyarrow


class SharedTable:
    """The table as an Arrow stream at `path`, for as long as this object lives."""

    def __init__(self, table: Any) -> None:  # noqa: ANN401 - pyarrow carries no types
        handle, self.path, remove = _place()
        self._finalizer = weakref.finalize(self, _close, handle, remove)
        with open(handle, "wb", closefd=False) as file, pyarrow().ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
        self.size = os.fstat(handle).st_size


def _place() -> tuple[int, str, str | None]:
    """A descriptor, the path under which a child finds it, and what to remove at the end."""
    if hasattr(os, "memfd_create"):
        handle = os.memfd_create("stepscope-table")
        return handle, f"/proc/{os.getpid()}/fd/{handle}", None
    handle, path = tempfile.mkstemp(prefix="stepscope-", suffix=".arrows")
    return handle, path, path


def _close(handle: int, path: str | None) -> None:
    os.close(handle)
    if path is not None:
        with contextlib.suppress(OSError):
            os.unlink(path)
