"""One span of a profile with everything the file says of it: what a click on it in a timeline or a table shows."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from stepscope.dashboards.profile.messages import ReadingRow, SessionText, WorkerText
from stepscope.model.errors import BadInput
from stepscope.model.profile import NONE, Attribute, Profile, SpanKind

_US = 1e3


class SpanRequest(Struct, frozen=True):
    """Which session and worker (none: the first); the row is part of the path."""

    session: SessionText
    worker: WorkerText = ""


class SpanAttribute(Struct, frozen=True):
    """What the file says beside the columns; lists and objects are JSON, and numbers that JSON would round are text."""

    name: str
    value: Attribute


class SpanDetail(Struct, frozen=True):
    """One span. Rows are null where there is none, and times count from the recording's first span."""

    row: int
    name: str
    kind: str
    track: str
    process: str
    start_us: float
    duration_us: float
    op: str
    shape: str
    step: int | None
    parent: int | None
    cause: int | None
    attributes: list[SpanAttribute]


class SpanAnswer(Struct, frozen=True):
    """The span, or how far reading has come."""

    epoch: int
    reading: ReadingRow | None
    span: SpanDetail | None


def row_of(path: Mapping[str, str]) -> int:
    """The row that the path names. Raises BadInput."""
    text = path["row"]
    if not text.isascii() or not text.isdecimal() or len(text) > 10:
        raise BadInput("The row of a span is a whole number, counted from 0.", "bad_row")
    return int(text)


def span_detail(profile: Profile, row: int, attributes: Mapping[str, Attribute]) -> SpanDetail:
    """The answer's part about the span itself; the row exists."""
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
