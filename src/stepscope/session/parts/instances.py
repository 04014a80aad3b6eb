"""The spans behind a row of a table or a line of evidence: when and where each ran, its step, what launched it, and one call stack."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, TypeVar

import numpy as np
from msgspec import Meta, Struct

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.communication.tables import spans_of_collective
from stepscope.analyses.host.stack import stack_of
from stepscope.analyses.steps import step_of_spans
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.executions import host_operation_of
from stepscope.analyses.work.kernels import KernelsBy, spans_of_kernel
from stepscope.analyses.work.operations import HOST, By, spans_of_operation
from stepscope.analyses.work.transfers import TransfersBy, spans_of_copies
from stepscope.model import declared as d
from stepscope.model.errors import BadInput
from stepscope.model.profile import NONE, Int64, Profile, TrackRole
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Limit, SpanRow
from stepscope.session.part import Answer, Files, Part, Wanted
from stepscope.session.span_rows import row_here

MOST_FRAMES = 64
_US = 1e3
_LONGEST_TEXT = 10_000
_Text = Annotated[str, Meta(max_length=_LONGEST_TEXT)]


class InstancesOf(Enum):
    """What the spans are instances of."""

    SPAN = "span"
    OPERATION = "operation"
    KERNEL = "kernel"
    COPY = "copy"
    COLLECTIVE = "collective"


class InstancesOrder(Enum):
    """Which spans come first."""

    EXPOSED = "exposed"
    LONGEST = "longest"
    START = "start"


class InstancesWanted(Wanted, frozen=True, kw_only=True):
    """Either a span, whose like are listed, or a row of a table by what tells it from others there; and the span to see more of."""

    of: Annotated[InstancesOf, d.text("Table that the row is in; `span`: all spans with this name.")]
    like: Annotated[SpanRow | None, d.number("Row of a span: spans of its name and class are listed.", "row")] = None
    by: Annotated[_Text, d.text("Grouping of that table; empty: its first one.")] = ""
    name: Annotated[_Text, d.text("Name of the row; of a copy its direction, of a collective its kind.")] = ""
    calls: Annotated[bool, d.flag("Whether the table of operations lists runtime, framework and Python calls too.")] = False
    device: Annotated[_Text, d.text("Device of the row, or `host`.")] = ""
    op: Annotated[_Text, d.text("Operation of a kernel or of copies grouped by operation.")] = ""
    memory: Annotated[_Text, d.text("Memory of a copy as `SOURCE to TARGET`.")] = ""
    stream: Annotated[int | None, d.number("Stream of copies grouped by stream.", "stream")] = None
    group: Annotated[_Text, d.text("Process group of a collective.")] = ""
    bytes: Annotated[int | None, d.size("Size of a collective's message; null: any.")] = None
    row: Annotated[SpanRow | None, d.number("Row of the instance to see with its call stack; null: the first.", "row")] = None
    order: Annotated[InstancesOrder, d.text("Which spans come first.")] = InstancesOrder.EXPOSED
    limit: Limit = 0


class Instance(Struct, frozen=True, kw_only=True):
    """One span."""

    row: Annotated[int, d.number("Row of the span in the profile.", "row")]
    name: Annotated[str, d.text("Name of the span.")]
    track: Annotated[str, d.text("Thread or stream that it ran on.")]
    process: Annotated[str, d.text("Process or device of the track.")]
    start_us: Annotated[float, d.us("Start since the start of the profile.")]
    duration_us: Annotated[float, d.us("Duration.")]
    own_us: Annotated[float | None, d.us("Time of typical steps that nothing else hides; null when it is in none of them.")]
    step: Annotated[int | None, d.number("Number of the step that started it; null outside of steps.", "step")]
    launched_by: Annotated[str, d.text("Host operation that launched it; empty when unknown, or on the host.")]


class Instances(Answer, frozen=True, kw_only=True):
    """The spans, what they have together, and one of them with what called it."""

    part: Annotated[str, d.text("Class of the step breakdown of the chosen span; empty when it has no time of its own.")]
    total: Annotated[int, d.count("Number of all spans; at most `limit` are listed.")]
    total_us: Annotated[float, d.us("Their total duration.")]
    own_us_per_step: Annotated[float, d.us("Their time per typical step that nothing else hides.")]
    spans: Annotated[list[Instance], d.nested("The spans.")]
    chosen: Annotated[Instance | None, d.nested("The span that was asked for, or the first; null when there are none.")]
    stack: Annotated[list[str], d.nested("Call stack of the chosen span, innermost first; of device work, that of its launch.")]


def _make(session: AnalysedSession, wanted: InstancesWanted) -> Instances:
    profile, breakdown = session.profiles[0], session.breakdown()
    rows = _rows(session, wanted)
    rows = rows[np.argsort(_ordered(profile, breakdown, rows, wanted.order), kind="stable")]
    first = int(rows[0]) if len(rows) else NONE
    asked = wanted.like if wanted.row is None else wanted.row
    chosen = first if asked is None else row_here(profile, asked)
    label = NONE if chosen == NONE else int(breakdown.classified.label[chosen])
    listed = rows[: wanted.limit] if wanted.limit else rows
    return Instances(
        part=TimeClass(label).key if 0 <= label < len(TimeClass) else "",
        total=len(rows),
        total_us=float((profile.spans.end[rows] - profile.spans.start[rows]).sum()) / _US,
        own_us_per_step=float(breakdown.exposed[rows].sum()) / max(1, len(breakdown.typical)) / _US,
        spans=_instances(profile, breakdown, listed),
        chosen=None if chosen == NONE else _instances(profile, breakdown, np.array([chosen], np.int64))[0],
        stack=[] if chosen == NONE else list(_stack(session, chosen)),
    )


def _rows(session: AnalysedSession, wanted: InstancesWanted) -> Int64:
    profile = session.profiles[0]
    if wanted.like is not None:
        return _alike(profile, session.breakdown(), row_here(profile, wanted.like))
    if wanted.of is InstancesOf.OPERATION:
        by = _grouping(By, wanted.by or By.NAME.value)
        return spans_of_operation(profile, by, wanted.name, wanted.device or HOST, calls=wanted.calls)
    if wanted.of is InstancesOf.KERNEL:
        return spans_of_kernel(profile, _grouping(KernelsBy, wanted.by or KernelsBy.NAME.value), wanted.name, wanted.op)
    if wanted.of is InstancesOf.COPY:
        source, _, target = wanted.memory.partition(" to ")
        op = wanted.op if wanted.by == TransfersBy.OPERATION.value else None
        stream = wanted.stream if wanted.by == TransfersBy.STREAM.value else None
        return spans_of_copies(profile, wanted.name, (source, target), wanted.device, op, stream)
    if wanted.of is InstancesOf.COLLECTIVE:
        return spans_of_collective(profile, session.programs()[0], wanted.name, wanted.group, wanted.bytes)
    return _named(profile, wanted.name)


_Grouping = TypeVar("_Grouping", By, KernelsBy)


def _grouping(kind: type[_Grouping], text: str) -> _Grouping:
    try:
        return kind(text)
    except ValueError:
        raise BadInput(f"There is no grouping {text}; there are {', '.join(one.value for one in kind)}.", "bad_request") from None


def _named(profile: Profile, name: str) -> Int64:
    """Spans of this name on threads and streams."""
    owning = np.array([track.role in (TrackRole.THREAD, TrackRole.STREAM) for track in profile.tracks] or [False])
    numbers = [number for number, each in enumerate(profile.names) if each == name]
    rows = np.flatnonzero(np.isin(profile.spans.name, numbers))
    return rows[owning[profile.spans.track[rows]]]


def _alike(profile: Profile, breakdown: Breakdown, row: int) -> Int64:
    """Rows of the same name and class that have time of their own, and the row itself."""
    label = breakdown.classified.label
    rows = np.flatnonzero((breakdown.exposed > 0) & (label == label[row]))
    same = rows[profile.spans.name[rows] == profile.spans.name[row]]
    return same if row in same else np.append(same, row)


def _ordered(profile: Profile, breakdown: Breakdown, rows: Int64, order: InstancesOrder) -> Int64:
    spans = profile.spans
    if order is InstancesOrder.START:
        return spans.start[rows]
    length = spans.end[rows] - spans.start[rows]
    if order is InstancesOrder.LONGEST:
        return -length
    places = np.lexsort((-length, -breakdown.exposed[rows]))
    rank = np.empty(len(rows), np.int64)
    rank[places] = np.arange(len(rows))
    return rank


def _instances(profile: Profile, breakdown: Breakdown, rows: Int64) -> list[Instance]:
    spans, steps = profile.spans, breakdown.steps
    begins = (profile if profile.part is None else profile.part.whole).window[0]
    places, launchers = step_of_spans(profile, steps, rows).tolist(), host_operation_of(profile, rows).tolist()
    typical = np.array(breakdown.typical, np.int64)
    found: list[Instance] = []
    for row, place, launcher in zip(rows.tolist(), places, launchers, strict=True):
        track, start, end = profile.tracks[int(spans.track[row])], int(spans.start[row]), int(spans.end[row])
        counted = bool(((start < steps.bounds[typical + 1]) & (end > steps.bounds[typical])).any())
        found.append(
            Instance(
                row=profile.row_in_file(row),
                name=profile.names[int(spans.name[row])],
                track=track.name,
                process=track.process,
                start_us=(start - begins) / _US,
                duration_us=(end - start) / _US,
                own_us=float(breakdown.exposed[row]) / _US if counted else None,
                step=int(steps.number[place]) if place != NONE and steps.number[place] != NONE else None,
                launched_by=profile.names[int(spans.name[launcher])] if launcher != NONE else "",
            )
        )
    return found


def _stack(session: AnalysedSession, row: int) -> tuple[str, ...]:
    """What is around the span; work of a device was called where it was launched."""
    profile = session.profiles[0]
    cause = int(profile.spans.cause[row])
    on_device = profile.tracks[int(profile.spans.track[row])].role == TrackRole.STREAM
    return stack_of(profile, cause if on_device and cause != NONE else row, session.attributes, MOST_FRAMES)


INSTANCES = Part("instances", "Instances", InstancesWanted, Instances, _make, files=Files.ONE, passing=True)
