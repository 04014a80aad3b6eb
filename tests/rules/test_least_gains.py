"""Where a rule needs more than the common threshold: just below it is a note or silent, just above it fires."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyses.timeline import MS, Timeline
from rules.pictures import finding, training
from stepscope.model.profile import Profile, SpanKind
from stepscope.rules.rule import Finding, Verdict

STEPS = 6
STEP = 100 * MS
COLLECTS = "main: ggggl.....; gpu 0: .....KKKKK"
BUSY = "main: l.........; gpu 0: .KKKKKKKKK"


def with_copies(share: float, *, device: bool) -> Profile:
    """Two copies into another layout take `share` of a step, the rest is a product."""
    line = Timeline()
    copies = round(share * STEP / 2)
    for step in range(STEPS):
        at = step * STEP
        line.span("main", at, at + STEP, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        for half in (at, at + STEP // 2):
            cuts = half, half + copies, half + STEP // 2
            if device:
                kernels = zip(("transpose_kernel", "gemm"), cuts, cuts[1:], strict=False)
                for place, (name, start, end) in enumerate(kernels):
                    launch = line.span("main", half + place * 1_000, half + place * 1_000 + 500, SpanKind.RUNTIME, "launch")
                    line.span("gpu 0", start, end, SpanKind.KERNEL, name, cause=launch)
            else:
                line.span("main", cuts[0], cuts[1], SpanKind.OP, "aten::contiguous")
                line.span("main", cuts[0], cuts[1] - 1, SpanKind.OP, "aten::copy_")
                line.span("main", cuts[1], cuts[2], SpanKind.OP, "aten::mm")
    return line.build()


@pytest.mark.parametrize(("share", "verdict"), [(0.0395, Verdict.NOTE), (0.0405, Verdict.FIRES)])
def test_layout_copies_on_a_cpu_cost_more_than_those_inside_of_layers(share: float, verdict: Verdict) -> None:
    assert finding("layout_round_trips", with_copies(share, device=False)).verdict is verdict


@pytest.mark.parametrize(("share", "verdict"), [(0.0295, Verdict.NOTE), (0.0305, Verdict.FIRES)])
def test_with_a_device_layout_copies_have_the_common_threshold(share: float, verdict: Verdict) -> None:
    assert finding("layout_round_trips", with_copies(share, device=True), bounds=True).verdict is verdict


def waiting(share: float, step: int, framework: str) -> Finding:
    """A loader in the training process takes `share` of a step of so many milliseconds."""
    line = Timeline()
    for number in range(STEPS):
        at = number * step * MS
        line.span("main", at, at + step * MS, SpanKind.MARKER, f"ProfilerStep#{number}", step=number)
        ready = at + round(share * step * MS)
        line.span("main", at, ready, SpanKind.INPUT, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
        line.span("main", ready, at + step * MS, SpanKind.OP, "aten::mm")
    return finding("input_bound", replace(line.build(), framework=framework), cores=8, bounds=True)


@pytest.mark.parametrize(("share", "verdict"), [(0.079, Verdict.NOTE), (0.081, Verdict.FIRES)])
def test_a_wait_that_is_too_short_for_a_worker_process(share: float, verdict: Verdict) -> None:
    assert waiting(share, 30, "PyTorch").verdict is verdict, "2.4 ms, of which taking a batch over from a worker would leave most"


@pytest.mark.parametrize(("share", "verdict"), [(0.029, Verdict.NOTE), (0.031, Verdict.FIRES)])
@pytest.mark.parametrize(("step", "framework"), [(200, "PyTorch"), (30, "TensorFlow")])
def test_other_waits_have_the_common_threshold(share: float, verdict: Verdict, step: int, framework: str) -> None:
    assert waiting(share, step, framework).verdict is verdict, "a long one, and one of a loader that needs no worker processes"


@pytest.mark.parametrize(("hit", "verdict"), [(1, Verdict.QUIET), (2, Verdict.FIRES)])
def test_a_single_garbage_collection_is_no_pattern(hit: int, verdict: Verdict) -> None:
    profile = training(*[BUSY] * (STEPS - hit), *[COLLECTS] * hit)
    assert finding("garbage_collection", profile).verdict is verdict
