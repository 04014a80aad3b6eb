"""Questions about the spans of one rank, on drawn steps of which every answer can be counted."""

from __future__ import annotations

import numpy as np

from analyses.timeline import MS, Timeline, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.rank_spans import RankSpans, SpanReference
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Profile, SpanKind
from stepscope.model.span_names import NameRole

PICTURE = "\n".join(
    [
        "main    " + "".join(str(step) * 10 for step in (1, 2, 3)),
        "main    " + "iiiol....." * 3,
        "gpu 0   " + ".....KKKLL" * 3,
    ]
)
PROFILE = timeline(PICTURE, i="load", o="aten::conv2d", K="gemm", L="relu")


def of(profile: Profile) -> RankSpans:
    return RankSpans(profile, break_down(profile))


def kinds(rows: np.ndarray) -> list[str]:
    return [PROFILE.names[PROFILE.spans.name[row]] for row in rows]


def test_time_that_only_some_spans_have() -> None:
    spans = of(PROFILE)
    assert spans.exposed_ns(spans.labelled(TimeClass.INPUT)) == 3 * MS
    assert spans.exposed_ns(spans.labelled(TimeClass.COMPUTE)) == 5 * MS
    assert spans.exposed_by_class(spans.exposed) == {
        TimeClass.COMPUTE: 5 * MS, TimeClass.INPUT: 3 * MS, TimeClass.OP: MS, TimeClass.LAUNCH: MS,
    }  # fmt: skip
    typical = len(break_down(PROFILE).typical)
    assert spans.per_step(spans.labelled(TimeClass.INPUT)).sum() == typical * 3 * MS
    hidden = of(timeline("main      11112222\npool 1    oo..oo..\npool 2    ooo.ooo.", o="aten::mm"))
    assert (hidden.running_per_step(hidden.of_kind(SpanKind.OP)) / MS).tolist() == [3, 3], "also what runs beside other work"


def test_names_and_counts_come_most_first() -> None:
    spans = of(PROFILE)
    compute = spans.labelled(TimeClass.COMPUTE)
    found = list(spans.by_name(compute))
    assert [(PROFILE.names[each.key], each.ns / MS) for each in found] == [("gemm", 3), ("relu", 2)]
    assert {each.count for each in spans.counted_by_name(compute)} == {len(break_down(PROFILE).typical)}
    assert kinds(np.array([spans.longest(compute)])) == ["gemm"]


def test_rows_by_kind_and_role() -> None:
    spans = of(PROFILE)
    assert len(spans.of_kind(SpanKind.KERNEL)) == 6
    assert len(spans.of_kind(SpanKind.KERNEL, SpanKind.INPUT)) == 9
    assert kinds(spans.find(NameRole.CONVOLUTION, SpanKind.OP)) == ["aten::conv2d"] * 3
    assert len(spans.find(NameRole.CONVOLUTION, SpanKind.KERNEL)) == 0
    assert len(spans.named(spans.of_kind(SpanKind.OP), NameRole.CONVOLUTION)) == 3
    assert spans.linked
    assert not of(timeline("main   11\nmain   o.\ngpu 0  .K")).linked


def test_spans_within_others_begin_inside_them_on_their_track() -> None:
    spans = of(PROFILE)
    steps = np.flatnonzero(PROFILE.spans.kind == SpanKind.MARKER)
    host = np.flatnonzero(PROFILE.spans.kind != SpanKind.MARKER)
    inside = spans.within(steps[1:2], host)
    assert sorted(kinds(inside)) == ["aten::conv2d", "l", "load"]
    assert ((PROFILE.spans.start[inside] >= 10 * MS) & (PROFILE.spans.start[inside] < 20 * MS)).all()
    assert len(spans.within(steps[:0], host)) == 0


def test_the_longest_of_a_step_and_where_to_look() -> None:
    spans = of(PROFILE)
    row = spans.longest_in_step(1, TimeClass.COMPUTE)
    assert spans.reference(4, row) == SpanReference(4, 1, row, row + 1, 15 * MS, 18 * MS)
    assert spans.length_ns(row) == 3 * MS
    assert spans.longest_in_step(1, TimeClass.COMM) == NONE
    assert spans.reference(0, NONE) is None


def test_callers_are_the_operation_and_the_function_around_it() -> None:
    profile = timeline("main   1111\nmain   pppp\nmain   .oo.\nmain   .l..\ngpu 0  ..KK", p="train.py(1): step", o="aten::mm")
    launch = int(np.flatnonzero(profile.spans.kind == SpanKind.RUNTIME)[0])
    found = of(profile).callers(launch)
    assert [profile.names[profile.spans.name[row]] for row in found] == ["l", "aten::mm", "train.py(1): step"]


def releases(*, allocates: bool) -> Profile:
    """Four steps that give memory back to the device, and then may take some again."""
    line = Timeline().draw("main   1111222233334444\nmain   a...a...a...a...", a="cudaFree")
    for step in range(4 if allocates else 0):
        line.span("main", (4 * step + 2) * MS, (4 * step + 3) * MS, SpanKind.ALLOC, "cudaMalloc")
    return line.build()


def test_memory_is_given_back_in_a_step_only_to_make_room() -> None:
    assert len(of(releases(allocates=False)).retries) == 0
    profile = releases(allocates=True)
    found = of(profile).retries
    assert len(found) == len(break_down(profile).typical) > 0
    assert {profile.names[profile.spans.name[row]] for row in found} == {"cudaFree"}
