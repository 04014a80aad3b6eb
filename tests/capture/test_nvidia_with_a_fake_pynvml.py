"""NVIDIA's GPUs: no such device is at hand, so a fake of the module pynvml stands where NVML would be."""

from __future__ import annotations

import logging
import os
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from stepscope.capture.nvidia import NvidiaProbe
from stepscope.capture.probe import MIB


class FakeError(Exception):
    """As NVMLError."""


class FakeNotSupported(FakeError):
    """As NVMLError_NotSupported."""


class FakePynvml(ModuleType):
    """Two devices; the second has neither a power sensor nor a count of PCIe traffic."""

    NVMLError = FakeError
    NVMLError_NotSupported = FakeNotSupported

    def __init__(self, driver: bool = True) -> None:
        super().__init__("pynvml")
        self.driver = driver
        self.open = 0
        self.lost: set[str] = set()
        self.asked: list[str] = []

    def nvmlInit(self) -> None:  # noqa: N802 (the library's name, as below)
        if not self.driver:
            raise FakeError("NVML Shared Library Not Found")
        self.open += 1

    def nvmlShutdown(self) -> None:  # noqa: N802
        self.open -= 1

    def __getattr__(self, name: str) -> Any:
        answers = {
            "nvmlSystemGetDriverVersion": lambda: "580.1",
            "nvmlDeviceGetCount": lambda: 2,
            "nvmlDeviceGetHandleByIndex": lambda index: index,
            "nvmlDeviceGetName": lambda handle: b"Fake H100" if handle else "Fake H100",
            "nvmlDeviceGetUtilizationRates": lambda handle: SimpleNamespace(gpu=90 + handle, memory=40),
            "nvmlDeviceGetMemoryInfo": lambda handle: SimpleNamespace(used=20480 * MIB, total=81920 * MIB),
            "nvmlDeviceGetPowerUsage": lambda handle: 350_500,
            "nvmlDeviceGetTemperature": lambda handle, sensor: 61 if sensor == 0 else None,
            "nvmlDeviceGetClockInfo": lambda handle, kind: {1: 1980, 2: 2619}[kind],
            "nvmlDeviceGetPcieThroughput": lambda handle, counter: (2048, 4096)[counter],
            "nvmlDeviceGetComputeRunningProcesses": lambda handle: [
                SimpleNamespace(pid=os.getpid(), usedGpuMemory=512 * MIB),
                SimpleNamespace(pid=os.getpid(), usedGpuMemory=None),
                SimpleNamespace(pid=1, usedGpuMemory=4096 * MIB),
            ],
        }
        if name not in answers:
            raise AttributeError(name)

        def answer(*arguments: Any) -> Any:
            self.asked.append(name)
            if name in self.lost:
                raise FakeError("GPU is lost")
            if arguments[:1] == (1,) and name in {"nvmlDeviceGetPowerUsage", "nvmlDeviceGetPcieThroughput"}:
                raise FakeNotSupported
            return answers[name](*arguments)

        return answer


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakePynvml:
    """Takes the module's place."""
    module = FakePynvml()
    monkeypatch.setitem(sys.modules, "pynvml", module)
    return module


@pytest.mark.usefixtures("fake")
def test_every_device_is_read_in_the_units_of_its_tags() -> None:
    readings = dict(NvidiaProbe().read(0.0))
    assert {tag: value for tag, value in readings.items() if tag.startswith("gpu/0/")} == {
        "gpu/0/used_percent": 90,
        "gpu/0/memory_bus_used_percent": 40,
        "gpu/0/memory_used_mib": 20480,
        "gpu/0/memory_used_percent": 25,
        "gpu/0/process_memory_mib": 512,
        "gpu/0/power_watts": 350.5,
        "gpu/0/temperature_celsius": 61,
        "gpu/0/clock_mhz": 1980,
        "gpu/0/memory_clock_mhz": 2619,
        "gpu/0/pcie_sent_mib_per_s": 2,
        "gpu/0/pcie_received_mib_per_s": 4,
    }
    assert readings["gpu/1/used_percent"] == 91


@pytest.mark.usefixtures("fake")
def test_facts_name_the_devices() -> None:
    assert NvidiaProbe().facts() == {
        "NVIDIA driver": "580.1",
        "GPU 0": "Fake H100, 81920 MiB",
        "GPU 1": "Fake H100, 81920 MiB",
    }


def test_what_a_device_cannot_tell_is_left_out_in_silence(fake: FakePynvml, caplog: pytest.LogCaptureFixture) -> None:
    probe = NvidiaProbe()
    first = dict(probe.read(0.0))
    assert "gpu/1/power_watts" not in first
    assert "gpu/1/pcie_sent_mib_per_s" not in first
    fake.asked.clear()
    assert dict(probe.read(1.0)) == first
    assert fake.asked.count("nvmlDeviceGetPowerUsage") == 1, "the device that has no sensor is asked again"
    assert caplog.records == []


def test_a_device_that_is_lost_is_told_once(fake: FakePynvml, caplog: pytest.LogCaptureFixture) -> None:
    probe = NvidiaProbe()
    list(probe.read(0.0))
    fake.lost.add("nvmlDeviceGetTemperature")
    with caplog.at_level(logging.WARNING):
        readings = [dict(probe.read(float(second))) for second in range(1, 4)]
    assert all("gpu/0/temperature_celsius" not in each and "gpu/0/used_percent" in each for each in readings)
    told = [record.getMessage() for record in caplog.records]
    assert [f"temperature of GPU {index} (GPU is lost)" in text for index, text in enumerate(told)] == [True, True]


def test_the_driver_is_let_go(fake: FakePynvml) -> None:
    probe = NvidiaProbe()
    assert fake.open == 1
    probe.close()
    assert fake.open == 0


def test_without_a_driver_there_is_nothing(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", FakePynvml(driver=False))
    probe = NvidiaProbe()
    assert (probe.count, list(probe.read(0.0)), probe.facts()) == (0, [], {})
    probe.close()
    assert caplog.records == []


def test_without_the_package_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    probe = NvidiaProbe()
    assert (probe.count, list(probe.read(0.0)), probe.facts()) == (0, [], {})
