"""The machine as psutil sees it: processors, memory, swap, disks and network, and this process with its children."""

from __future__ import annotations

from collections.abc import Iterator

import psutil

from stepscope.capture.probe import MIB, Rates, Reading

_NOT_BUSY = ("idle", "iowait", "guest", "guest_nice")
_LOOPBACK = ("lo", "lo0", "Loopback Pseudo-Interface 1")


class HostProbe:
    """The whole machine."""

    def __init__(self, log_folder: str | None = None) -> None:
        """Watches also how much room is left where the logs are, if that is told."""
        self._log_folder = log_folder
        self._rates = Rates()

    def facts(self) -> dict[str, str]:
        """Sizes of the machine."""
        return {
            "processors": f"{psutil.cpu_count()} logical, {psutil.cpu_count(logical=False)} physical",
            "memory": f"{psutil.virtual_memory().total // MIB} MiB",
            "swap": f"{psutil.swap_memory().total // MIB} MiB",
        }

    def read(self, now: float) -> Iterator[Reading]:
        """Use of processors, memory, swap, disks and network."""
        yield from self._processors(now)
        memory, swap = psutil.virtual_memory(), psutil.swap_memory()
        yield "memory/used_percent", memory.percent
        yield "memory/used_mib", (memory.total - memory.available) / MIB
        yield "memory/available_mib", memory.available / MIB
        yield "swap/used_mib", swap.used / MIB
        yield "swap/used_percent", swap.percent
        yield from self._disks(now)
        yield from self._network(now)

    def close(self) -> None:
        """There is nothing to give back."""

    def _processors(self, now: float) -> Iterator[Reading]:
        """psutil's own percentage remembers the last call of the whole process, which may be somebody else's."""
        for name, percent in self._rates.of("cpu/used_percent", 100 * _busy_seconds() / (psutil.cpu_count() or 1), now):
            yield name, min(percent, 100.0)  # The kernel counts in ticks of 10 ms, which is more than a short time may have.
        if hasattr(psutil, "getloadavg"):
            yield "cpu/load_average_1min", psutil.getloadavg()[0]

    def _disks(self, now: float) -> Iterator[Reading]:
        counters = psutil.disk_io_counters()
        if counters is not None:  # as in some containers
            yield from self._rates.of("disk/read_mib_per_s", counters.read_bytes / MIB, now)
            yield from self._rates.of("disk/write_mib_per_s", counters.write_bytes / MIB, now)
        if self._log_folder is None:
            return
        try:
            yield "disk/log_folder_free_mib", psutil.disk_usage(self._log_folder).free / MIB
        except OSError:
            return  # the folder was deleted or was never made; the writer says so

    def _network(self, now: float) -> Iterator[Reading]:
        """Of all devices but the machine's own loop."""
        counters = [each for name, each in psutil.net_io_counters(pernic=True).items() if name not in _LOOPBACK]
        yield from self._rates.of("network/received_mib_per_s", sum(each.bytes_recv for each in counters) / MIB, now)
        yield from self._rates.of("network/sent_mib_per_s", sum(each.bytes_sent for each in counters) / MIB, now)


class ProcessProbe:
    """This process, and those that it started."""

    def __init__(self, *, children: bool = True) -> None:
        """Of the process that makes the probe; looking for its children goes through all processes of the machine."""
        self._children = children
        self._process = psutil.Process()
        self._rates = Rates()

    def facts(self) -> dict[str, str]:
        """Which process it is."""
        return {"process": str(self._process.pid)}

    def read(self, now: float) -> Iterator[Reading]:
        """Processor time, where 100 percent is one core, memory, threads, and the memory of all children together."""
        with self._process.oneshot():
            times = self._process.cpu_times()
            yield from self._rates.of("process/cpu_percent", 100 * (times.user + times.system), now)
            yield "process/rss_mib", self._process.memory_info().rss / MIB
            yield "process/threads", self._process.num_threads()
        if not self._children:
            return
        children = [size for child in self._process.children(recursive=True) if (size := _resident(child)) is not None]
        yield "process/children", len(children)
        yield "process/children_rss_mib", sum(children) / MIB

    def close(self) -> None:
        """There is nothing to give back."""


def _busy_seconds() -> float:
    """Of all processors together. Guests are counted with their hosts, and waiting for a disk is no work."""
    times = psutil.cpu_times()._asdict()
    return sum(seconds for name, seconds in times.items() if name not in _NOT_BUSY)


def _resident(process: psutil.Process) -> int | None:
    """None for a child that has ended meanwhile, or that is somebody else's."""
    try:
        return process.memory_info().rss
    except psutil.Error:
        return None
