"""What a device can do at most: arithmetic by number format and memory traffic, from published figures or believable claims."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from stepscope.model.profile import Device

_TERA = 1e12
_GIGA = 1e9
_BELIEVABLE_FLOPS = (1e11, 1e17)
_BELIEVABLE_BANDWIDTH = (1e10, 5e13)


@dataclass(frozen=True, slots=True)
class Peaks:
    """Operations per second by number format, without sparsity, and bytes per second."""

    flops: dict[str, float]
    bandwidth: float | None


_Row = tuple[str, tuple[tuple[str, float], ...], float]
PUBLISHED: tuple[_Row, ...] = (
    # Name pattern; tera-operations per second by format; gigabytes per second. The makers' data sheets, dense figures.
    (r"V100", (("fp32", 15.7), ("fp16", 125)), 900),
    (r"\bT4\b", (("fp32", 8.1), ("fp16", 65)), 320),
    (r"A100.*80", (("fp32", 19.5), ("tf32", 156), ("fp16", 312)), 2039),
    (r"A100", (("fp32", 19.5), ("tf32", 156), ("fp16", 312)), 1555),
    (r"\bA10\b", (("fp32", 31.2), ("tf32", 62.5), ("fp16", 125)), 600),
    (r"L40S", (("fp32", 91.6), ("tf32", 183), ("fp16", 362), ("fp8", 733)), 864),
    (r"\bL4\b", (("fp32", 30.3), ("tf32", 60), ("fp16", 121), ("fp8", 242)), 300),
    (r"RTX 3090", (("fp32", 35.6), ("tf32", 35.6), ("fp16", 71)), 936),
    (r"RTX 4090", (("fp32", 82.6), ("tf32", 82.6), ("fp16", 165), ("fp8", 330)), 1008),
    (r"H200", (("fp32", 66.9), ("tf32", 494.7), ("fp16", 989.4), ("fp8", 1978.9)), 4800),
    (r"H100.*PCIe", (("fp32", 51.2), ("tf32", 378), ("fp16", 756), ("fp8", 1513)), 2039),
    (r"H100", (("fp32", 66.9), ("tf32", 494.7), ("fp16", 989.4), ("fp8", 1978.9)), 3350),
    (r"B200", (("fp32", 75), ("tf32", 1100), ("fp16", 2250), ("fp8", 4500), ("fp4", 9000)), 8000),
    (r"MI210", (("fp32", 45.3), ("fp16", 181)), 1638),
    (r"MI250", (("fp32", 47.9), ("fp16", 191.5)), 1638),
    (r"MI300X", (("fp32", 163.4), ("tf32", 653.7), ("fp16", 1307.4), ("fp8", 2614.9)), 5325),
    (r"MI355X", (("fp32", 157.3), ("fp16", 2516.6), ("fp8", 5033.2), ("fp4", 10066.3)), 8000),
)

_FORMATS: tuple[tuple[str, str], ...] = (
    ("fp4", r"fp4|e2m1|f4gemm"),
    ("fp8", r"fp8|e4m3|e5m2|f8f8"),
    ("tf32", r"tf32|s1688(?!.*(?:f16|fp16))"),
    ("fp16", r"bf16|fp16|f16|half|h884|s884|h1688|16816|hmma|_BBS_|_HHS_|_HSS_|nvjet_[ht]|bfloat16"),
    ("fp32", r"sgemm|ffma|fp32|f32f32|_SB_|_S_B_|simt"),
)
_FORMAT_RULES = [(name, re.compile(pattern, re.IGNORECASE if name != "fp32" else 0)) for name, pattern in _FORMATS]
_PUBLISHED_RULES = [(re.compile(pattern, re.IGNORECASE), flops, bandwidth) for pattern, flops, bandwidth in PUBLISHED]


def device_peaks(device: Device) -> Peaks | None:
    """Of a device whose name is known, else what the file claims when it can be true; None when nothing is known."""
    for pattern, flops, bandwidth in _PUBLISHED_RULES:
        if pattern.search(device.name):
            return Peaks({name: tera * _TERA for name, tera in flops}, bandwidth * _GIGA)
    flops_claim = device.peak_flops if _BELIEVABLE_FLOPS[0] <= device.peak_flops <= _BELIEVABLE_FLOPS[1] else None
    claimed = device.memory_bandwidth
    bandwidth_claim = claimed if _BELIEVABLE_BANDWIDTH[0] <= claimed <= _BELIEVABLE_BANDWIDTH[1] else None
    if flops_claim is None and bandwidth_claim is None:
        return None
    return Peaks({} if flops_claim is None else {"fp16": flops_claim}, bandwidth_claim)


@lru_cache(maxsize=65536)
def number_format(kernel: str) -> str | None:
    """The format of the numbers that a product kernel multiplies, as its name tells; None when it does not."""
    return next((name for name, pattern in _FORMAT_RULES if pattern.search(kernel[:4096])), None)
