"""Rooflines with answers by hand: positions, utilisation of a step, levels of memory and what cannot be."""

from __future__ import annotations

from dataclasses import replace

import pytest

import hlo_bytes as hb
from analyses.product_profiles import A100, TENSOR, product, trained
from analyses.timeline import MS, Timeline
from opened_profiles import open_profile
from sample_files import JAX_CAPTURE, SAMPLES, needs_samples
from stepscope._native import read_hlo
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.devices.position import RooflinePosition
from stepscope.analyses.roofline.roofline import Roofline, roofline, use_sentence
from stepscope.formats.programs import read_programs
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Device, Profile, SpanKind


def of(profile: Profile, *programs: HloProgram) -> Roofline:
    return roofline(profile, break_down(profile), programs)


class TestPosition:
    def test_beneath_the_slope(self) -> None:
        position = RooflinePosition(1e9, 1_000_000, "HLO", 1e9, 1_000_000, "HLO", peak_flops=1e14, peak_bandwidth=2e12)
        assert (position.intensity, position.ridge) == (1, 50)
        assert (position.flops_per_second, position.bytes_per_second) == (1e12, 1e12)
        assert (position.bound_by, position.roof_share) == ("memory", 0.5)

    def test_beneath_the_flat_roof(self) -> None:
        position = RooflinePosition(1e11, 1_000_000, "HLO", 1e9, 1_000_000, "HLO", peak_flops=2e14, peak_bandwidth=2e12)
        assert (position.bound_by, position.roof_share) == ("compute", 0.5)

    def test_without_arithmetic_memory_is_the_roof(self) -> None:
        position = RooflinePosition(0.0, 10, "HLO", 100.0, 10, "HLO", peak_bandwidth=2e10)
        assert (position.bound_by, position.roof_share, position.intensity) == ("memory", 0.5, 0)

    def test_what_is_unknown_stays_unknown(self) -> None:
        empty = RooflinePosition()
        assert [empty.flops_per_second, empty.intensity, empty.ridge, empty.roof_share, empty.bound_by] == [None] * 5
        half = RooflinePosition(1e9, 1_000, "shapes", peak_flops=1e14, peak_bandwidth=1e12)
        assert (half.flops_share, half.roof_share, half.bound_by) == (pytest.approx(10), None, None)
        assert RooflinePosition(1e9, 0, "shapes").flops_per_second is None


def test_utilisation_of_a_step_by_hand() -> None:
    use = of(trained()).use
    assert use is not None
    assert (use.step_ns, use.devices, use.known_share) == (MS, 1, 1)
    assert use.flops == pytest.approx(3.12e9)
    assert use.flops_per_second == pytest.approx(3.12e12)
    assert use.mfu == use.hfu == pytest.approx(0.01)


def partly_known(unknown_ns: int) -> Profile:
    """A product of 0.1 ms beside work of unknown arithmetic."""
    builder = Timeline().draw("main   1234")
    op = builder.op("dot.1", flops=312e12 * 1e-3 * 0.01)
    for run in range(4):
        builder.span("gpu 0", run * MS + 100_000, run * MS + 200_000, SpanKind.KERNEL, TENSOR, op=op)
        builder.span("gpu 0", run * MS + 200_000, run * MS + 200_000 + unknown_ns, SpanKind.KERNEL, "mystery")
    profile = builder.build()
    profile.devices[0] = A100
    return profile


def test_work_of_unknown_arithmetic_makes_it_a_lower_bound() -> None:
    found = of(partly_known(25_000))
    assert found.use is not None
    assert (found.use.mfu, found.use.known_share) == (pytest.approx(0.01), 0.8)
    assert "MFU at least 1.0%" in use_sentence(found.use)
    assert any("80%" in note for note in found.notes)


def test_of_too_few_flops_there_is_no_utilisation() -> None:
    found = of(partly_known(300_000))
    assert found.use is not None
    assert (found.use.mfu, found.use.hfu, found.use.known_share) == (None, None, 0.25)
    assert "25%" in use_sentence(found.use)
    assert any("record_shapes=True" in note for note in found.notes)
    assert not any("may be higher" in note for note in found.notes)


def test_two_devices_share_the_step() -> None:
    builder = Timeline().draw("main   1234")
    op = builder.op("dot.1", flops=312e12 * 1e-3 * 0.01)
    for run in range(4):
        for device in ("gpu 0", "gpu 1"):
            builder.span(device, run * MS + 100_000, run * MS + 200_000, SpanKind.KERNEL, TENSOR, op=op)
    profile = builder.build()
    profile.devices[:] = [A100, replace(A100, ordinal=1)]
    found = of(profile)
    assert found.use is not None
    assert (found.use.devices, found.use.mfu) == (2, pytest.approx(0.01))
    assert found.use.flops == pytest.approx(2 * 3.12e9)
    assert [(roof.device, roof.count) for roof in found.roofs] == [(A100.name, 2)]


def test_steps_that_are_not_typical_count_for_nothing() -> None:
    builder = Timeline().draw("main   123444444444")
    op = builder.op("dot.1", flops=1e9)
    for at in (0, 1, 2, 3):
        builder.span("gpu 0", at * MS, at * MS + 1_000, SpanKind.KERNEL, TENSOR, op=op)
    builder.span("gpu 0", 5 * MS, 5 * MS + 1_000, SpanKind.KERNEL, TENSOR, op=op)
    profile = builder.build()
    profile.devices[0] = A100
    divided = break_down(profile)
    assert divided.typical == (0, 1, 2)
    found = roofline(profile, divided).use
    assert found is not None
    assert found.flops == pytest.approx(1e9)


def test_roofs_have_formats_bandwidth_and_nearer_memories() -> None:
    (roof,) = of(trained()).roofs
    assert list(roof.flops) == ["fp32", "tf32", "fp16"]
    assert roof.bandwidth == 2039e9
    assert [level.name for level in roof.levels] == ["Shared memory", "L2"]


def test_products_of_known_shapes_are_points_and_others_are_not() -> None:
    found = of(product(TENSOR, "NVIDIA A100-SXM4-80GB"))
    (point,) = found.points
    assert (point.name, point.detail) == ("aten::mm", TENSOR)
    assert point.position.intensity == pytest.approx(2e9 / 6e6)
    assert point.share == pytest.approx(100 / 101)


def test_an_unknown_device_has_no_roof_and_is_named() -> None:
    found = of(trained(Device("New 7", "GPU", 0)))
    assert found.roofs == ()
    assert found.use is not None
    assert found.use.mfu is None
    assert any("New 7" in note for note in found.notes)


def test_more_than_the_roof_is_said() -> None:
    builder = Timeline()
    op = builder.op("dot.1", flops=1e12, bytes=1.0)
    builder.span("gpu 0", 0, 1_000, SpanKind.KERNEL, TENSOR, op=op)
    profile = builder.build()
    profile.devices[0] = A100
    found = of(profile)
    assert found.points[0].implausible
    assert any("impossible" in note for note in found.notes)


def test_nothing_known_says_what_to_record() -> None:
    builder = Timeline()
    builder.span("gpu 0", 0, 1_000, SpanKind.KERNEL, "mystery")
    found = of(builder.build())
    assert (found.points, found.use) == ((), None)
    assert any("record_shapes=True" in note for note in found.notes)


def test_what_is_computed_again_is_not_model_arithmetic() -> None:
    square = hb.shape(hb.BF16, 1000, 1000)
    again = hb.instruction(3, "dot", square, hb.dot((1,), (0,)), name="dot.3.remat", operands=(1, 1))
    first = hb.instruction(2, "dot", square, hb.dot((1,), (0,)), name="dot.2", operands=(1, 1))
    entry = hb.computation(1, 3, hb.parameter(1, 0, square), first, again)
    program = replace(HloProgram(**read_hlo(hb.program(entry, entry=1))), name="jit_f")
    builder = Timeline().draw("main   1234")
    ops = [builder.op(name, program="jit_f") for name in ("dot.2", "dot.3.remat")]
    for run in range(4):
        for place, op in enumerate(ops):
            builder.span("gpu 0", run * MS + place * 200_000, run * MS + place * 200_000 + 100_000, SpanKind.KERNEL, f"k{place}", op=op)
    profile = builder.build()
    profile.devices[0] = A100
    found = of(profile, program)
    assert found.use is not None
    assert found.use.mfu == pytest.approx(2e9 / 312e12 / 1e-3)
    assert found.use.hfu == pytest.approx(2 * 2e9 / 312e12 / 1e-3)
    assert [(point.name, point.rematerialised, point.position.flops_from) for point in found.points] == [
        ("dot.2", False, "HLO"),
        ("dot.3.remat", True, "HLO"),
    ]


def test_compiled_programs_of_a_cpu_have_points_and_no_roof() -> None:
    (profile,) = open_profile(str(JAX_CAPTURE))
    found = of(profile, *read_programs(profile)[0])
    assert {point.name for point in found.points} == {"ynn_fusion", "multiply_select_fusion", "dot", "multiply_subtract_fusion"}
    assert all(point.position.intensity is not None and point.position.roof_share is None for point in found.points)
    assert found.roofs == ()
    assert found.use is not None
    assert found.use.flops > 0


@needs_samples
def test_the_convolution_of_a_real_device() -> None:
    (profile,) = open_profile(str(SAMPLES / "xplane" / "mi300_jax_conv" / "tw003.xplane.pb"))
    found = of(profile, *read_programs(profile)[0])
    conv = next(point for point in found.points if point.name == "cudnn-conv.1")
    assert conv.count == 40
    assert conv.position.flops_per_second == pytest.approx(104e12, rel=0.01), "XProf says 206 TFLOP/s"
    assert not any(point.implausible for point in found.points), "XProf has 120 to 137 % of the peak"
    assert [(roof.count, roof.bandwidth) for roof in found.roofs] == [(8, 5325e9)]
