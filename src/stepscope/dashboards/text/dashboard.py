"""The routes of text: which tags and runs have it, at which steps, one value, and a search through all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.job_routes import JobRow, job_row
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
from stepscope.dashboards.route import Dashboard, Frame, FrameOf, Media, NoFields, Role, Route, Waiting
from stepscope.jobs.job import Job
from stepscope.model import declared as d
from stepscope.model.errors import BadInput, NotThere, TooMuch
from stepscope.model.kinds import Kind
from stepscope.model.shared_columns import Epoch
from stepscope.queries.text_search import MatchRow, Search, search_text
from stepscope.queries.text_values import TextValue, text_value, whole_text

MAX_WORDS = 20
MAX_MATCHES = 1_000
MAX_RUNS = 10_000
SEARCH_WAIT = 1.0
"""Seconds that a search is waited for before its answer says how far it is."""
SEARCH_LEASE = 4.0
"""Seconds after which a search stops that nobody asks for any more."""
_SEARCH = "text/search"
_OCTETS = "application/octet-stream"


class SearchRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What to search for, and where."""

    words: Annotated[str, Meta(max_length=1_000), d.text("Words that a text must all contain (case-insensitive), separated by spaces.")]
    runs: Annotated[list[RunText] | None, most(MAX_RUNS), d.nested("Ids of the runs to search; null: all runs.")] = None
    limit: Annotated[int, Meta(ge=1, le=MAX_MATCHES), d.count("Most matches to find.")] = 100
    fold: Fold = True


class SearchAnswer(Struct, frozen=True):
    """What was found so far, tag by tag, newest steps first."""

    epoch: Epoch
    job: Annotated[JobRow, d.nested("The search; while it runs, ask for it by its id.")]
    matches: Annotated[list[MatchRow], d.nested("Texts that contain all words.")]
    searched: Annotated[int, d.count("Number of texts searched.")]
    values: Annotated[int, d.count("Number of texts in the chosen runs.")]
    complete: Annotated[bool, d.flag("Whether all of them were searched; false while the search runs, and at the limit of matches.")]


def text_tags(context: RequestContext, request: FoldRequest, _: Mapping[str, str]) -> TagsAnswer:
    """Every tag with text and the runs that have it."""
    return tags_of_kind(context, request, Kind.TEXT)


def text_steps(context: RequestContext, request: StepsRequest, _: Mapping[str, str]) -> Frame:
    """Every step of the named series."""
    return steps_of_series(context, request, Kind.TEXT)


def text(context: RequestContext, request: ValueRequest, _: Mapping[str, str]) -> TextValue:
    """One value, cut to what a page can show."""
    return text_value(read_payload(context, request, Kind.TEXT))


def text_file(context: RequestContext, request: ValueRequest, _: Mapping[str, str]) -> Media:
    """All of one value, as a file to save."""
    return Media(whole_text(read_payload(context, request, Kind.TEXT)), _OCTETS, "text.txt", request.wall is not None)


def search(context: RequestContext, request: SearchRequest, _: Mapping[str, str]) -> Waiting:
    """Starts to search for values that contain all words, and waits a little."""
    words = request.words.split()
    if not words:
        raise BadInput("The search is empty; type a word.", "no_words")
    if len(words) > MAX_WORDS:
        raise TooMuch(f"At most {MAX_WORDS} words can be searched at once; use fewer.", "too_many_words")
    if request.runs is not None and len(request.runs) > MAX_RUNS:
        raise TooMuch(f"At most {MAX_RUNS:,} runs can be given; give none to search all runs.", "too_many_runs")
    view = context.reads.views.view(request.fold)
    runs = None if request.runs is None else frozenset(request.runs)

    def work(job: Job[Search]) -> Search:
        return search_text(job, context.reads.blobs, view, words, runs, request.limit)

    key = (_SEARCH, context.user.id, view.snapshot.epoch, msgspec.json.encode(request))
    title = f"Search text for {request.words.strip()}"
    job = context.jobs.submit(key, title, work, owner=context.user.id, lease=SEARCH_LEASE, result_at=f"{_SEARCH}/{{id}}")
    return _searching(context, job)


def searched(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> Waiting:
    """What a search has found; waits a little while it runs."""
    job = context.jobs.find(path["id"], context.user.id)
    if not job.result_at.startswith(f"{_SEARCH}/"):
        raise NotThere("No search has this id; search again.", "unknown_job")
    return _searching(context, job)


def _searching(context: RequestContext, job: Job[Search]) -> Waiting:
    def answer() -> SearchAnswer:
        found = job.result() if job.over else job.progress.detail
        if not isinstance(found, Search):  # it waits for other jobs
            found = Search(context.reads.library.snapshot.epoch)
        return d.fill(SearchAnswer, found, job=job_row(job))

    return Waiting(job, SEARCH_WAIT, answer)


TEXT = Dashboard(
    id="text",
    label="Text",
    kinds=frozenset({Kind.TEXT}),
    routes=(
        Route("GET", "/text/tags", Role.VIEWER, "Tags with text", text_tags, FoldRequest, TagsAnswer),
        Route("POST", "/text/steps", Role.VIEWER, "Every step of series", text_steps, StepsRequest, FrameOf(StepsHeader)),
        Route("GET", "/text/value", Role.VIEWER, "One text", text, ValueRequest, TextValue),
        Route("GET", "/text/file", Role.VIEWER, "One text as a file", text_file, ValueRequest, (_OCTETS,)),
        Route("POST", "/text/search", Role.VIEWER, "Search all text", search, SearchRequest, SearchAnswer),
        Route("GET", "/text/search/{id}", Role.VIEWER, "What a search has found", searched, NoFields, SearchAnswer),
    ),
)
