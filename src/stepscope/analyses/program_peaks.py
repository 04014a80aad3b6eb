"""The peaks that compiled operations are measured against; also of devices that a file does not name, by their generation."""

from __future__ import annotations

from stepscope.analyses.peaks import Peaks, device_peaks
from stepscope.model.profile import Device

_Cycle = dict[str, int]
_NVIDIA: dict[tuple[int, int], _Cycle] = {
    # Operations of one multiprocessor in one cycle, without sparsity.
    (10, 0): {"fp32": 256, "tf32": 4096, "fp16": 8192, "fp8": 16384},
    (9, 0): {"fp32": 256, "tf32": 2048, "fp16": 4096, "fp8": 8192},
    (8, 9): {"fp32": 256, "tf32": 512, "fp16": 1024, "fp8": 2048},
    (8, 6): {"fp32": 256, "tf32": 256, "fp16": 1024},
    (8, 0): {"fp32": 128, "tf32": 1024, "fp16": 2048},
    (7, 5): {"fp32": 128, "fp16": 1024},
    (7, 0): {"fp32": 128, "fp16": 1024},
    (6, 0): {"fp32": 128, "fp16": 256},
}
_AMD: dict[tuple[int, int], _Cycle] = {
    (9, 4): {"fp32": 256, "tf32": 1024, "fp16": 2048, "fp8": 4096},
    (9, 5): {"fp32": 256, "fp16": 4096, "fp8": 8192},
}
_GENERATIONS = {"NVIDIA": _NVIDIA, "AMD": _AMD}

_FORMATS_OF_TYPE: dict[str, tuple[str, ...]] = {
    "f4e2m1fn": ("fp4", "fp8", "fp16"),
    "f16": ("fp16", "fp32"),
    "bf16": ("fp16", "fp32"),
    "f32": ("tf32", "fp32"),
}
_EIGHT = ("fp8", "fp16", "fp32")


def program_peaks(device: Device) -> Peaks:
    """By the device's name, else by its generation, multiprocessors and clock, else by the claims; empty when nothing is known."""
    named = device_peaks(device) or Peaks({}, None)
    if named.flops:
        return named
    cycle = _GENERATIONS.get(device.vendor or "NVIDIA", {}).get(device.compute_capability, {})
    rate = device.multiprocessors * device.clock_hz
    return Peaks({name: rate * count for name, count in cycle.items() if rate > 0}, named.bandwidth)


def flops_peak(peaks: Peaks, product_type: str) -> float | None:
    """For work whose products are of an XLA element type; "" is work without products, which matrix units do not help.

    A claim of a single peak is that of any work: nothing can be faster.
    """
    if len(peaks.flops) == 1:
        return next(iter(peaks.flops.values()))
    eight = product_type.startswith("f8") or product_type in ("s8", "u8")
    formats = _EIGHT if eight else _FORMATS_OF_TYPE.get(product_type, ("fp32",))
    return next((peaks.flops[name] for name in formats if name in peaks.flops), None)
