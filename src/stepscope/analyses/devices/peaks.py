"""What a device can do at most: arithmetic by number format and memory traffic, and how that is known."""

from __future__ import annotations

from dataclasses import dataclass, field

from stepscope.analyses.devices.table import (
    FORMATS,
    PUBLISHED,
    YOURS,
    DeviceTable,
    Generation,
    KnownDevice,
    MemoryLevel,
    published_devices,
)
from stepscope.model.number_text import digits
from stepscope.model.profile import Device, Profile, TrackRole

GENERATION = "generation"
CLAIMED = "claimed"
ANY = "any"
"""The format of a single peak that holds for all work: nothing can be faster."""

_HOW = {
    PUBLISHED: "as published",
    YOURS: "from your devices.toml",
    GENERATION: "from its generation and clock",
    CLAIMED: "as stated in the file",
}
_BELIEVABLE_FLOPS = (1e11, 1e17)
_BELIEVABLE_BANDWIDTH = (1e10, 5e13)
_LONGEST_NAME = 256
_SAME_CLOCK = 0.03
_SAME_MEMORY = 0.12  # drivers keep some of it, and makers count in powers of ten


@dataclass(frozen=True, slots=True)
class Peaks:
    """Operations per second by number format, without sparsity, and bytes per second; the levels of memory from the nearest on."""

    flops: dict[str, float]
    bandwidth: float | None
    flops_from: str = ""  # PUBLISHED, YOURS, GENERATION, CLAIMED or "" when unknown
    bandwidth_from: str = ""
    levels: tuple[MemoryLevel, ...] = field(default=())

    @property
    def known(self) -> bool:
        """Whether anything is."""
        return bool(self.flops) or self.bandwidth is not None


NO_PEAKS = Peaks({}, None)

_BYTES_OF_FORMAT = {"fp64": 8.0, "fp32": 4.0, "tf32": 4.0, "fp16": 2.0, "fp8": 1.0, "fp4": 0.5}

_FORMATS_OF_TYPE: dict[str, tuple[str, ...]] = {
    "f4e2m1fn": ("fp4", "fp8", "fp16"),
    "f16": ("fp16", "fp32"),
    "bf16": ("fp16", "fp32"),
    "f32": ("tf32", "fp32"),
    "f64": ("fp64",),
}
_EIGHT = ("fp8", "fp16", "fp32")


def device_peaks(device: Device, table: DeviceTable | None = None) -> Peaks:
    """By the device's row in the table, else by its generation, multiprocessors and clock, else what the file claims and may be true.

    Without a table the published one holds, here and wherever an analysis takes one.
    """
    table = table or published_devices()
    row, generation = known_device(device, table), generation_of(device, table)
    flops, flops_from = _flops(device, row, generation)
    bandwidth, bandwidth_from = _bandwidth(device, row)
    return Peaks(flops, bandwidth, flops_from, bandwidth_from, _levels(device, row, generation))


def known_device(device: Device, table: DeviceTable | None = None) -> KnownDevice | None:
    """The row of a device: by its name, or where the file has none, by what else identifies it when that fits one row alone."""
    table = table or published_devices()
    if device.name:
        return next((row for row in table.devices if row.pattern.search(device.name[:_LONGEST_NAME])), None)
    found = [row for row in table.devices if _fits(device, row)]
    return found[0] if len(found) == 1 else None


def generation_of(device: Device, table: DeviceTable | None = None) -> Generation | None:
    """By its compute capability, else as its row in the table says."""
    table = table or published_devices()
    row = known_device(device, table)
    return table.generations.get(_generation_name(device)) or (table.generations.get(row.generation) if row else None)


def flops_peak(peaks: Peaks, product_type: str) -> float | None:
    """For work whose products are of an XLA element type; "" is work without products, which matrix units do not help."""
    if len(peaks.flops) == 1:
        return next(iter(peaks.flops.values()))
    eight = product_type.startswith("f8") or product_type in ("s8", "u8")
    formats = _EIGHT if eight else _FORMATS_OF_TYPE.get(product_type, ("fp32",))
    return next((peaks.flops[name] for name in formats if name in peaks.flops), None)


def format_peak(peaks: Peaks, number_format: str | None) -> float | None:
    """For work on numbers of one format; a single peak that a file claims holds for any."""
    return peaks.flops.get(ANY) or peaks.flops.get(number_format or "")


def bytes_of_format(number_format: str | None) -> float | None:
    """Bytes of one number."""
    return _BYTES_OF_FORMAT.get(number_format or "")


def peaks_text(device: Device, peaks: Peaks) -> str:
    """What is known of a device's peaks and from where, or what to do about it, in a sentence."""
    name = device.name or f"{device.vendor} {device.kind}".strip()
    if not peaks.known:
        return f"The peaks of {name} are unknown: add the device to devices.toml (docs/profiles/devices.md)."
    rates = [f"{digits(peaks.flops[each] / 1e12, 5)} {each} TFLOP/s" for each in (*FORMATS, ANY) if each in peaks.flops]
    if not rates:
        return f"{name} has a peak of {_bandwidth_text(peaks)}; its peak FLOP/s is unknown."
    if not peaks.bandwidth:
        return f"{name} has a peak of {', '.join(rates)} {_HOW[peaks.flops_from]}; its bandwidth is unknown."
    if peaks.flops_from == peaks.bandwidth_from:
        return f"{name} has a peak of {', '.join(rates)} and {_bandwidth_text(peaks)}."
    return f"{name} has a peak of {', '.join(rates)} {_HOW[peaks.flops_from]}, and {_bandwidth_text(peaks)}."


def _bandwidth_text(peaks: Peaks) -> str:
    return f"{digits((peaks.bandwidth or 0.0) / 1e9, 5)} GB/s {_HOW.get(peaks.bandwidth_from, '')}".rstrip()


def busy_devices(profile: Profile) -> list[Device]:
    """Those that ran anything, without CPUs, whose peaks no recording tells."""
    used = {track.device for track in profile.tracks if track.role == TrackRole.STREAM and track.last_row > track.first_row}
    return [device for place, device in enumerate(profile.devices) if place in used and device.kind != "CPU"]


def peak_sentences(profile: Profile, table: DeviceTable | None = None) -> list[str]:
    """One for each distinct device that ran anything."""
    return list(dict.fromkeys(peaks_text(device, device_peaks(device, table)) for device in busy_devices(profile)))


def _flops(device: Device, row: KnownDevice | None, generation: Generation | None) -> tuple[dict[str, float], str]:
    if row is not None and row.flops:
        return dict(row.flops), row.source
    rate = device.multiprocessors * device.clock_hz
    if generation is not None and generation.flops_per_cycle and rate > 0:
        return {name: rate * count for name, count in generation.flops_per_cycle.items()}, GENERATION
    if _BELIEVABLE_FLOPS[0] <= device.peak_flops <= _BELIEVABLE_FLOPS[1]:
        return {ANY: device.peak_flops}, CLAIMED
    return {}, ""


def _bandwidth(device: Device, row: KnownDevice | None) -> tuple[float | None, str]:
    if row is not None and row.bandwidth is not None:
        return row.bandwidth, row.source
    if _BELIEVABLE_BANDWIDTH[0] <= device.memory_bandwidth <= _BELIEVABLE_BANDWIDTH[1]:
        return device.memory_bandwidth, CLAIMED
    return None, ""


def _levels(device: Device, row: KnownDevice | None, generation: Generation | None) -> tuple[MemoryLevel, ...]:
    multiprocessors = device.multiprocessors or (row.multiprocessors if row else 0)
    clock = device.clock_hz or (row.clock_hz if row else 0.0)
    shared = multiprocessors * clock * generation.shared_bytes_per_cycle if generation else 0.0
    nearest = (MemoryLevel("Shared memory", shared),) if shared > 0 else ()
    return (*nearest, *(row.levels if row else ()))


def _generation_name(device: Device) -> str:
    vendor = "AMD" if device.vendor.upper() == "AMD" else "NVIDIA"
    return f"{vendor} {device.compute_capability[0]}.{device.compute_capability[1]}"


def _fits(device: Device, row: KnownDevice) -> bool:
    """Whether everything the file tells is as the row has it; generation and multiprocessors it must tell."""
    if not device.multiprocessors or (row.generation, row.multiprocessors) != (_generation_name(device), device.multiprocessors):
        return False
    clock = not device.clock_hz or abs(device.clock_hz / row.clock_hz - 1) <= _SAME_CLOCK if row.clock_hz else True
    memory = not device.memory_bytes or abs(device.memory_bytes / row.memory_bytes - 1) <= _SAME_MEMORY if row.memory_bytes else True
    return clock and memory
