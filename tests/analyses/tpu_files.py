"""A TPU's profile, made by hand after the published format."""

from __future__ import annotations

from pathlib import Path

import xspace_bytes as xb
from stepscope.formats.format import Limits
from stepscope.formats.xplane import FORMAT
from stepscope.model.profile import Profile

US = 1_000_000
"""Picoseconds in a microsecond."""


def tpu_profile(folder: Path, *, flops: int | None = 2_000_000, peak: float = 0.4) -> Profile:
    """Three steps of 100 µs: infeed 10, a fusion 50 with a second one of 10 inside a loop, all-reduce 15, outfeed 5, idle 10."""
    plane = xb.Plane("/device:TPU:0").set(device_type_string="TPU v5 lite", peak_teraflops_per_second=peak)
    cost = {"flops": flops} if flops is not None else {}
    plane.describe("%fusion.1 = …", "fusion.1", hlo_category="ref:convolution fusion", **cost)
    plane.describe("%while.1 = …", "while.1", hlo_category="ref:while", **({"flops": 99_000_000} if cost else {}))
    plane.describe("%infeed.2 = …", "infeed.2", hlo_category="ref:infeed")
    plane.describe("%outfeed.2 = …", "outfeed.2", hlo_category="ref:outfeed")
    plane.describe("%all-reduce.9 = …", "all-reduce.9", hlo_category="ref:all-reduce")
    plane.line("Steps", *(plane.event(str(step), step * 100 * US, 100 * US) for step in range(3)), id=1)
    events = []
    for step in range(3):
        at = step * 100 * US
        events += [
            plane.event("%infeed.2 = …", at, 10 * US),
            plane.event("%fusion.1 = …", at + 10 * US, 50 * US),
            plane.event("%while.1 = …", at + 60 * US, 10 * US),
            plane.event("%fusion.1 = …", at + 61 * US, 8 * US),
            plane.event("%all-reduce.9 = …", at + 70 * US, 15 * US),
            plane.event("%outfeed.2 = …", at + 85 * US, 5 * US),
        ]
    plane.line("XLA Ops", *events, id=3)
    return FORMAT.read(xb.write(folder, xb.space(plane)), Limits())
