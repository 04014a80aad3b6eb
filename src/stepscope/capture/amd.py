"""AMD's GPUs through the files that the driver amdgpu shows; no library of ROCm is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stepscope.capture.probe import MIB, Reading, first_line, number_in

_VENDOR = "0x1002"
_MOST_DEVICES = 64


class AmdProbe:
    """All cards of the driver, in the order of their numbers."""

    def __init__(self, first: int = 0, cards: Path = Path("/sys/class/drm")) -> None:
        """`first` is the number of the first card, where GPUs of another maker come before; `cards` is the kernel's folder."""
        found = sorted(cards.glob("card*/device"), key=lambda device: _number_of(device.parent.name))
        devices = [device for device in found if device.parent.name[4:].isdecimal() and first_line(device / "vendor") == _VENDOR]
        self._devices = [(first + index, device, _sensors_of(device)) for index, device in enumerate(devices[:_MOST_DEVICES])]
        self._turn = 0

    def facts(self) -> dict[str, str]:
        """The name and memory of each card."""
        found: dict[str, str] = {}
        for index, device, _ in self._devices:
            size = (number_in(device / "mem_info_vram_total") or 0) // MIB
            found[f"GPU {index}"] = f"{first_line(device / 'product_name') or 'AMD'}, {size} MiB"
        return found

    def read(self, now: float) -> Iterator[Reading]:
        """What each card tells; the driver has not every file for every card."""
        del now
        for index, device, sensors in self._devices:
            tag = f"gpu/{index}"
            yield from _scaled(f"{tag}/used_percent", device / "gpu_busy_percent", 1)
            yield from _scaled(f"{tag}/memory_bus_used_percent", device / "mem_busy_percent", 1)
            yield from _memory(tag, device)
            if sensors is not None:
                yield from _sensed(tag, sensors)
        yield from self._pcie()

    def close(self) -> None:
        """There is nothing to give back."""

    def _pcie(self) -> Iterator[Reading]:
        """Of one card a time: the driver counts for a second before it answers."""
        if not self._devices:
            return
        index, device, _ = self._devices[self._turn % len(self._devices)]
        self._turn += 1
        try:
            received, sent, size = (int(word) for word in (first_line(device / "pcie_bw") or "").split())
        except ValueError:
            return
        yield f"gpu/{index}/pcie_received_mib_per_s", received * size / MIB
        yield f"gpu/{index}/pcie_sent_mib_per_s", sent * size / MIB


def _number_of(card: str) -> int:
    digits = card[4:]
    return int(digits) if digits.isdecimal() else -1


def _sensors_of(device: Path) -> Path | None:
    return next(iter(sorted(device.glob("hwmon/hwmon*"))), None)


def _memory(tag: str, device: Path) -> Iterator[Reading]:
    used, total = number_in(device / "mem_info_vram_used"), number_in(device / "mem_info_vram_total")
    if used is not None:
        yield f"{tag}/memory_used_mib", used / MIB
        if total:
            yield f"{tag}/memory_used_percent", 100 * used / total


def _sensed(tag: str, sensors: Path) -> Iterator[Reading]:
    """The kernel counts power in millionths of a watt, heat in thousandths of a degree, and clocks in hertz."""
    power = "power1_average" if (sensors / "power1_average").exists() else "power1_input"
    yield from _scaled(f"{tag}/power_watts", sensors / power, 1e-6)
    yield from _scaled(f"{tag}/temperature_celsius", sensors / "temp1_input", 1e-3)
    yield from _scaled(f"{tag}/clock_mhz", sensors / "freq1_input", 1e-6)
    yield from _scaled(f"{tag}/memory_clock_mhz", sensors / "freq2_input", 1e-6)


def _scaled(tag: str, path: Path, factor: float) -> Iterator[Reading]:
    value = number_in(path)
    if value is not None:
        yield tag, value * factor
