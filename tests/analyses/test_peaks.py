"""Peaks of known devices, claims that cannot be true, number formats in names, and the share of a peak that a kernel reaches."""

from __future__ import annotations

import pytest

from analyses.product_profiles import product
from analyses.timeline import Timeline
from figures import figures
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.devices.peaks import ANY, CLAIMED, GENERATION, NO_PEAKS, device_peaks, peaks_text
from stepscope.analyses.devices.table import PUBLISHED
from stepscope.analyses.work.kernels import kernels
from stepscope.model.profile import Device, SpanKind


@pytest.mark.parametrize(
    ("name", "fp16", "bandwidth"),
    [
        ("Tesla V100-DGXS-32GB", 125e12, 900e9),
        ("NVIDIA A100-SXM4-80GB", 312e12, 2039e9),
        ("NVIDIA A100-PG509-200", 312e12, 1555e9),
        ("NVIDIA H100 80GB HBM3", 989.4e12, 3350e9),
        ("NVIDIA H100 PCIe", 756e12, 2039e9),
        ("NVIDIA B200", 2250e12, 8000e9),
        ("AMD Instinct MI300X", 1307.4e12, 5325e9),
    ],
)
def test_known_devices(name: str, fp16: float, bandwidth: float) -> None:
    peaks = device_peaks(Device(name, "GPU", 0))
    assert (peaks.flops["fp16"], peaks.bandwidth) == (pytest.approx(fp16), pytest.approx(bandwidth))


def test_claims_of_unknown_devices_must_be_believable() -> None:
    assert device_peaks(Device("new", "GPU", 0)) == NO_PEAKS
    assert device_peaks(Device("new", "GPU", 0, peak_flops=1e30, memory_bandwidth=1.0)) == NO_PEAKS
    claimed = device_peaks(Device("new", "GPU", 0, peak_flops=5e14, memory_bandwidth=3e12))
    assert (claimed.flops, claimed.bandwidth) == ({ANY: 5e14}, 3e12)
    assert (claimed.flops_from, claimed.bandwidth_from) == (CLAIMED, CLAIMED)


def test_a_device_without_a_name_is_known_by_everything_else() -> None:
    facts = {"compute_capability": (9, 4), "multiprocessors": 304, "clock_hz": 2.1e9, "memory_bandwidth": 2.66e12, "vendor": "AMD"}
    mi300x = device_peaks(Device("", "GPU", 0, memory_bytes=206_000_000_000, **facts))
    assert (mi300x.bandwidth, mi300x.bandwidth_from) == (5325e9, PUBLISHED), "not the half that the file claims"
    unsure = device_peaks(Device("", "GPU", 0, **facts))
    assert (unsure.flops_from, unsure.bandwidth, unsure.bandwidth_from) == (GENERATION, 2.66e12, CLAIMED), "two devices fit"
    assert unsure.flops["fp16"] == pytest.approx(1307.4e12, rel=0.001)


def test_a_sentence_says_what_is_known_and_what_to_do() -> None:
    new, a100 = Device("New 1", "GPU", 0), Device("A100-80GB", "GPU", 0)
    unknown = peaks_text(new, device_peaks(new))
    assert "New 1" in unknown
    assert "devices.toml" in unknown
    assert figures(peaks_text(a100, device_peaks(a100))) == [100, 80, 19.5, 32, 156, 32, 312, 16, 2039]
    claims = Device("New 2", "GPU", 0, multiprocessors=10, clock_hz=1e9, compute_capability=(7, 5), memory_bandwidth=1e11)
    assert figures(peaks_text(claims, device_peaks(claims))) == [2, 1.28, 32, 10.24, 16, 100]
    only = Device("New 3", "GPU", 0, memory_bandwidth=1e11)
    assert figures(peaks_text(only, device_peaks(only))) == [3, 100]
    other = Device("New 4", "GPU", 0, peak_flops=1e12)
    assert figures(peaks_text(other, device_peaks(other))) == [4, 1]


def test_levels_of_memory_from_the_nearest_on() -> None:
    levels = device_peaks(Device("NVIDIA A100-SXM4-80GB", "GPU", 0)).levels
    assert [(level.name, round(level.bandwidth / 1e9)) for level in levels] == [("Shared memory", 19_492), ("L2", 7219)]
    assert device_peaks(Device("new", "GPU", 0)).levels == ()


def test_the_longest_kernel_of_an_operation_does_its_arithmetic() -> None:
    profile = product("ampere_bf16_s16816gemm_bf16_128x64", "NVIDIA A100-SXM4-80GB")
    gemm, reduce = kernels(profile, break_down(profile))
    assert (gemm.flops, reduce.flops) == (2e9, None)
    position = gemm.position
    assert (position.flops_from, position.peaks_from) == ("shapes", "published")
    assert position.flops_share == pytest.approx(2e9 / 100e-6 / 312e12)
    assert (position.bytes, position.bytes_from) == (3 * 1000 * 1000 * 2, "shapes"), "two factors and a result of two bytes each"
    assert position.bytes_per_second == pytest.approx(6e6 / 100e-6)
    assert position.intensity == pytest.approx(2e9 / 6e6)
    assert position.ridge == pytest.approx(312e12 / 2039e9)
    assert (position.bound_by, position.roof_share) == ("compute", position.flops_share)
    assert reduce.position.intensity is None


def test_no_share_of_an_unknown_peak() -> None:
    for name, device in (("some_gemm", "NVIDIA A100"), ("ampere_bf16_s16816gemm", "unheard of")):
        profile = product(name, device)
        assert kernels(profile, break_down(profile))[0].position.flops_share is None


def test_which_roof_is_nearer() -> None:
    builder = Timeline()
    op = builder.op("dot.1", flops=312e12 * 1e-6 * 0.5, bytes=2039e9 * 1e-6 * 0.9)
    builder.span("gpu 0", 0, 1_000, SpanKind.KERNEL, "ampere_bf16_s16816gemm", op=op)
    profile = builder.build()
    profile.devices[0] = Device("A100-80GB", "GPU", 0)
    (row,) = kernels(profile, break_down(profile))
    position = row.position
    assert (position.flops_share, position.bandwidth_share) == (pytest.approx(0.5), pytest.approx(0.9))
    assert (position.bound_by, position.roof_share) == ("memory", pytest.approx(0.9))
    assert position.intensity is not None
    assert position.ridge is not None
    assert position.intensity < position.ridge


def test_the_longest_kernel_of_an_operation_does_what_its_program_says() -> None:
    builder = Timeline()
    op = builder.op("conv.1", flops=1e6, bytes=1e3)
    for run in range(3):
        builder.span("gpu 0", run * 1_000, run * 1_000 + 100, SpanKind.KERNEL, "columns", op=op)
        builder.span("gpu 0", run * 1_000 + 100, run * 1_000 + 600, SpanKind.KERNEL, "ampere_bf16_s16816gemm", op=op)
    profile = builder.build()
    gemm, columns = kernels(profile, break_down(profile))
    assert (gemm.flops, gemm.position.flops_ns, gemm.position.flops_from) == (3e6, 1500, "recorded")
    assert columns.flops is None
    assert gemm.bytes is None, "bytes cannot be divided among kernels"
    assert columns.bytes is None


def test_devices_of_one_kind_share_their_peaks_and_others_do_not() -> None:
    builder = Timeline()
    op = builder.op("dot.1", flops=1e6, bytes=1e6)
    for device in ("gpu 0", "gpu 1"):
        builder.span(device, 0, 1_000, SpanKind.KERNEL, "ampere_bf16_s16816gemm", op=op)
    profile = builder.build()
    profile.devices[:] = [Device("A100-80GB", "GPU", 0), Device("A100-80GB", "GPU", 1)]
    assert kernels(profile, break_down(profile))[0].position.peak_flops == 312e12
    profile.devices[1] = Device("H100", "GPU", 1)
    assert kernels(profile, break_down(profile))[0].position.peak_flops is None
