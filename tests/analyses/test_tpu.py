"""A TPU's step in parts, from a file made by hand after the published format."""

from __future__ import annotations

from pathlib import Path

import pytest

import xspace_bytes as xb
from analyses.timeline import Timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.tpu import TpuStep, tpu_step
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


def step_of(folder: Path, *, flops: int | None = 2_000_000, peak: float = 0.4) -> TpuStep | None:
    profile = tpu_profile(folder, flops=flops, peak=peak)
    return tpu_step(profile, break_down(profile))


def test_the_parts_sum_to_the_step(tmp_path: Path) -> None:
    found = step_of(tmp_path)
    assert found is not None
    assert (found.devices, found.step_ns) == (1, 100_000)
    assert (found.infeed_ns, found.outfeed_ns, found.communication_ns) == (10_000, 5_000, 15_000)
    assert (found.compute_ns, found.copy_ns, found.idle_ns) == (60_000, 0, 10_000)


def test_the_use_of_the_matrix_unit_counts_what_a_loop_holds_once(tmp_path: Path) -> None:
    found = step_of(tmp_path)
    assert found is not None
    assert found.step_matrix_use == pytest.approx(4e6 / 100e-6 / 0.4e12)
    assert found.matrix_use == pytest.approx(4e6 / 60e-6 / 0.4e12)


@pytest.mark.parametrize(("flops", "peak"), [(None, 0.4), (2_000_000, 0.0)])
def test_without_arithmetic_or_a_peak_it_is_unknown(tmp_path: Path, flops: int | None, peak: float) -> None:
    found = step_of(tmp_path, flops=flops, peak=peak)
    assert found is not None
    assert (found.matrix_use, found.step_matrix_use) == (None, None)


def test_a_gpu_is_none() -> None:
    profile = Timeline().draw("main   1111\ngpu 0  KKKK").build()
    assert tpu_step(profile, break_down(profile)) is None
