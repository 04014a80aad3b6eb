"""Whether a process of this machine still runs, by its number and the time at which it was known to run."""

from __future__ import annotations

import os
import re

_STARTED_AT = 19
"""Place of the start time among the fields of /proc/PID/stat behind the name."""
_CLOCK_SLACK = 60.0
_BOOT = re.compile(rb"^btime (\d+)$", re.MULTILINE)


def this_host() -> str:
    """The name of this machine, as writers put it into names of files."""
    if hasattr(os, "uname"):
        return os.uname().nodename
    import socket

    return socket.gethostname()


def still_runs(pid: int, seen: float) -> bool | None:
    """Whether the process that ran at wall time `seen` runs now; None where the system does not say.

    A process that began later has only taken over the number.
    """
    if os.name != "posix" or not 0 < pid < 1 << 31:
        return None  # on Windows, a signal would end the process
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's
    started = _started(pid)
    return started is None or started <= seen + _CLOCK_SLACK


def _started(pid: int) -> float | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read(4096).rpartition(b")")[2].split()
        with open("/proc/stat", "rb") as file:
            boot = _BOOT.search(file.read(1 << 20))
        return None if boot is None else int(boot[1]) + int(fields[_STARTED_AT]) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None
