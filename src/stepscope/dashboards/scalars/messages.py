"""What the routes of the Charts tab take and answer."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct

from stepscope.dashboards.frame import Placed
from stepscope.dashboards.questions import Fold, Range, RunText, SeriesName, TagText, most
from stepscope.model import declared as d
from stepscope.model.errors import BadInput, TooMuch
from stepscope.model.shared_columns import Epoch, RunKey, TagName
from stepscope.queries.export import Format
from stepscope.queries.groups import Band
from stepscope.queries.series import NO_TAG, Axis, Segment, Segments, Smoothing, Window
from stepscope.queries.table import TableRow
from stepscope.queries.view import Views

MAX_SERIES = 5_000
MAX_WIDTH = 8_192
MAX_PIXEL_COLUMNS = 4_000_000
"""Series times width: what one answer may have to hold."""
MAX_COLUMN_TAGS = 100

Series = Annotated[list[SeriesName], most(MAX_SERIES), d.nested("The series; at most 5,000.")]
XAxis = Annotated[
    Axis, d.text("What x is: steps, seconds since 1970, seconds since the start of the run's experiment, or the values of `x_tag`.")
]
XTag = Annotated[TagText | None, d.text("Tag whose value at the same step is x; only with x `tag`.")]
Width = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": MAX_WIDTH}), d.number("Pixel columns.", "px")]
LogX = Annotated[bool, d.flag("Whether pixel columns are equal steps of the logarithm of x.")]
Restarts = Annotated[
    Segments, d.text("Which points: without superseded ones, all of them as one line, or all of them in numbered segments.")
]
BandOf = Annotated[Band, d.text("What the band is: standard deviation, 95% confidence of the mean, extremes or quantiles.")]
USUAL_QUANTILES = (0.1, 0.9)
Smoothed = Annotated[Smoothing | None, d.nested("How to smooth, on all points; null: not at all.")]


class CurvesRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which curves, and the window they are reduced to."""

    series: Series
    x: XAxis = "step"
    x_tag: XTag = None
    range: Range = None
    width: Width = 640
    log_x: LogX = False
    segments: Restarts = "latest"
    smoothing: Smoothed = None
    fold: Fold = True
    formulas: Annotated[
        bool,
        d.flag(
            "Whether each `tag` is a formula over tags of the run, such as `exp(loss)`, computed at the steps that all its tags have."
        ),
    ] = False


class GroupName(Struct, frozen=True, forbid_unknown_fields=True):
    """One group of runs."""

    name: Annotated[str, Meta(max_length=1_000), d.text("Name of the group.")]
    runs: Annotated[list[RunText], most(MAX_SERIES), d.nested("Ids of its runs.")]


class GroupsRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which groups of one tag, and how their band is made."""

    groups: Annotated[list[GroupName], most(MAX_SERIES), d.nested("The groups.")]
    tag: TagText
    x: Annotated[
        Literal["step", "wall", "relative"],
        d.text("What x is: steps, seconds since 1970, or seconds since the start of the run's experiment."),
    ] = "step"
    range: Range = None
    width: Width = 640
    log_x: LogX = False
    segments: Restarts = "latest"
    smoothing: Smoothed = None
    band: BandOf = "ci95"
    quantiles: Annotated[tuple[float, float], d.fraction("The two quantiles, lower first; only with band `quantile`.")] = (
        USUAL_QUANTILES
    )
    fold: Fold = True


class TableRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which series, and the x or the range of x that is asked about."""

    series: Series
    x: XAxis = "step"
    x_tag: XTag = None
    at: Annotated[float | None, d.on_x("Place on x whose nearest point is wanted; null: none.")] = None
    range: Range = None
    segments: Restarts = "latest"
    smoothing: Smoothed = None
    fold: Fold = True


class ColumnsRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """The tags whose values the run list shows."""

    tags: Annotated[list[TagText], most(MAX_COLUMN_TAGS), d.nested("The tags; at most 100.")]
    fold: Fold = True
    mean_of: Annotated[
        Annotated[int, Meta(ge=1, le=1000)] | None, d.count("Number of last finite values to average; null: no such column.")
    ] = None
    steps: Annotated[bool, d.flag("Whether the steps of the lowest and highest values are wanted.")] = False


class ExportRequest(Struct, frozen=True):
    """What to export."""

    format: Annotated[Format, d.text("Type of the file; `parquet` needs `stepscope[sql]`.")] = "csv"
    run: Annotated[list[RunText], d.nested("Ids of runs; none: all runs that have the tags.")] = []
    tag: Annotated[list[TagText], d.nested("Names of tags; none: all tags with scalars.")] = []
    segments: Restarts = "latest"
    fold: Fold = True


class CurveColumns(Struct, frozen=True):
    """One entry for each point of the reduced curve; of the smoothed line; and of each value that is not finite."""

    x: Annotated[Placed, d.binary("f64", "x of each point.", "unit of x")] = UNSET
    y: Annotated[Placed, d.binary("f64", "Value of each point.", "as logged")] = UNSET
    step: Annotated[Placed, d.binary("f64", "Step of each point.", "step")] = UNSET
    wall: Annotated[Placed, d.binary("f64", "Wall time of each point.", "s since 1970")] = UNSET
    segment: Annotated[Placed, d.binary("i32", "Segment of each point, counted from 0.", "index")] = UNSET
    smooth_x: Annotated[Placed, d.binary("f64", "x of each point of the smoothed line.", "unit of x")] = UNSET
    smooth_y: Annotated[Placed, d.binary("f64", "Smoothed value of each point.", "as logged")] = UNSET
    smooth_segment: Annotated[Placed, d.binary("i32", "Segment of each point of the smoothed line.", "index")] = UNSET
    mark_x: Annotated[Placed, d.binary("f64", "x of each value that is not finite.", "unit of x")] = UNSET
    mark_kind: Annotated[Placed, d.binary("u8", "What it is: 1 NaN, 2 +Inf, 3 −Inf.", "1")] = UNSET


class CurveHeader(Struct, frozen=True):
    """One curve; a series that does not exist has 0 points and no columns."""

    run: RunKey
    tag: TagName
    points: Annotated[int, d.count("Points of the whole series.")]
    superseded: Annotated[int, d.count("Points of it that a restart has written again.")]
    restarts: Annotated[int, d.count("Number of restarts.")]
    in_range: Annotated[int, d.count("Points in the range.")]
    exact: Annotated[bool, d.flag("Whether no point in the range was left out.")]
    x_extent: Annotated[tuple[float, float] | None, d.on_x("Lowest and highest x of the series; null without any.")]
    y_extent: Annotated[tuple[float, float] | None, d.as_logged("Lowest and highest finite value in the range; null without any.")]
    y_inner: Annotated[tuple[float, float] | None, d.as_logged("5th and 95th percentile of them; null without any.")]
    nan: Annotated[int, d.count("Values in the range that are NaN.")]
    inf: Annotated[int, d.count("Values in the range that are infinite.")]
    notices: Annotated[list[str], d.nested("What is unusual about it, such as `two_values_per_step`.")]
    segments: Annotated[list[Segment], d.nested("Its segments between restarts.")]
    columns: Annotated[CurveColumns, d.nested("Its columns.")]


class CurvesHeader(Struct, frozen=True):
    """Header of a frame of curves."""

    epoch: Epoch
    x: XAxis
    series: Annotated[list[CurveHeader], d.nested("The curves in the order asked for.")]


class GroupColumns(Struct, frozen=True):
    """One entry for each x."""

    x: Annotated[Placed, d.binary("f64", "x.", "unit of x")] = UNSET
    mid: Annotated[Placed, d.binary("f64", "Mean of the runs; with band `quantile` their median.", "as logged")] = UNSET
    low: Annotated[Placed, d.binary("f64", "Lower edge of the band.", "as logged")] = UNSET
    high: Annotated[Placed, d.binary("f64", "Upper edge of the band.", "as logged")] = UNSET
    n: Annotated[Placed, d.binary("i32", "Runs that have a value there.", "count")] = UNSET
    mark_x: Annotated[Placed, d.binary("f64", "x where a run begins to have values that are not finite.", "unit of x")] = UNSET
    mark_kind: Annotated[Placed, d.binary("u8", "What it is: 1 NaN, 2 +Inf, 3 −Inf.", "1")] = UNSET


class GroupHeader(Struct, frozen=True):
    """One group."""

    name: Annotated[str, d.text("Name of the group.")]
    runs: Annotated[int, d.count("Runs of the group that have the tag.")]
    n_min: Annotated[int, d.count("Fewest runs with a value at any x.")]
    n_max: Annotated[int, d.count("Most runs with a value at any x.")]
    ended: Annotated[int, d.count("Runs whose last value is NaN or infinite; the line goes on without them.")]
    columns: Annotated[GroupColumns, d.nested("Its columns.")]


class GroupsHeader(Struct, frozen=True):
    """Header of a frame of groups."""

    epoch: Epoch
    groups: Annotated[list[GroupHeader], d.nested("The groups in the order asked for.")]


class RunColumns(Struct, frozen=True):
    """One entry for each run; NaN where a run lacks the tag."""

    last: Annotated[Placed, d.binary("f64", "Last value.", "as logged")] = UNSET
    last_step: Annotated[Placed, d.binary("f64", "Step of the last value.", "step")] = UNSET
    min: Annotated[Placed, d.binary("f64", "Lowest value.", "as logged")] = UNSET
    max: Annotated[Placed, d.binary("f64", "Highest value.", "as logged")] = UNSET
    mean: Annotated[Placed, d.binary("f64", "Mean of the last finite values; only with `mean_of`.", "as logged")] = UNSET
    min_step: Annotated[Placed, d.binary("f64", "Step of the lowest value; only with `steps`.", "step")] = UNSET
    max_step: Annotated[Placed, d.binary("f64", "Step of the highest value; only with `steps`.", "step")] = UNSET


class TagColumns(Struct, frozen=True):
    """The columns of one tag."""

    name: TagName
    columns: Annotated[RunColumns, d.nested("Its columns.")]


class ColumnsHeader(Struct, frozen=True):
    """Header of a frame of run-list columns."""

    epoch: Epoch
    runs: Annotated[list[str], d.nested("Ids of the runs, in the order of the columns.")]
    tags: Annotated[list[TagColumns], d.nested("The tags in the order asked for.")]


class TableAnswer(Struct, frozen=True):
    """Values at one x, or statistics over a range of it."""

    epoch: Epoch
    rows: Annotated[list[TableRow], d.nested("One row for each series, in the order asked for.")]


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
