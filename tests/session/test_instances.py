"""The spans behind a line of evidence and behind the rows of the tables: which they are, in which order, and one with its stack."""

from __future__ import annotations

from typing import Any

import pytest

from analyses.timeline import MS, Timeline
from session.drawn_sessions import INPUT_BOUND, analysed, drawn
from stepscope.analyses.work.kernels import KernelsBy
from stepscope.analyses.work.operations import By
from stepscope.analyses.work.transfers import TransfersBy
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.profile import CopyDirection, SpanKind
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.communication import COMMUNICATION, CommunicationWanted
from stepscope.session.parts.instances import INSTANCES, Instances, InstancesOf, InstancesOrder, InstancesWanted
from stepscope.session.parts.kernels import KERNELS, KernelsWanted
from stepscope.session.parts.ops import OPS, OpsWanted
from stepscope.session.parts.transfers import TRANSFERS, TransfersWanted


def rows_of(session: AnalysedSession, kind: SpanKind) -> list[int]:
    """As the file numbers them."""
    profile = session.profiles[0]
    return [profile.row_in_file(row) for row, each in enumerate(profile.spans.kind.tolist()) if each == kind]


def found(session: AnalysedSession, row: int) -> Instances:
    return INSTANCES.make(session, InstancesWanted(of=InstancesOf.SPAN, like=row))


def test_the_span_has_its_place_and_the_time_that_nothing_hides() -> None:
    session = drawn(names={"i": "next_batch"})
    answer = found(session, rows_of(session, SpanKind.INPUT)[1])
    assert answer.chosen is not None
    assert (answer.part, answer.chosen.name, answer.chosen.track, answer.chosen.step) == ("input", "next_batch", "main", 2)
    assert (answer.chosen.start_us, answer.chosen.duration_us) == (10_000, 3_000)
    assert answer.chosen.own_us == pytest.approx(3_000)


def test_others_of_its_name_are_most_exposed_first() -> None:
    picture = INPUT_BOUND.replace("iiilssssssiiilssssss", "iiilssssssiil.ssssss", 1)
    session = drawn(picture)
    rows = rows_of(session, SpanKind.INPUT)
    answer = found(session, rows[0])
    assert [span.row for span in answer.spans] == [rows[0], rows[2], rows[3], rows[1]]
    assert answer.total == 4
    assert answer.own_us_per_step == pytest.approx(11_000 / 4)


def test_orders_and_limits() -> None:
    session = drawn(INPUT_BOUND.replace("iiilssssssiiilssssss", "iiilssssssiil.ssssss", 1))
    rows = rows_of(session, SpanKind.INPUT)

    def listed(order: InstancesOrder, limit: int = 0) -> list[int]:
        wanted = InstancesWanted(of=InstancesOf.SPAN, like=rows[0], order=order, limit=limit)
        return [span.row for span in INSTANCES.make(session, wanted).spans]

    assert listed(InstancesOrder.START) == rows
    assert listed(InstancesOrder.LONGEST) == [rows[0], rows[2], rows[3], rows[1]]
    assert listed(InstancesOrder.START, 2) == rows[:2]


def test_what_is_around_the_span_is_innermost_first() -> None:
    session = drawn("main   11112222\nmain   pppppppp\nmain   oooooo..\nmain   .i...i..", names={"p": "train", "o": "load"})
    assert found(session, rows_of(session, SpanKind.INPUT)[0]).stack == ["load", "train"]


def test_rows_are_those_of_the_file_in_a_range_too() -> None:
    whole = drawn()
    part = analysed(whole.profiles[0], chosen="3:5")
    row = rows_of(whole, SpanKind.INPUT)[2]
    answer = found(part, row)
    assert answer.chosen is not None
    assert (answer.chosen.row, answer.chosen.step, answer.chosen.start_us) == (row, 3, 20_000)
    with pytest.raises(NotThere):
        found(part, rows_of(whole, SpanKind.INPUT)[0])


def test_a_row_that_is_not_there() -> None:
    with pytest.raises(NotThere):
        found(drawn(), 10_000)


def launching() -> AnalysedSession:
    """Three steps, in each an operation inside a function that launches two kernels and a copy."""
    line = Timeline()
    for step in range(3):
        at = step * 10 * MS
        line.span("main", at, at + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        line.span("main", at, at + 9 * MS, SpanKind.PYTHON, "train.py(3): fit")
        line.span("main", at, at + 4 * MS, SpanKind.OP, "aten::mm")
        launch = line.span("main", at + MS, at + 2 * MS, SpanKind.RUNTIME, "cudaLaunchKernel")
        line.span("gpu 0/7", at + 2 * MS, at + (3 + step) * MS, SpanKind.KERNEL, "gemm", cause=launch)
        line.span("gpu 0/7", at + 6 * MS, at + 8 * MS, SpanKind.KERNEL, "relu", cause=launch)
        line.span("gpu 0/7", at + 8 * MS, at + 9 * MS, SpanKind.COPY, "copy", cause=launch, direction=CopyDirection.HOST_TO_DEVICE)
        line.span("gpu 0/8", at + 8 * MS, at + 9 * MS, SpanKind.COPY, "copy", direction=CopyDirection.HOST_TO_DEVICE)
    return analysed(line.build())


def of(session: AnalysedSession, **asked: Any) -> Instances:
    return INSTANCES.make(session, InstancesWanted(**asked))


def test_a_kernels_launches_have_their_operation_and_the_stack_of_the_launch() -> None:
    answer = of(launching(), of=InstancesOf.KERNEL, name="gemm", order=InstancesOrder.LONGEST)
    assert [(span.step, span.duration_us, span.launched_by) for span in answer.spans] == [
        (2, 3_000, "aten::mm"),
        (1, 2_000, "aten::mm"),
        (0, 1_000, "aten::mm"),
    ]
    assert (answer.total, answer.total_us, answer.stack) == (3, 6_000, ["aten::mm", "train.py(3): fit"])


@pytest.mark.parametrize("calls", [False, True])
@pytest.mark.parametrize("by", list(By))
def test_every_row_of_the_operations_has_as_many_spans_as_it_says(by: By, calls: bool) -> None:
    session = launching()
    rows = OPS.make(session, OpsWanted(by=by, calls=calls)).ops
    assert rows
    for row in rows:
        answer = of(session, of=InstancesOf.OPERATION, by=by.value, name=row.name, device=row.device, calls=calls)
        assert (answer.total, answer.total_us) == (row.kernels or row.count, pytest.approx(row.total_us)), row.name


@pytest.mark.parametrize("by", list(KernelsBy))
def test_every_row_of_the_kernels_has_as_many_spans_as_it_says(by: KernelsBy) -> None:
    session = launching()
    rows = KERNELS.make(session, KernelsWanted(by=by)).kernels
    assert rows
    for row in rows:
        assert of(session, of=InstancesOf.KERNEL, by=by.value, name=row.name, op=row.op).total == row.count, row.name


@pytest.mark.parametrize("by", list(TransfersBy))
def test_every_row_of_the_copies_has_as_many_spans_as_it_says(by: TransfersBy) -> None:
    session = launching()
    rows = TRANSFERS.make(session, TransfersWanted(by=by)).transfers
    assert rows
    for row in rows:
        memory = f"{row.source_memory} to {row.target_memory}"
        asked = {"name": row.direction, "device": row.device, "op": row.op, "memory": memory, "stream": row.streams[0]}
        answer = of(session, of=InstancesOf.COPY, by=by.value, **asked)
        assert answer.total == row.count, row


def test_every_row_of_the_collectives_has_as_many_spans_as_it_says() -> None:
    line = Timeline()
    for step in range(3):
        at = step * 10 * MS
        line.span("main", at, at + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        line.span("gpu 0/7", at, at + MS, SpanKind.COLLECTIVE, "allreduce", collective=("world", 2, 2 * step), bytes=64)
        line.span(
            "gpu 0/7", at + 2 * MS, at + 3 * MS, SpanKind.COLLECTIVE, "allreduce", collective=("world", 2, 2 * step + 1), bytes=4096
        )
    session = analysed(line.build())
    rows = COMMUNICATION.make(session, CommunicationWanted()).collectives
    assert {row.bytes: row.count for row in rows} == {64: 3, 4096: 3}
    for row in rows:
        assert of(session, of=InstancesOf.COLLECTIVE, name=row.kind, group=row.group, bytes=row.bytes).total == row.count


def test_spans_by_name_alone() -> None:
    answer = of(launching(), of=InstancesOf.SPAN, name="train.py(3): fit", order=InstancesOrder.START)
    assert [(span.track, span.step, span.launched_by) for span in answer.spans] == [("main", 0, ""), ("main", 1, ""), ("main", 2, "")]


def test_nothing_has_that_name() -> None:
    answer = of(launching(), of=InstancesOf.SPAN, name="nothing")
    assert (answer.total, answer.spans, answer.chosen, answer.stack) == (0, [], None, [])


def test_a_grouping_that_is_not_there() -> None:
    with pytest.raises(BadInput):
        of(launching(), of=InstancesOf.OPERATION, by="colour", name="aten::mm")
