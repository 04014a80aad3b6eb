"""What every source of system metrics looks like to the monitor, and how counts become rates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

MIB = 1 << 20
SHORTEST_SECONDS = 0.05
"""Below that a rate says more about the clock than about the machine."""

Reading = tuple[str, float]
"""The tag below `system/`, which ends with the unit, and the value."""


class Probe(Protocol):
    """One source. It is made and read by the monitor's thread alone."""

    def facts(self) -> dict[str, str]:
        """What does not change while training runs, such as names and sizes."""
        ...

    def read(self, now: float) -> Iterator[Reading]:
        """The values at `now`, in seconds of the monotonic clock."""
        ...

    def close(self) -> None:
        """Gives back what the source holds."""
        ...


class Rates:
    """Remembers counters, and tells how fast they have grown since they were last asked for."""

    def __init__(self) -> None:
        """Knows none yet."""
        self._before: dict[str, tuple[float, float]] = {}

    def of(self, name: str, count: float, now: float) -> Iterator[Reading]:
        """The growth per second; nothing the first time, and when the counter was set back."""
        then = self._before.get(name)
        if then is not None and now - then[1] < SHORTEST_SECONDS:
            return
        self._before[name] = (count, now)
        if then is not None and count >= then[0]:
            yield name, (count - then[0]) / (now - then[1])


def first_line(path: Path) -> str | None:
    """The first line of a small file of the kernel's, or None where there is none to read."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.readline(4096).strip()
    except OSError:
        return None


def number_in(path: Path) -> int | None:
    """The number that such a file holds."""
    line = first_line(path)
    try:
        return None if line is None else int(line)
    except ValueError:
        return None
