"""What the routes of the Charts tab take and answer."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from stepscope.dashboards.frame import Column
from stepscope.dashboards.logged_values import SeriesName
from stepscope.model.errors import BadInput, TooMuch
from stepscope.queries.export import Format
from stepscope.queries.groups import Band
from stepscope.queries.series import NO_TAG, Axis, Segment, Segments, Smoothing, Window
from stepscope.queries.table import TableRow
from stepscope.queries.view import Views

MAX_SERIES = 5_000
MAX_WIDTH = 8_192
MAX_TAG = 10_000
MAX_PIXEL_COLUMNS = 4_000_000
"""Series times width: what one answer may have to hold."""

RunText = Annotated[str, Meta(max_length=64)]
TagText = Annotated[str, Meta(max_length=MAX_TAG)]
Width = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": MAX_WIDTH})]
_LIMITED: dict[str, Any] = {"maxItems": MAX_SERIES}


class CurvesRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which curves, and the window they are reduced to."""

    series: Annotated[list[SeriesName], Meta(extra_json_schema=_LIMITED)]
    x: Axis = "step"
    x_tag: TagText | None = None
    range: tuple[float, float] | None = None
    width: Width = 640
    log_x: bool = False
    segments: Segments = "latest"
    smoothing: Smoothing | None = None
    fold: bool = True


class GroupName(Struct, frozen=True, forbid_unknown_fields=True):
    """A group's name and the ids of its runs."""

    name: Annotated[str, Meta(max_length=1_000)]
    runs: Annotated[list[RunText], Meta(extra_json_schema=_LIMITED)]


class GroupsRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which groups of one tag, and how their band is made."""

    groups: Annotated[list[GroupName], Meta(extra_json_schema=_LIMITED)]
    tag: TagText
    x: Literal["step", "wall", "relative"] = "step"
    range: tuple[float, float] | None = None
    width: Width = 640
    log_x: bool = False
    segments: Segments = "latest"
    smoothing: Smoothing | None = None
    band: Band = "ci95"
    quantiles: tuple[float, float] = (0.1, 0.9)
    fold: bool = True


class TableRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which series, and the x or the range of x that is asked about."""

    series: Annotated[list[SeriesName], Meta(extra_json_schema=_LIMITED)]
    x: Axis = "step"
    x_tag: TagText | None = None
    at: float | None = None
    range: tuple[float, float] | None = None
    segments: Segments = "latest"
    smoothing: Smoothing | None = None
    fold: bool = True


class ColumnsRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """The tags whose values the run list shows."""

    tags: Annotated[list[TagText], Meta(extra_json_schema={"maxItems": 100})]
    fold: bool = True
    mean_of: Annotated[int, Meta(ge=1, le=1000)] | None = None


class ExportRequest(Struct, frozen=True):
    """What to export; no run means all runs that have the tag, no tag means all scalar tags."""

    format: Format = "csv"
    run: list[RunText] = []
    tag: list[TagText] = []
    segments: Segments = "latest"
    fold: bool = True


class CurveHeader(Struct, frozen=True):
    """One curve in the frame's header."""

    run: str
    tag: str
    points: int
    superseded: int
    restarts: int
    in_range: int
    exact: bool
    x_extent: tuple[float, float] | None
    y_extent: tuple[float, float] | None
    y_inner: tuple[float, float] | None
    nan: int
    inf: int
    notices: list[str]
    segments: list[Segment]
    columns: dict[str, Column]


class CurvesHeader(Struct, frozen=True):
    """Header of a frame of curves."""

    epoch: int
    x: Axis
    series: list[CurveHeader]


class GroupHeader(Struct, frozen=True):
    """One group in the frame's header."""

    name: str
    runs: int
    n_min: int
    n_max: int
    columns: dict[str, Column]


class GroupsHeader(Struct, frozen=True):
    """Header of a frame of groups."""

    epoch: int
    groups: list[GroupHeader]


class TagColumns(Struct, frozen=True):
    """The columns of one tag."""

    name: str
    columns: dict[str, Column]


class ColumnsHeader(Struct, frozen=True):
    """Header of a frame of run-list columns."""

    epoch: int
    runs: list[str]
    tags: list[TagColumns]


class TableAnswer(Struct, frozen=True):
    """The rows of a table, in the order they were asked for."""

    epoch: int
    rows: list[TableRow]


def check_count(count: int, what: str, limit: int = MAX_SERIES) -> None:
    """Raises TooMuch over the limit."""
    if count > limit:
        raise TooMuch(f"A request can name at most {limit:,} {what}; ask for fewer.", "too_many")


def window(
    views: Views,
    x: Axis,
    x_tag: str | None,
    span: tuple[float, float] | None,
    width: int = 1,
    log_x: bool = False,
) -> Window:
    """The window a request asks for. Raises BadInput or TooMuch when it makes no sense."""
    if width < 1:
        raise BadInput("width must be at least 1.", "bad_width")
    if width > MAX_WIDTH:
        raise TooMuch(f"width can be at most {MAX_WIDTH:,}; ask for fewer pixel columns.", "too_wide")
    if x == "tag" and x_tag is None:
        raise BadInput("x_tag must name a tag when x is tag.", "no_x_tag")
    low, high = (-math.inf, math.inf) if span is None else span
    if low > high:
        raise BadInput("The range must go from low to high.", "bad_range")
    tag = views.tag_id(x_tag) if x == "tag" and x_tag is not None else NO_TAG
    return Window(x, tag, low, high, width, log_x)


def checked(smoothing: Smoothing | None) -> Smoothing | None:
    """The smoothing when it makes a difference; an ema of 0 is none."""
    if smoothing is not None:
        smoothing.check()
    return None if smoothing == Smoothing("ema", 0.0) else smoothing
