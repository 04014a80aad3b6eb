"""The critical path in a window of one worker's trace, and how much later any of its spans may end."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.timeline.path import TracedPath, segments_in, slack_of, traced_path
from stepscope.analyses.timeline.tiles import shortened
from stepscope.model import declared as d
from stepscope.model.profile import NONE, Profile
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import MOST_ROWS, SpanRow, Worker
from stepscope.session.part import Answer, Part, Wanted
from stepscope.session.parts.path import path_of
from stepscope.session.span_rows import row_here
from stepscope.session.trace_window import EndUs, StartUs, window_ns

_US = 1e3

Follow = Annotated[str, Meta(max_length=1_000, description="Worker whose trace and steps to follow; empty: the first one.")]


class PathTraceWanted(Wanted, frozen=True, kw_only=True):
    """The worker and the window, and how many segments are listed. All workers are read: the path may lead through them."""

    follow: Follow = ""
    start_us: StartUs
    end_us: EndUs
    limit: Annotated[int, Meta(ge=1, le=MOST_ROWS, description="Most segments to list; of more, the longest.")] = MOST_ROWS


class PathPiece(Struct, frozen=True, kw_only=True):
    """A segment of the path. Segments follow one another without gaps, unless shorter ones are left out."""

    name: Annotated[str, d.text("Name of the span, or of what lies between operations; at most 300 characters.")]
    part: Annotated[str, d.text("Part of the step breakdown, or `between` operations.")]
    worker: Worker
    row: Annotated[int | None, d.number("Row of the span; null where no span has the time.", "row")]
    track: Annotated[int | None, d.number("Track of the span in the trace of the worker asked for; null without one.", "index")]
    line: Annotated[int | None, d.number("Line of the track that it is drawn on, from 0; null without one.", "index")]
    start_us: Annotated[float, d.us("Start since the start of the profile of the worker asked for.")]
    end_us: Annotated[float, d.us("End since the start of the profile of the worker asked for.")]


class PathTrace(Answer, frozen=True, kw_only=True):
    """The path in a window: the one that the part `path` sums up."""

    worker: Worker
    note: Annotated[str, d.text("What limits the result, or why there is no path; empty when nothing does.")]
    rows: Annotated[list[PathPiece], d.nested("Segments in time order.")]
    total: Annotated[int, d.count("Number of all segments in the window; at most `limit` are listed.")]


class SlackWanted(Wanted, frozen=True, kw_only=True):
    """The worker, and one of its spans."""

    follow: Follow = ""
    row: SpanRow


class SpanSlack(Answer, frozen=True, kw_only=True):
    """Where a span is, seen from the critical path."""

    row: Annotated[int, d.number("Row of the span in the profile.", "row")]
    on_path_us: Annotated[float, d.us("Time of this span on the critical path.")]
    slack_us: Annotated[
        float | None, d.us("How much later it may end without a longer step; null for threads that the steps do not wait for.")
    ]


def _make(session: AnalysedSession, wanted: PathTraceWanted) -> PathTrace:
    place = _place(session, wanted.follow)
    profile, traced = session.profiles[place], _traced(session, place)
    window = window_ns(profile.whole, wanted.start_us, wanted.end_us)
    places, total = segments_in(traced, window, wanted.limit)
    return PathTrace(
        worker=session.workers[place],
        note=traced.path.note,
        rows=[_piece(session, traced, place, at) for at in places],
        total=total,
    )


def _place(session: AnalysedSession, follow: str) -> int:
    return session.place(follow) if follow else 0


def _traced(session: AnalysedSession, place: int) -> TracedPath:
    return session.once(("traced path", place), lambda: traced_path(path_of(session, place), session.breakdown(place), place))


def _piece(session: AnalysedSession, traced: TracedPath, place: int, at: int) -> PathPiece:
    segment, here = traced.segments[at], session.profiles[place]
    origin = here.whole.window[0]
    track, line = _drawn(here, segment.row) if segment.rank == place and segment.row != NONE else (None, None)
    return PathPiece(
        name=shortened(segment.name),
        part=segment.part,
        worker=session.workers[segment.rank],
        row=session.profiles[segment.rank].row_in_file(segment.row) if segment.row != NONE else None,
        track=track,
        line=line,
        start_us=(int(traced.start[at]) - origin) / _US,
        end_us=(int(traced.end[at]) - origin) / _US,
    )


def _drawn(profile: Profile, row: int) -> tuple[int, int]:
    return int(profile.spans.track[row]), int(profile.spans.depth[row])


def _slack(session: AnalysedSession, wanted: SlackWanted) -> SpanSlack:
    place = _place(session, wanted.follow)
    profile, traced = session.profiles[place], _traced(session, place)
    row = row_here(profile, wanted.row)
    slack = slack_of(traced, profile, session.breakdown(place), row)
    return SpanSlack(
        row=wanted.row,
        on_path_us=traced.on_path.get(row, 0) / _US,
        slack_us=None if slack is None else slack / _US,
    )


PATH_TRACE = Part("path_trace", "Critical path in the trace", PathTraceWanted, PathTrace, _make, table="rows", passing=True)
SLACK = Part("slack", "Slack of a span", SlackWanted, SpanSlack, _slack, passing=True)
