"""A TPU's step in parts, from a file made by hand after the published format."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyses.timeline import Timeline
from analyses.tpu_files import tpu_profile
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.tpu import TpuStep, tpu_step


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
