"""The memory that this process has in use, asked often and cheaply."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from typing import NamedTuple

_STATM = "/proc/self/statm"


class MemoryInUse(NamedTuple):
    """Resident bytes, and bytes allocated with malloc; 0 when the system does not report them."""

    resident: int
    allocated: int

    def grown_since(self, before: MemoryInUse) -> int:
        """By how much more: memory that was free before is in use again without the process growing, and not all is malloc's."""
        return max(self.resident - before.resident, self.allocated - before.allocated)


def memory_in_use() -> MemoryInUse:
    """Both numbers at this moment; takes some ten microseconds."""
    return MemoryInUse(_resident_bytes(), _allocated_bytes()())


def _resident_bytes() -> int:
    try:
        with open(_STATM, "rb") as file:
            return int(file.read(128).split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        import psutil

        return psutil.Process().memory_info().rss


class _MallocFacts(ctypes.Structure):
    """struct mallinfo2 of glibc."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    ]


@functools.cache
def _allocated_bytes() -> Callable[[], int]:
    """Asks glibc 2.33 or later; other C libraries have no such question."""
    try:
        ask = ctypes.CDLL(None).mallinfo2
    except (OSError, AttributeError, TypeError):
        return lambda: 0
    ask.restype = _MallocFacts
    return lambda: ask().uordblks
