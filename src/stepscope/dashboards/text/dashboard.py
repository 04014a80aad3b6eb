"""The routes of text: which tags and runs have it, at which steps, one value, and a search through all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from stepscope.dashboards import frame
from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.logged_values import (
    RunText,
    StepsRequest,
    TagsAnswer,
    TagsRequest,
    ValueRequest,
    read_payload,
    steps_of_series,
    tags_of_kind,
)
from stepscope.dashboards.route import Dashboard, Frame, Media, Role, Route
from stepscope.model.errors import BadInput, TooMuch
from stepscope.model.kinds import Kind
from stepscope.model.numbers import Number, number
from stepscope.queries.text_search import search_text
from stepscope.queries.text_values import text_value, whole_text

MAX_WORDS = 20
MAX_MATCHES = 1_000
MAX_RUNS = 10_000
_OCTETS = "application/octet-stream"
_LIMITED: dict[str, Any] = {"maxItems": MAX_RUNS}


class TextAnswer(Struct, frozen=True):
    """One value: its strings in the order of their tensor.

    `cut` says that some are missing or shortened, `replaced` that bytes were no UTF-8.
    """

    shape: list[int]
    cells: list[str]
    bytes: int
    cut: bool
    replaced: bool


class SearchRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Words that a value must all hold; runs to look in (none: all)."""

    words: Annotated[str, Meta(max_length=1_000)]
    runs: Annotated[list[RunText], Meta(extra_json_schema=_LIMITED)] | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_MATCHES)] = 100
    fold: bool = True


class MatchRow(Struct, frozen=True):
    """A value that holds all words, and the place of the first of them."""

    run: str
    tag: str
    step: int
    wall: Number
    before: str
    found: str
    after: str


class SearchAnswer(Struct, frozen=True):
    """`complete` is false when the search stopped early: at the limit of matches, of bytes, or of time."""

    epoch: int
    matches: list[MatchRow]
    searched: int
    values: int
    complete: bool


def text_tags(context: RequestContext, request: TagsRequest, _: Mapping[str, str]) -> TagsAnswer:
    """Every tag with text and the runs that have it."""
    return tags_of_kind(context, request, Kind.TEXT)


def text_steps(context: RequestContext, request: StepsRequest, _: Mapping[str, str]) -> Frame:
    """Every step of the named series."""
    return steps_of_series(context, request, Kind.TEXT, lambda _: 1)


def text(context: RequestContext, request: ValueRequest, _: Mapping[str, str]) -> TextAnswer:
    """One value, cut to what a page can show."""
    found = text_value(read_payload(context, request, Kind.TEXT))
    return TextAnswer(list(found.shape), list(found.cells), found.bytes, found.cut, found.replaced)


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
    rows = [MatchRow(one.run, one.tag, one.step, number(one.wall), one.before, one.found, one.after) for one in found.matches]
    return SearchAnswer(view.snapshot.epoch, rows, found.searched, found.values, found.complete)


TEXT = Dashboard(
    id="text",
    label="Text",
    kinds=frozenset({Kind.TEXT}),
    routes=(
        Route("GET", "/text/tags", Role.VIEWER, "Tags with text", text_tags, TagsRequest, TagsAnswer),
        Route("POST", "/text/steps", Role.VIEWER, "Every step of series", text_steps, StepsRequest, (frame.CONTENT_TYPE,)),
        Route("GET", "/text/value", Role.VIEWER, "One text", text, ValueRequest, TextAnswer),
        Route("GET", "/text/file", Role.VIEWER, "One text as a file", text_file, ValueRequest, (_OCTETS,)),
        Route("POST", "/text/search", Role.VIEWER, "Search all text", search, SearchRequest, SearchAnswer, waits=True),
    ),
)
