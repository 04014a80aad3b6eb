"""Casts and layouts (`conversions`), copies, the largest operation, optimizers and recomputation, on drawn steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyses.timeline import MS, Timeline, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.devices.peaks import Peaks
from stepscope.analyses.rank_spans import RankSpans
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.conversions import Conversions, conversions
from stepscope.analyses.work.exposed_copies import copies_between_devices, exposed_copies
from stepscope.analyses.work.largest_operation import largest_operation, roof_of
from stepscope.analyses.work.optimizer_updates import OptimizerUpdates, optimizer_updates
from stepscope.analyses.work.recomputation import free_memory, recomputed
from stepscope.model.profile import NONE, CopyDirection, MemoryKind, Profile, SpanKind

FOUR_STEPS = "main    1111111111222222222233333333334444444444"


def drawn(host: str, device: str, **names: str) -> Profile:
    """Four steps of 10 ms."""
    return Timeline().draw(f"{FOUR_STEPS}\nmain    {host * 4}\ngpu 0   {device * 4}", **names).build()


def spans_of(profile: Profile) -> RankSpans:
    return RankSpans(profile, break_down(profile))


def named(profile: Profile, rows: np.ndarray) -> set[str]:
    return {profile.names[profile.spans.name[row]] for row in rows}


def converted(**kernels: str) -> tuple[Profile, Conversions]:
    profile = drawn("l.l.l.....", ".KKLLLLLMM", **kernels)
    return profile, conversions(profile, break_down(profile), spans_of(profile))


def test_layouts_there_and_back_are_no_one_way() -> None:
    profile, both = converted(K="nchwToNhwcKernel", L="conv", M="nhwcToNchwKernel")
    assert named(profile, both.rows) == {"nchwToNhwcKernel", "nhwcToNchwKernel"}
    steps = len(break_down(profile).typical)
    assert (both.one_way, both.compute_ns, both.nameless_ns) == (False, 9 * MS * steps, 0)
    assert both.convolutions(spans_of(profile))
    _, one = converted(K="nchwToNhwcKernel", L="conv", M="add")
    assert one.one_way
    profile, none = converted(K="gemm", L="relu", M="fusion_3")
    assert (len(none.rows), none.nameless_ns) == (0, 2 * MS * steps)
    assert not none.convolutions(spans_of(profile))


def copied(memory: MemoryKind) -> Profile:
    profile = drawn("l.l.......", ".HHHKKKK..")
    return replace(profile, copies=replace(profile.copies, source_memory=np.full(len(profile.copies.row), memory, np.int8)))


def test_copies_that_nothing_hides() -> None:
    profile = copied(MemoryKind.PAGEABLE)
    breakdown = break_down(profile)
    found = exposed_copies(profile, breakdown, TimeClass.H2D)
    assert len(found.rows) == len(breakdown.typical)
    assert (found.host_memory, found.on_computing_streams, found.asked_by) == (frozenset({MemoryKind.PAGEABLE}), True, NONE)
    assert found.largest_bytes == 0, "the file tells no size"
    assert len(copies_between_devices(profile, breakdown)) == 0


def test_copies_between_devices_are_told_by_their_direction() -> None:
    profile = drawn("l.l.......", ".PPPKKKK..")
    assert set(profile.copies.direction.tolist()) == {CopyDirection.PEER}
    breakdown = break_down(profile)
    assert len(copies_between_devices(profile, breakdown)) == len(breakdown.typical)


def test_the_largest_operation_is_the_one_with_most_time_of_its_own() -> None:
    profile = drawn("l.l.......", ".KKKLLLLLL", K="gemm", L="relu")
    found = largest_operation(profile, break_down(profile), spans_of(profile))
    assert found is not None
    assert (found.name, named(profile, found.rows)) == ("relu", {"relu"})
    idle = timeline("main   1111222233334444\nmain   p...p...p...p...")
    assert largest_operation(idle, break_down(idle), spans_of(idle)) is None


@pytest.mark.parametrize(("flops", "bytes_", "least_ms", "bound"), [(4e9, 1e6, 4, "arithmetic"), (1e6, 2e9, 2, "memory")])
def test_the_roof_is_the_slower_of_arithmetic_and_bytes(flops: float, bytes_: float, least_ms: float, bound: str) -> None:
    line = Timeline()
    op = line.op("dot", "MatMul", flops=flops, bytes=bytes_)
    for step in range(4):
        line.span("main", step * 10 * MS, (step + 1) * 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        line.span("gpu 0/7", step * 10 * MS, (step * 10 + 8) * MS, SpanKind.KERNEL, "gemm", op=op)
    profile = line.build()
    breakdown = break_down(profile)
    largest = largest_operation(profile, breakdown, spans_of(profile))
    assert largest is not None
    roof = roof_of(profile, breakdown, largest, Peaks({"fp32": 1e12}, 1e12))
    assert roof is not None
    runs = len(largest.rows)
    assert (roof.least_ns, roof.took_ns, roof.bound_by) == (pytest.approx(runs * least_ms * MS), runs * 8 * MS, bound)
    assert roof_of(profile, breakdown, largest, Peaks({}, None)) is None


def test_an_update_has_as_many_kernels_as_are_launched_inside_it() -> None:
    profile = timeline(
        f"{FOUR_STEPS}\nmain    {'l....nnnnn' * 4}\nmain    {'.....l.l.l' * 4}\ngpu 0   {'.K....L.MK' * 4}",
        n="Optimizer.step#SGD.step", L="elementwise", M="elementwise",
    )  # fmt: skip
    found = optimizer_updates(profile, break_down(profile), spans_of(profile))
    assert len(found.updates) == 4
    assert (found.each, found.at_once) == (3.0, False), "the first of the four kernels of a step is launched before"


def test_updates_without_a_device_count_outermost_operations() -> None:
    profile = timeline(
        f"{FOUR_STEPS}\nmain    {'o....nnnnn' * 4}\nmain    {'.....oo.oo' * 4}", n="Optimizer.step#SGD.step", o="aten::_foreach_add_"
    )
    found = optimizer_updates(profile, break_down(profile), spans_of(profile))
    assert found == OptimizerUpdates(found.updates, 2.0, True)


def test_what_torch_computes_again_is_known_by_what_is_around_it() -> None:
    profile = timeline(
        f"{FOUR_STEPS}\nmain    {'l..ppppp..' * 4}\nmain    {'...l......' * 4}\ngpu 0   {'.KK..LLL..' * 4}",
        p="torch/utils/checkpoint.py(12): unpack_hook", K="first", L="again",
    )  # fmt: skip
    breakdown = break_down(profile)
    rows = recomputed(profile, breakdown, spans_of(profile))
    kernels = rows[profile.spans.kind[rows] == SpanKind.KERNEL]
    assert (named(profile, kernels), len(kernels)) == ({"again"}, len(breakdown.typical))
    plain = drawn("l..l......", ".KK..LLL..")
    assert len(recomputed(plain, break_down(plain), spans_of(plain))) == 0
    assert free_memory(plain) is None
