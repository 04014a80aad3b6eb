"""Search for spans of one worker's whole profile by name or operation."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.timeline.search import matcher, search_spans
from stepscope.analyses.timeline.tiles import shortened
from stepscope.model import declared as d
from stepscope.model.profile import Profile
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import MOST_ROWS
from stepscope.session.part import Answer, Files, Part, Wanted

_US = 1e3


class SearchWanted(Wanted, frozen=True, kw_only=True):
    """The text, and how many spans are listed."""

    text: Annotated[
        str, Meta(min_length=1, max_length=1_000, description="Text in the name of the span or its operation (case-insensitive).")
    ]
    regex: Annotated[
        bool, d.flag("Whether `text` is a pattern, with `.`, `.*`, `?`, `(a|b)`, `^`, `$`, `\\b`, `\\d`, `\\w` and `\\s`.")
    ] = False
    limit: Annotated[int, Meta(ge=1, le=MOST_ROWS, description="Most spans and most names to list.")] = MOST_ROWS


class SearchName(Struct, frozen=True, kw_only=True):
    """One name among the spans that were found."""

    name: Annotated[str, d.text("Name of the spans, at most 300 characters.")]
    count: Annotated[int, d.count("Number of spans.")]
    total_us: Annotated[float, d.us("Sum of their durations.")]


class SearchRow(Struct, frozen=True, kw_only=True):
    """One span that was found."""

    row: Annotated[int, d.number("Row of the span in the profile.", "row")]
    name: Annotated[str, d.text("Name of the span, at most 300 characters.")]
    track: Annotated[int, d.number("Number of its track.", "index")]
    line: Annotated[int, d.number("Line of the track that it is drawn on, from 0.", "index")]
    start_us: Annotated[float, d.us("Start since the start of the profile.")]
    duration_us: Annotated[float, d.us("Duration.")]


class Search(Answer, frozen=True, kw_only=True):
    """What was found."""

    total: Annotated[int, d.count("Number of all spans found; the first `limit` are listed.")]
    names: Annotated[list[SearchName], d.nested("Names of all spans found, by total duration; at most `limit`.")]
    names_total: Annotated[int, d.count("Number of all names found.")]
    rows: Annotated[list[SearchRow], d.nested("Spans in the order of time.")]


def _make(session: AnalysedSession, wanted: SearchWanted) -> Search:
    profile = session.profiles[0].whole
    found = search_spans(profile, matcher(wanted.text, wanted.regex))
    return Search(
        total=len(found.rows),
        names=[d.fill(SearchName, each, name=shortened(profile.names[each.name])) for each in found.names[: wanted.limit]],
        names_total=len(found.names),
        rows=[_row(profile, row) for row in found.rows[: wanted.limit].tolist()],
    )


def _row(profile: Profile, row: int) -> SearchRow:
    spans = profile.spans
    start = int(spans.start[row])
    return SearchRow(
        row=row,
        name=shortened(profile.names[int(spans.name[row])]),
        track=int(spans.track[row]),
        line=int(spans.depth[row]),
        start_us=(start - profile.window[0]) / _US,
        duration_us=(int(spans.end[row]) - start) / _US,
    )


SEARCH = Part("search", "Search spans", SearchWanted, Search, _make, table="rows", files=Files.ONE, passing=True)
