"""Arithmetic of every span of the devices: what its operation tells, else what shapes tell, and the time at the device's peak."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyses.product_profiles import A100, TENSOR, product, trained
from stepscope.analyses.roofline.span_work import WorkOfSpans, work_of_spans
from stepscope.analyses.work.operation_costs import recorded_costs
from stepscope.model.profile import Device, Profile

FLOPS = 312e12 * 1e-3 * 0.01


def work(profile: Profile) -> WorkOfSpans:
    return work_of_spans(profile, recorded_costs(profile), ())


def test_the_cost_of_an_execution_is_that_of_its_span() -> None:
    found = work(trained())
    assert found.flops == pytest.approx([FLOPS] * 4)
    assert found.length.tolist() == [100_000] * 4
    # A hundredth of what the device can do in a millisecond takes it 10 microseconds.
    assert found.best_ns == pytest.approx([10_000] * 4)
    assert (found.devices, found.rematerialised.any()) == (1, False)


def test_a_device_without_a_known_peak_has_no_shortest_time() -> None:
    found = work(trained(Device("some device", "GPU", 0)))
    assert found.flops == pytest.approx([FLOPS] * 4)
    assert np.isnan(found.best_ns).all()


def test_a_kernel_on_plain_units_is_held_against_their_peak() -> None:
    plain = work(trained(kernel="ampere_sgemm_128x64_nn"))
    # 312 TFLOP/s in bf16 on matrix units, 19.5 TFLOP/s in fp32 without them.
    assert plain.best_ns / work(trained()).best_ns == pytest.approx([16.0] * 4)


def test_shapes_tell_what_operations_do_not() -> None:
    found = work(product(TENSOR, A100.name))
    assert found.flops[0] == 2 * 1_000**3
    assert np.isnan(found.flops[1])


def test_nothing_ran_on_a_profile_of_threads_alone() -> None:
    profile = product(TENSOR, A100.name)
    host = replace(profile, tracks=[replace(track, last_row=track.first_row) for track in profile.tracks if track.device >= 0])
    found = work(host)
    assert (len(found.flops), found.devices) == (0, 0)
