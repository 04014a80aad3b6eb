"""NVIDIA's GPUs through NVML, which needs the package nvidia-ml-py and the driver, and never starts CUDA."""
# ruff: noqa: ANN401, N802 (the library has its own names and untyped handles)

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import psutil

from stepscope.capture.probe import MIB, Reading

_log = logging.getLogger("stepscope.capture")

_TEMPERATURE_GPU = 0
_CLOCK_SM, _CLOCK_MEMORY = 1, 2
_PCIE_SENT, _PCIE_RECEIVED = 0, 1
_MOST_DEVICES = 64

Measure = Callable[[frozenset[int]], Iterator[Reading]]
"""Reads one thing of one device; is given the processes that are ours."""


class Nvml(Protocol):
    """The part of pynvml that is used; the numbers above are NVML's and never change."""

    NVMLError: type[Exception]
    NVMLError_NotSupported: type[Exception]

    def nvmlInit(self) -> None: ...
    def nvmlShutdown(self) -> None: ...
    def nvmlSystemGetDriverVersion(self) -> str | bytes: ...
    def nvmlDeviceGetCount(self) -> int: ...
    def nvmlDeviceGetHandleByIndex(self, index: int) -> Any: ...
    def nvmlDeviceGetName(self, handle: Any) -> str | bytes: ...
    def nvmlDeviceGetUtilizationRates(self, handle: Any) -> Any: ...
    def nvmlDeviceGetMemoryInfo(self, handle: Any) -> Any: ...
    def nvmlDeviceGetPowerUsage(self, handle: Any) -> int: ...
    def nvmlDeviceGetTemperature(self, handle: Any, sensor: int) -> int: ...
    def nvmlDeviceGetClockInfo(self, handle: Any, kind: int) -> int: ...
    def nvmlDeviceGetPcieThroughput(self, handle: Any, counter: int) -> int: ...
    def nvmlDeviceGetComputeRunningProcesses(self, handle: Any) -> list[Any]: ...


class NvidiaProbe:
    """All GPUs of the machine, by NVML's numbers, which are those that nvidia-smi shows."""

    def __init__(self) -> None:
        """Finds the devices; without the package or the driver there are none."""
        self._nvml = _started()
        self._measures: list[tuple[str, Measure]] = []
        self.count = 0
        if self._nvml is not None:
            self.count = min(self._nvml.nvmlDeviceGetCount(), _MOST_DEVICES)
            for index in range(self.count):
                self._measures += _measures_of(self._nvml, index)

    def facts(self) -> dict[str, str]:
        """The driver's version, and the name and memory of each device."""
        nvml = self._nvml
        if nvml is None:
            return {}
        found = {"NVIDIA driver": _text(nvml.nvmlSystemGetDriverVersion())}
        for index in range(self.count):
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            size = nvml.nvmlDeviceGetMemoryInfo(handle).total // MIB
            found[f"GPU {index}"] = f"{_text(nvml.nvmlDeviceGetName(handle))}, {size} MiB"
        return found

    def read(self, now: float) -> Iterator[Reading]:
        """What each device tells. What one of them cannot tell is not asked again."""
        del now
        nvml = self._nvml
        if nvml is None:
            return
        process = psutil.Process()
        own = frozenset({process.pid, *(child.pid for child in process.children(recursive=True))})
        for name, measure in list(self._measures):
            try:
                yield from list(measure(own))
            except nvml.NVMLError as error:
                self._measures.remove((name, measure))
                if not isinstance(error, nvml.NVMLError_NotSupported):
                    _log.warning("NVML no longer reports %s (%s); it is left out of the system metrics.", name, error)

    def close(self) -> None:
        """Lets go of the driver."""
        if self._nvml is not None:
            self._nvml.nvmlShutdown()


def _started() -> Nvml | None:
    try:
        nvml: Any = importlib.import_module("pynvml")
    except ImportError:
        return None
    try:
        nvml.nvmlInit()
    except nvml.NVMLError:  # no driver, as on a machine without such GPUs
        return None
    return nvml


def _measures_of(nvml: Nvml, index: int) -> Iterator[tuple[str, Measure]]:
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    tag = f"gpu/{index}"

    def use(_: frozenset[int]) -> Iterator[Reading]:
        rates = nvml.nvmlDeviceGetUtilizationRates(handle)
        yield f"{tag}/used_percent", rates.gpu
        yield f"{tag}/memory_bus_used_percent", rates.memory

    def memory(_: frozenset[int]) -> Iterator[Reading]:
        info = nvml.nvmlDeviceGetMemoryInfo(handle)
        yield f"{tag}/memory_used_mib", info.used / MIB
        yield f"{tag}/memory_used_percent", 100 * info.used / info.total if info.total else 0.0

    def own_memory(own: frozenset[int]) -> Iterator[Reading]:
        sizes = [each.usedGpuMemory for each in nvml.nvmlDeviceGetComputeRunningProcesses(handle) if each.pid in own]
        yield f"{tag}/process_memory_mib", sum(size or 0 for size in sizes) / MIB

    def power(_: frozenset[int]) -> Iterator[Reading]:
        yield f"{tag}/power_watts", nvml.nvmlDeviceGetPowerUsage(handle) / 1000

    def temperature(_: frozenset[int]) -> Iterator[Reading]:
        yield f"{tag}/temperature_celsius", nvml.nvmlDeviceGetTemperature(handle, _TEMPERATURE_GPU)

    def clocks(_: frozenset[int]) -> Iterator[Reading]:
        yield f"{tag}/clock_mhz", nvml.nvmlDeviceGetClockInfo(handle, _CLOCK_SM)
        yield f"{tag}/memory_clock_mhz", nvml.nvmlDeviceGetClockInfo(handle, _CLOCK_MEMORY)

    def pcie(_: frozenset[int]) -> Iterator[Reading]:
        yield f"{tag}/pcie_sent_mib_per_s", nvml.nvmlDeviceGetPcieThroughput(handle, _PCIE_SENT) / 1024
        yield f"{tag}/pcie_received_mib_per_s", nvml.nvmlDeviceGetPcieThroughput(handle, _PCIE_RECEIVED) / 1024

    for measure in (use, memory, own_memory, power, temperature, clocks, pcie):
        yield f"{measure.__name__.replace('_', ' ')} of GPU {index}", measure


def _text(value: str | bytes) -> str:
    """Older versions of the package give bytes."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value
