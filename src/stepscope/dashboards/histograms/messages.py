"""What the routes of histograms take and answer."""

from __future__ import annotations

import math
from typing import Annotated, Any

from msgspec import Meta, Struct

from stepscope.dashboards.frame import Column
from stepscope.model.errors import BadInput, TooMuch
from stepscope.model.numbers import Number
from stepscope.queries.histograms import Axis, Span

MAX_SERIES = 200
MAX_SLOTS = 4_096
MAX_BINS = 2_048
MAX_CELLS = 8_000_000
"""Series times slots times bins: what one answer may have to hold."""

RunText = Annotated[str, Meta(max_length=64)]
TagText = Annotated[str, Meta(max_length=10_000)]
_LIMITED: dict[str, Any] = {"maxItems": MAX_SERIES}
SlotCount = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": MAX_SLOTS})]
BinCount = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": MAX_BINS})]


class HistogramName(Struct, frozen=True, forbid_unknown_fields=True):
    """A run's id and a tag's name."""

    run: RunText
    tag: TagText


class GridRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which series, the part of x and of the values that is wanted, and how finely."""

    series: Annotated[list[HistogramName], Meta(extra_json_schema=_LIMITED)]
    x: Axis = "step"
    range: tuple[float, float] | None = None
    values: tuple[float, float] | None = None
    slots: SlotCount = 200
    bins: BinCount = 100
    fold: bool = True


class BandsRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which series, the part of x that is wanted, and how finely."""

    series: Annotated[list[HistogramName], Meta(extra_json_schema=_LIMITED)]
    x: Axis = "step"
    range: tuple[float, float] | None = None
    slots: SlotCount = 400
    fold: bool = True


class HistogramRequest(Struct, frozen=True):
    """The value nearest to a place on x."""

    run: RunText
    tag: TagText
    at: float
    x: Axis = "step"
    fold: bool = True


class GridHeader(Struct, frozen=True):
    """One series of a frame of cells. `problem` says why it could not be read at all, `notices` what of it is left out."""

    run: str
    tag: str
    steps: int
    in_range: int
    x_extent: tuple[float, float] | None
    extent: tuple[float, float] | None
    values: tuple[float, float]
    problem: str | None
    notices: list[str]
    columns: dict[str, Column]


class GridsHeader(Struct, frozen=True):
    """Header of a frame of cells."""

    epoch: int
    x: Axis
    bins: int
    series: list[GridHeader]


class BandsHeader(Struct, frozen=True):
    """One series of a frame of percentiles."""

    run: str
    tag: str
    steps: int
    in_range: int
    x_extent: tuple[float, float] | None
    problem: str | None
    notices: list[str]
    columns: dict[str, Column]


class BandsFrameHeader(Struct, frozen=True):
    """Header of a frame of percentiles; `levels` are the shares that each row of nine stands for."""

    epoch: int
    x: Axis
    levels: list[float]
    series: list[BandsHeader]


class HistogramAnswer(Struct, frozen=True):
    """One logged histogram as it is in the file; bucket i holds `count[i]` values from `left[i]` to `right[i]`."""

    step: int
    wall: Number
    relative: Number
    left: list[Number]
    right: list[Number]
    count: list[float]
    left_out: int


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
