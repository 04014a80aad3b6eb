"""One span of a profile with everything the file says of it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.profile import NONE, Attribute, SpanKind
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import SpanRow
from stepscope.session.part import Answer, Part, Wanted

_US = 1e3


class SpanWanted(Wanted, frozen=True, kw_only=True):
    """The span, by its row."""

    row: SpanRow


class SpanAttribute(Struct, frozen=True):
    """What the file says of the span beside the columns."""

    name: Annotated[str, d.text("Name of the attribute.")]
    value: Annotated[Attribute, d.number("Its value; lists, objects and numbers that JSON would round are text.", "as recorded")]


class SpanDetail(Answer, frozen=True, kw_only=True):
    """One span."""

    row: Annotated[int, d.number("Row of the span in the profile.", "row")]
    name: Annotated[str, d.text("Name of the span.")]
    kind: Annotated[str, d.text("Span category.")]
    track: Annotated[str, d.text("Thread or stream that it ran on.")]
    process: Annotated[str, d.text("Process or device of the track.")]
    start_us: Annotated[float, d.us("Start since the start of the profile.")]
    duration_us: Annotated[float, d.us("Duration.")]
    op: Annotated[str, d.text("Operation that it belongs to; empty when unknown.")]
    shape: Annotated[str, d.text("Shapes; empty when not recorded.")]
    step: Annotated[int | None, d.number("Number of its step, as recorded; null when not recorded.", "step")]
    parent: Annotated[int | None, d.number("Row of the span around it; null when there is none.", "row")]
    cause: Annotated[int | None, d.number("Row of the span that started it; null when unknown.", "row")]
    attributes: Annotated[list[SpanAttribute], d.nested("Everything else that the file says of it.")]


def _make(session: AnalysedSession, wanted: SpanWanted) -> SpanDetail:
    profile, row = session.profiles[0], wanted.row
    session.check_unchanged()
    attributes = session.attributes(profile, row)  # raises for a row that is not there
    spans = profile.spans
    track = profile.tracks[int(spans.track[row])]
    op, shape, start = int(spans.op[row]), int(spans.shape[row]), int(spans.start[row])
    return SpanDetail(
        row=row,
        name=profile.names[int(spans.name[row])],
        kind=SpanKind(int(spans.kind[row])).name.lower(),
        track=track.name,
        process=track.process,
        start_us=(start - profile.window[0]) / _US,
        duration_us=(int(spans.end[row]) - start) / _US,
        op=profile.ops[op].name if op != NONE else "",
        shape=profile.names[shape] if shape != NONE else "",
        step=_known(int(spans.step[row])),
        parent=_known(int(spans.parent[row])),
        cause=_known(int(spans.cause[row])),
        attributes=[SpanAttribute(name, value) for name, value in attributes.items()],
    )


def _known(number: int) -> int | None:
    return None if number == NONE else number


SPAN = Part("span", "Span", SpanWanted, SpanDetail, _make, passing=True)
