"""What the routes of histograms take and answer."""

from __future__ import annotations

import math
from typing import Annotated

from msgspec import UNSET, Meta, Struct

from stepscope.dashboards.frame import Placed
from stepscope.dashboards.job_routes import JobRow
from stepscope.dashboards.questions import Fold, Range, RunText, SeriesName, TagText, most
from stepscope.model import declared as d
from stepscope.model.errors import BadInput, TooMuch
from stepscope.model.numbers import JsonNumber
from stepscope.model.shared_columns import Epoch, Notices, Problem, RunKey, TagName
from stepscope.queries.histograms import Axis, Span

MAX_SERIES = 200
MAX_SLOTS = 4_096
MAX_BINS = 2_048
MAX_CELLS = 8_000_000
"""Series times slots times bins: what one answer may have to hold."""

Series = Annotated[list[SeriesName], most(MAX_SERIES), d.nested("The series; at most 200.")]
XAxis = Annotated[Axis, d.text("What x is: steps, seconds since 1970, or seconds since the start of the run's experiment.")]
SlotCount = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": MAX_SLOTS}), d.count("Most slots of x to answer.")]
BinCount = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": MAX_BINS}), d.count("Number of cells for each slot.")]


Drawing = Annotated[
    JobRow | None, d.nested("The drawing while it takes long: there are no series yet, ask for it by its id; null when it is done.")
]


class GridRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which series, the part of x and of the values that is wanted, and how finely."""

    series: Series
    x: XAxis = "step"
    range: Range = None
    values: Annotated[tuple[float, float] | None, d.as_logged("Range of the values, lowest first; null: everything.")] = None
    slots: SlotCount = 200
    bins: BinCount = 100
    fold: Fold = True


class BandsRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which series, the part of x that is wanted, and how finely."""

    series: Series
    x: XAxis = "step"
    range: Range = None
    slots: SlotCount = 400
    fold: Fold = True


class HistogramRequest(Struct, frozen=True):
    """Which histogram."""

    run: RunText
    tag: TagText
    at: Annotated[float, d.on_x("Place on x; the nearest histogram is answered.")]
    x: XAxis = "step"
    fold: Fold = True


class SlotColumns(Struct, frozen=True):
    """One entry for each slot: one step when there are enough slots, else all steps in an equal interval of x."""

    first_x: Annotated[Placed, d.binary("f64", "x of the first step.", "unit of x")] = UNSET
    last_x: Annotated[Placed, d.binary("f64", "x of the last step.", "unit of x")] = UNSET
    first_step: Annotated[Placed, d.binary("f64", "The first step.", "step")] = UNSET
    step: Annotated[Placed, d.binary("f64", "The last step.", "step")] = UNSET
    wall: Annotated[Placed, d.binary("f64", "Wall time of the last step.", "s since 1970")] = UNSET
    count: Annotated[Placed, d.binary("i32", "Number of steps.", "count")] = UNSET


class GridColumns(SlotColumns, frozen=True):
    """Slots, and their cells."""

    cells: Annotated[Placed, d.binary("f32", "Mean count of each cell, `bins` for each slot, from the lowest value.", "count")] = UNSET


class BandsColumns(SlotColumns, frozen=True):
    """Slots, and their percentiles."""

    levels: Annotated[Placed, d.binary("f64", "Percentiles, one for each of the header's `levels` and each slot.", "as logged")] = UNSET


class SlotsHeader(Struct, frozen=True, kw_only=True):
    """What is said of one series, however it is shown."""

    run: RunKey
    tag: TagName
    steps: Annotated[int, d.count("Steps of the whole series.")] = 0
    in_range: Annotated[int, d.count("Steps in the slots.")] = 0
    x_extent: Annotated[tuple[float, float] | None, d.on_x("Lowest and highest x of the series; null without any.")] = None
    problem: Problem = None
    notices: Notices = []


class GridHeader(SlotsHeader, frozen=True, kw_only=True):
    """One series as cells of counts; one that could not be read has no columns."""

    extent: Annotated[tuple[float, float] | None, d.as_logged("Lowest and highest edge of a bucket in range; null without any.")] = None
    values: Annotated[tuple[float, float], d.as_logged("Range of values that the cells cover.")] = (0.0, 1.0)
    columns: Annotated[GridColumns, d.nested("Its columns.")] = GridColumns()


class GridsHeader(Struct, frozen=True):
    """Header of a frame of cells."""

    epoch: Epoch
    job: Drawing
    x: XAxis
    bins: BinCount
    series: Annotated[list[GridHeader], d.nested("The series in the order asked for.")]


class BandsHeader(SlotsHeader, frozen=True, kw_only=True):
    """One series as percentiles; one that could not be read has no columns."""

    columns: Annotated[BandsColumns, d.nested("Its columns.")] = BandsColumns()


class BandsFrameHeader(Struct, frozen=True):
    """Header of a frame of percentiles."""

    epoch: Epoch
    job: Drawing
    x: XAxis
    levels: Annotated[list[float], d.fraction("The percentiles that are answered, as shares of the values.")]
    series: Annotated[list[BandsHeader], d.nested("The series in the order asked for.")]


class HistogramAnswer(Struct, frozen=True):
    """One histogram as it is in the file."""

    step: Annotated[int, d.step("Its step.")]
    wall: Annotated[JsonNumber, d.wall_time("Its wall time.")]
    relative: Annotated[JsonNumber, d.seconds("Time since the start of the run's experiment.")]
    left: Annotated[list[JsonNumber], d.as_logged("Lower edge of each bucket.")]
    right: Annotated[list[JsonNumber], d.as_logged("Upper edge of each bucket.")]
    count: Annotated[list[float], d.count("Number of values in each bucket.")]
    left_out: Annotated[int, d.count("Buckets left out because their edges or counts are not numbers.")]


def check_count(count: int, what: str, limit: int) -> None:
    """Raises TooMuch over the limit."""
    if count > limit:
        raise TooMuch(f"A request can ask for at most {limit:,} {what}; ask for fewer.", "too_many")


def span_of(x: Axis, span: tuple[float, float] | None, slots: int) -> Span:
    """The part of x that a request asks for. Raises BadInput or TooMuch when it makes no sense."""
    if slots < 1:
        raise BadInput("slots must be at least 1.", "bad_slots")
    check_count(slots, "slots", MAX_SLOTS)
    low, high = (-math.inf, math.inf) if span is None else span
    if not low <= high:
        raise BadInput("The range must go from low to high.", "bad_range")
    return Span(x, low, high, slots)


def checked_values(values: tuple[float, float] | None) -> tuple[float, float] | None:
    """The part of the values that a request asks for. Raises BadInput."""
    if values is not None and not (values[0] < values[1] and math.isfinite(values[1] - values[0])):
        raise BadInput("The values must go from low to high, and be numbers.", "bad_values")
    return values
