"""The limits that a container or a batch system puts on this process, and how near it is to them; cgroup v1 and v2."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from stepscope.capture.probe import MIB, Rates, Reading, first_line, number_in

_UNLIMITED = 1 << 60
"""Version 1 says "no limit" with a number near 2**63."""


class _Use(NamedTuple):
    """What both versions tell, in bytes, cores and seconds."""

    memory: int | None
    memory_limit: int | None
    cpu_seconds: float | None
    cpu_limit: float | None
    throttled_seconds: float | None


class CgroupProbe:
    """The control group that the process is in."""

    def __init__(self, membership: Path = Path("/proc/self/cgroup"), mount: Path = Path("/sys/fs/cgroup")) -> None:
        """Finds the group's folders; the arguments are where the kernel shows them."""
        self._read: Callable[[], _Use] | None = None
        self._rates = Rates()
        paths = _paths_of(membership)
        if (mount / "cgroup.controllers").exists():
            group = _Folders.of(mount, paths.get("", "/"))
            self._read = lambda: _version_2(group)
        elif paths:
            memory = _Folders.of(mount / "memory", paths.get("memory", "/"))
            cpu = _Folders.of(mount / "cpu", paths.get("cpu", "/"))
            account = _Folders.of(mount / "cpuacct", paths.get("cpuacct", "/"))
            self._read = lambda: _version_1(memory, cpu, account)

    def facts(self) -> dict[str, str]:
        """The limits."""
        use = self._read() if self._read else _Use(None, None, None, None, None)
        memory = {} if use.memory_limit is None else {"cgroup memory limit": f"{use.memory_limit // MIB} MiB"}
        cpu = {} if use.cpu_limit is None else {"cgroup CPU limit": f"{use.cpu_limit:g} cores"}
        return memory | cpu

    def read(self, now: float) -> Iterator[Reading]:
        """Use and limits; without a limit there is no percentage of it."""
        if self._read is None:
            return
        use = self._read()
        if use.memory is not None:
            yield "cgroup/memory_used_mib", use.memory / MIB
        if use.memory_limit is not None:
            yield "cgroup/memory_limit_mib", use.memory_limit / MIB
            if use.memory is not None and use.memory_limit > 0:
                yield "cgroup/memory_used_percent", 100 * use.memory / use.memory_limit
        if use.cpu_seconds is not None:
            yield from self._rates.of("cgroup/cpu_used_cores", use.cpu_seconds, now)
        if use.cpu_limit is not None:
            yield "cgroup/cpu_limit_cores", use.cpu_limit
        if use.throttled_seconds is not None:
            yield from self._rates.of("cgroup/cpu_throttled_cores", use.throttled_seconds, now)

    def close(self) -> None:
        """There is nothing to give back."""


class _Folders(NamedTuple):
    """A group's own folder, and all from it up to the top: the limits of each of them hold."""

    own: Path
    up: tuple[Path, ...]

    @staticmethod
    def of(mount: Path, path: str) -> _Folders:
        """In a container the path may be the host's, which cannot be seen from inside; then the top is the group's own."""
        own = mount / path.strip("/")
        if ".." in own.parts or not own.is_dir():
            own = mount
        above = [own, *own.parents]
        return _Folders(own, tuple(above[: above.index(mount) + 1]))

    def least(self, limit: Callable[[Path], float | None]) -> float | None:
        """The tightest of the limits."""
        found = [value for folder in self.up if (value := limit(folder)) is not None]
        return min(found, default=None)


def _paths_of(membership: Path) -> dict[str, str]:
    """Controller to path; version 2 has one path, under the empty name."""
    try:
        lines = membership.read_text(encoding="utf-8", errors="replace")[:65536].splitlines()
    except OSError:
        return {}
    parts = [line.split(":", 2) for line in lines if line.count(":") >= 2]
    return {name: path for _, names, path in parts for name in names.split(",")}


def _version_2(group: _Folders) -> _Use:
    memory_limit = group.least(lambda folder: number_in(folder / "memory.max"))
    statistics = _table(group.own / "cpu.stat")
    return _Use(
        number_in(group.own / "memory.current"),
        None if memory_limit is None else int(memory_limit),
        _scaled(statistics.get("usage_usec"), 1e-6),
        group.least(lambda folder: _quota((first_line(folder / "cpu.max") or "").split())),
        _scaled(statistics.get("throttled_usec"), 1e-6),
    )


def _version_1(memory: _Folders, cpu: _Folders, account: _Folders) -> _Use:
    memory_limit = memory.least(lambda folder: number_in(folder / "memory.limit_in_bytes"))
    quota, period = "cpu.cfs_quota_us", "cpu.cfs_period_us"
    return _Use(
        number_in(memory.own / "memory.usage_in_bytes"),
        None if memory_limit is None or memory_limit > _UNLIMITED else int(memory_limit),
        _scaled(number_in(account.own / "cpuacct.usage"), 1e-9),
        cpu.least(lambda folder: _quota([first_line(folder / quota) or "", first_line(folder / period) or ""])),
        _scaled(_table(cpu.own / "cpu.stat").get("throttled_time"), 1e-9),
    )


def _quota(words: list[str]) -> float | None:
    """Cores, from the time that may be used and the time in which it may; "max" and -1 are no limit."""
    try:
        time, period = (int(word) for word in words)
    except ValueError:
        return None
    return time / period if time > 0 and period > 0 else None


def _table(path: Path) -> dict[str, int]:
    """A file of names and numbers."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace")[:65536].splitlines()
    except OSError:
        return {}
    pairs = [line.split() for line in lines]
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdecimal()}


def _scaled(value: int | None, factor: float) -> float | None:
    return None if value is None else value * factor
