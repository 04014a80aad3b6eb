"""The routes of Custom scalars: the layout that runs logged, and the one that was made on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.route import Dashboard, Role, Route
from stepscope.model.errors import BadInput, TooMuch
from stepscope.model.kinds import Kind
from stepscope.queries import layouts
from stepscope.queries.layouts import Category, Chart, logged_layout

_LIMITED: dict[str, Any] = {"maxItems": layouts.MAX_CATEGORIES}


class LayoutRequest(Struct, frozen=True):
    """Whether torch's sub-folders are shown inside their parent."""

    fold: bool = True


class LayoutAnswer(Struct, frozen=True):
    """`logged` is what runs logged as one layout; `problems` are sentences about what could not be read of them."""

    epoch: int
    own: list[Category]
    logged: list[Category]
    problems: list[str]


class OwnLayout(Struct, frozen=True, forbid_unknown_fields=True):
    """The layout made on the page; no category removes it."""

    categories: Annotated[list[Category], Meta(extra_json_schema=_LIMITED)]


def layout(context: RequestContext, request: LayoutRequest, _: Mapping[str, str]) -> LayoutAnswer:
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
        Route("GET", "/custom_scalars/layout", Role.VIEWER, "Charts of several tags", layout, LayoutRequest, LayoutAnswer),
        Route("PATCH", "/custom_scalars/layout", Role.EDITOR, "Save a layout", keep_layout, OwnLayout, OwnLayout),
    ),
)
