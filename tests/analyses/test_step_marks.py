"""Marks of steps beside a profiler's own: annotations, numbers on spans, the optimizer and the loader."""

from __future__ import annotations

from analyses.timeline import MS, Timeline
from stepscope.analyses.step_marks import Marks, find_marks
from stepscope.model.profile import MarkerFamily, Profile, SpanKind

LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"


def marks(profile: Profile) -> list[tuple[MarkerFamily, str, list[float], list[float]]]:
    def facts(one: Marks) -> tuple[MarkerFamily, str, list[float], list[float]]:
        return one.family, one.name, (one.start / MS).tolist(), (one.end / MS).tolist()

    return [facts(one) for one in find_marks(profile)]


def test_annotations_of_one_loop_are_one_source_whatever_their_numbers() -> None:
    line = Timeline()
    for place, name in enumerate(("step[EXTEND bs=1 toks=9]", "step[DECODE bs=1]", "forward")):
        line.span("main", place * MS, (place + 1) * MS, SpanKind.ANNOTATION, name)
    assert marks(line.build()) == [(MarkerFamily.STEP_ANNOTATION, "step", [0, 1], [1, 2])]


def test_every_span_may_tell_its_step() -> None:
    line = Timeline()
    for place in range(6):
        line.span("main", place * MS, (place + 1) * MS, SpanKind.OTHER, "work", step=place // 2)
    assert marks(line.build()) == [(MarkerFamily.STEP_NUM, "args.step", [0, 2, 4], [2, 4, 6])]


def test_numbers_that_come_again_are_no_steps() -> None:
    line = Timeline()
    for place in range(6):
        line.span("main", place * MS, (place + 1) * MS, SpanKind.OTHER, "work", step=place % 2)
    assert marks(line.build()) == []


def test_a_step_ends_with_its_optimizer() -> None:
    line = Timeline()
    line.span("main", 0, MS, SpanKind.OP, "aten::mm")
    for place in (2, 5, 8):
        line.span("main", place * MS, (place + 1) * MS, SpanKind.ANNOTATION, "Optimizer.step#SGD.step")
    assert marks(line.build()) == [(MarkerFamily.LOOP_MARK, "Optimizer.step#SGD.step", [0, 3, 6], [3, 6, 9])]


def test_the_loaders_last_call_finds_the_end_of_the_data() -> None:
    line = Timeline()
    for place in (0, 3, 6):
        line.span("main", place * MS, (place + 1) * MS, SpanKind.INPUT, LOADER)
        line.span("main", (place + 1) * MS, (place + 3) * MS, SpanKind.OP, "aten::mm")
    whole = marks(line.build())
    line.span("main", 9 * MS, 9 * MS + 1000, SpanKind.INPUT, LOADER)
    assert marks(line.build()) == whole == [(MarkerFamily.LOOP_MARK, LOADER, [0, 3, 6], [3, 6, 9])]
