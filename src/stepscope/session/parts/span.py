"""One span of a profile with everything the file says of it, and the spans that it is tied to."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from stepscope.analyses.host.stack import stack_of
from stepscope.analyses.timeline.links import Link, links_of, self_ns
from stepscope.analyses.timeline.longest import longest_of_name, longest_on_track
from stepscope.analyses.timeline.tiles import shortened
from stepscope.model import declared as d
from stepscope.model.profile import NONE, Attribute, Profile, SpanKind
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import SpanRow
from stepscope.session.part import Answer, Part, Wanted

MOST_LINKS = 200
_US = 1e3


class SpanWanted(Wanted, frozen=True, kw_only=True):
    """The span, by its row."""

    row: SpanRow


class SpanAttribute(Struct, frozen=True):
    """What the file says of the span beside the columns."""

    name: Annotated[str, d.text("Name of the attribute.")]
    value: Annotated[Attribute, d.number("Its value; lists, objects and numbers that JSON would round are text.", "as recorded")]


class SpanLink(Struct, frozen=True, kw_only=True):
    """Another span that this one is tied to."""

    kind: Annotated[
        str,
        d.text(
            "`launched_by` or `launches` it; this is `backward_of` or `forward_of` it; it is `producer` or `consumer` of what this "
            "handed over; `stream_wait`: the later of the two waits for the other."
        ),
    ]
    row: Annotated[int, d.number("Row of that span in the profile.", "row")]
    name: Annotated[str, d.text("Name of that span, at most 300 characters.")]
    track_id: Annotated[int, d.number("Number of its track.", "index")]
    track: Annotated[str, d.text("Thread or stream that it ran on.")]
    line: Annotated[int, d.number("Line of the track that it is drawn on, from 0.", "index")]
    start_us: Annotated[float, d.us("Start since the start of the profile.")]
    duration_us: Annotated[float, d.us("Duration.")]


class SpanDetail(Answer, frozen=True, kw_only=True):
    """One span."""

    row: Annotated[int, d.number("Row of the span in the profile.", "row")]
    name: Annotated[str, d.text("Name of the span.")]
    kind: Annotated[str, d.text("Span category.")]
    track: Annotated[str, d.text("Thread or stream that it ran on.")]
    track_id: Annotated[int, d.number("Number of that track.", "index")]
    line: Annotated[int, d.number("Line of the track that it is drawn on, from 0.", "index")]
    process: Annotated[str, d.text("Process or device of the track.")]
    start_us: Annotated[float, d.us("Start since the start of the profile.")]
    duration_us: Annotated[float, d.us("Duration.")]
    self_us: Annotated[float, d.us("Duration without the spans inside it on its track.")]
    op: Annotated[str, d.text("Operation that it belongs to; empty when unknown.")]
    shape: Annotated[str, d.text("Shapes; empty when not recorded.")]
    step: Annotated[int | None, d.number("Number of its step, as recorded; null when not recorded.", "step")]
    parent: Annotated[int | None, d.number("Row of the span around it; null when there is none.", "row")]
    cause: Annotated[int | None, d.number("Row of the span that started it; null when unknown.", "row")]
    longest_row: Annotated[int, d.number("Row of the longest span with this name.", "row")]
    longest_on_track_row: Annotated[int, d.number("Row of the longest span of its track.", "row")]
    stack: Annotated[list[str], d.nested("Operations and Python functions around it, innermost first.")]
    links: Annotated[list[SpanLink], d.nested("Spans that it is tied to; at most 200.")]
    links_total: Annotated[int, d.count("Number of all such spans.")]
    attributes: Annotated[list[SpanAttribute], d.nested("Everything else that the file says of it.")]


def _make(session: AnalysedSession, wanted: SpanWanted) -> SpanDetail:
    profile, row = session.profiles[0].whole, wanted.row
    session.check_unchanged()
    attributes = session.attributes(profile, row)  # raises for a row that is not there
    spans = profile.spans
    track = profile.tracks[int(spans.track[row])]
    links = links_of(profile, row)
    op, shape, start = int(spans.op[row]), int(spans.shape[row]), int(spans.start[row])
    return SpanDetail(
        row=row,
        name=profile.names[int(spans.name[row])],
        kind=SpanKind(int(spans.kind[row])).name.lower(),
        track=track.name,
        track_id=int(spans.track[row]),
        line=int(spans.depth[row]),
        process=track.process,
        start_us=(start - profile.window[0]) / _US,
        duration_us=(int(spans.end[row]) - start) / _US,
        self_us=self_ns(profile, row) / _US,
        op=profile.ops[op].name if op != NONE else "",
        shape=profile.names[shape] if shape != NONE else "",
        step=_known(int(spans.step[row])),
        parent=_known(int(spans.parent[row])),
        cause=_known(int(spans.cause[row])),
        longest_row=longest_of_name(profile, row),
        longest_on_track_row=longest_on_track(profile, row),
        stack=list(stack_of(profile, row, lambda of, each: attributes if each == row else session.attributes(of, each))),
        links=[_link(profile, link) for link in links[:MOST_LINKS]],
        links_total=len(links),
        attributes=[SpanAttribute(name, value) for name, value in attributes.items()],
    )


def _link(profile: Profile, link: Link) -> SpanLink:
    spans = profile.spans
    track, start = int(spans.track[link.row]), int(spans.start[link.row])
    return SpanLink(
        kind=link.kind,
        row=link.row,
        name=shortened(profile.names[int(spans.name[link.row])]),
        track_id=track,
        track=profile.tracks[track].name,
        line=int(spans.depth[link.row]),
        start_us=(start - profile.window[0]) / _US,
        duration_us=(int(spans.end[link.row]) - start) / _US,
    )


def _known(number: int) -> int | None:
    return None if number == NONE else number


SPAN = Part("span", "Span", SpanWanted, SpanDetail, _make, passing=True)
