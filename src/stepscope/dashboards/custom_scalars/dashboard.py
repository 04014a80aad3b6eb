"""The routes of Custom scalars: the layout that runs logged, and the one that was made on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.questions import FoldRequest, most
from stepscope.dashboards.route import Dashboard, Role, Route
from stepscope.model import declared as d
from stepscope.model.errors import BadInput, TooMuch
from stepscope.model.kinds import Kind
from stepscope.model.shared_columns import Epoch
from stepscope.queries import layouts
from stepscope.queries.layouts import Category, Chart, logged_layout


class LayoutAnswer(Struct, frozen=True):
    """Charts of several tags, made on the page and logged by runs."""

    epoch: Epoch
    own: Annotated[list[Category], d.nested("The layout made on the page.")]
    logged: Annotated[list[Category], d.nested("The last layout of every run, joined by the titles of categories.")]
    problems: Annotated[list[str], d.nested("What of the layouts could not be read, in sentences.")]


class OwnLayout(Struct, frozen=True, forbid_unknown_fields=True):
    """The layout made on the page; no category removes it."""

    categories: Annotated[list[Category], most(layouts.MAX_CATEGORIES), d.nested("Its categories; at most 200.")]


def layout(context: RequestContext, request: FoldRequest, _: Mapping[str, str]) -> LayoutAnswer:
    """Both layouts. Patterns are matched by whoever draws them."""
    view = context.reads.views.view(request.fold)
    found = logged_layout(context.reads.blobs, view)
    kept = context.notes.read_layout(_home(context))
    own = OwnLayout([])
    problems = list(found.problems)
    if kept is not None:
        try:
            own = msgspec.json.decode(kept, type=OwnLayout)
        except msgspec.DecodeError:
            problems.append("Your layout was saved by another version and cannot be read. Save it again.")
    return LayoutAnswer(view.snapshot.epoch, own.categories, found.categories, problems)


def keep_layout(context: RequestContext, request: OwnLayout, _: Mapping[str, str]) -> OwnLayout:
    """Keeps the layout made on the page in place of the one before."""
    _check(request.categories)
    text = msgspec.json.encode(request).decode()
    context.notes.keep_layout(_home(context), text if request.categories else None)
    return request


def _home(context: RequestContext) -> str:
    """The layout hangs on the first log folder, however many are served beside it."""
    return context.roots[0].path if context.roots else ""


def _check(categories: list[Category]) -> None:
    _at_most(len(categories), layouts.MAX_CATEGORIES, "categories")
    _at_most(sum(len(category.charts) for category in categories), layouts.MAX_CHARTS, "charts")
    titles = [category.title for category in categories]
    if len(set(titles)) != len(titles):
        raise BadInput("Two categories have the same title; give each its own title.", "same_title")
    for category in categories:
        _at_most(len(category.title), layouts.MAX_TITLE, "characters in a title")
        for chart in category.charts:
            _check_chart(chart)


def _check_chart(chart: Chart) -> None:
    _at_most(len(chart.title), layouts.MAX_TITLE, "characters in a title")
    _at_most(max(len(chart.patterns), len(chart.bands)), layouts.MAX_LINES, "entries in a chart")
    _at_most(max(map(len, chart.patterns), default=0), layouts.MAX_PATTERN, "characters in an expression")
    tags = [tag for band in chart.bands for tag in (band.value, band.lower, band.upper)]
    _at_most(max(map(len, tags), default=0), layouts.MAX_TAG, "characters in a tag")
    if chart.patterns and chart.bands:
        raise BadInput(f"The chart {chart.title} has both expressions and bands; make two charts.", "two_kinds")


def _at_most(number: int, limit: int, what: str) -> None:
    if number > limit:
        raise TooMuch(f"A layout can have at most {limit:,} {what}; this one has {number:,}.", "layout_too_large")


CUSTOM_SCALARS = Dashboard(
    id="custom_scalars",
    label="Custom scalars",
    kinds=frozenset({Kind.LAYOUT}),
    has_own=lambda context: context.notes.read_layout(_home(context)) is not None,
    routes=(
        Route("GET", "/custom_scalars/layout", Role.VIEWER, "Charts of several tags", layout, FoldRequest, LayoutAnswer),
        Route("PATCH", "/custom_scalars/layout", Role.EDITOR, "Save a layout", keep_layout, OwnLayout, OwnLayout),
    ),
)
