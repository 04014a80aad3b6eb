"""The routes of text: which tags and runs have it, at which steps, one value, and a search through all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.logged_values import (
    StepsHeader,
    StepsRequest,
    TagsAnswer,
    ValueRequest,
    read_payload,
    steps_of_series,
    tags_of_kind,
)
from stepscope.dashboards.questions import Fold, FoldRequest, RunText, most
from stepscope.dashboards.route import Dashboard, Frame, FrameOf, Media, Role, Route
from stepscope.model import declared as d
from stepscope.model.errors import BadInput, TooMuch
from stepscope.model.kinds import Kind
from stepscope.model.shared_columns import Epoch
from stepscope.queries.text_search import MatchRow, search_text
from stepscope.queries.text_values import TextValue, text_value, whole_text

MAX_WORDS = 20
MAX_MATCHES = 1_000
MAX_RUNS = 10_000
_OCTETS = "application/octet-stream"


class SearchRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What to search for, and where."""

    words: Annotated[str, Meta(max_length=1_000), d.text("Words that a text must all contain (case-insensitive), separated by spaces.")]
    runs: Annotated[list[RunText] | None, most(MAX_RUNS), d.nested("Ids of the runs to search; null: all runs.")] = None
    limit: Annotated[int, Meta(ge=1, le=MAX_MATCHES), d.count("Most matches to find.")] = 100
    fold: Fold = True


class SearchAnswer(Struct, frozen=True):
    """What was found, tag by tag, newest steps first."""

    epoch: Epoch
    matches: Annotated[list[MatchRow], d.nested("Texts that contain all words.")]
    searched: Annotated[int, d.count("Number of texts searched.")]
    values: Annotated[int, d.count("Number of texts in the chosen runs.")]
    complete: Annotated[bool, d.flag("Whether all of them were searched; false at the limit of matches, of bytes, or of time.")]


def text_tags(context: RequestContext, request: FoldRequest, _: Mapping[str, str]) -> TagsAnswer:
    """Every tag with text and the runs that have it."""
    return tags_of_kind(context, request, Kind.TEXT)


def text_steps(context: RequestContext, request: StepsRequest, _: Mapping[str, str]) -> Frame:
    """Every step of the named series."""
    return steps_of_series(context, request, Kind.TEXT, lambda _: 1)


def text(context: RequestContext, request: ValueRequest, _: Mapping[str, str]) -> TextValue:
    """One value, cut to what a page can show."""
    return text_value(read_payload(context, request, Kind.TEXT))


def text_file(context: RequestContext, request: ValueRequest, _: Mapping[str, str]) -> Media:
    """All of one value, as a file to save."""
    return Media(whole_text(read_payload(context, request, Kind.TEXT)), _OCTETS, "text.txt", request.wall is not None)


def search(context: RequestContext, request: SearchRequest, _: Mapping[str, str]) -> SearchAnswer:
    """Values that hold all words."""
    words = request.words.split()
    if not words:
        raise BadInput("The search is empty; type a word.", "no_words")
    if len(words) > MAX_WORDS:
        raise TooMuch(f"At most {MAX_WORDS} words can be searched at once; use fewer.", "too_many_words")
    if request.runs is not None and len(request.runs) > MAX_RUNS:
        raise TooMuch(f"At most {MAX_RUNS:,} runs can be given; give none to search all runs.", "too_many_runs")
    view = context.reads.views.view(request.fold)
    runs = None if request.runs is None else frozenset(request.runs)
    found = search_text(context.reads.blobs, view, words, runs, request.limit)
    return d.fill(SearchAnswer, found, epoch=view.snapshot.epoch)


TEXT = Dashboard(
    id="text",
    label="Text",
    kinds=frozenset({Kind.TEXT}),
    routes=(
        Route("GET", "/text/tags", Role.VIEWER, "Tags with text", text_tags, FoldRequest, TagsAnswer),
        Route("POST", "/text/steps", Role.VIEWER, "Every step of series", text_steps, StepsRequest, FrameOf(StepsHeader)),
        Route("GET", "/text/value", Role.VIEWER, "One text", text, ValueRequest, TextValue),
        Route("GET", "/text/file", Role.VIEWER, "One text as a file", text_file, ValueRequest, (_OCTETS,)),
        Route("POST", "/text/search", Role.VIEWER, "Search all text", search, SearchRequest, SearchAnswer, waits=True),
    ),
)
