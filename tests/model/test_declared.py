"""Declared rows are filled from objects of the analyses by name, and say what their columns are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Annotated, Literal

import pytest
from msgspec import UNSET, Meta, Struct, UnsetType

from stepscope.model import declared as d
from stepscope.model.declared import Column, cells, column_values, columns, fill, fill_all
from stepscope.model.numbers import JsonNumber, Number

_Bounded = Annotated[int, Meta(le=5, description="At most five.")]


class Colour(Enum):
    RED = "red"


class Kind(IntEnum):
    COPY = 3


@dataclass(frozen=True, slots=True)
class Inner:
    """An object inside another."""

    name: str
    length_ns: int


@dataclass(frozen=True, slots=True)
class Found:
    """What an analysis might find."""

    name: str
    total_ns: int
    delay_ns: float | None
    flops: float
    memory: int
    colour: Colour
    kind: Kind
    shapes: tuple[str, ...]
    inner: Inner
    several: tuple[Inner, ...]

    @property
    def average_ns(self) -> float:
        """A derived number."""
        return self.total_ns / 2


class InnerRow(Struct, frozen=True):
    """A row inside another."""

    name: Annotated[str, d.text("Name.")]
    length_ms: Annotated[float, d.ms("Length.")]


class Row(Struct, frozen=True, kw_only=True):
    """A row of every kind of column."""

    name: Annotated[str, d.text("Name.")]
    total_us: Annotated[float, d.us("Total.")]
    average_ms: Annotated[float, d.ms("Average.")]
    delay_us: Annotated[float | None, d.us("Delay.")]
    flops: Annotated[float | None, d.number("FLOPs.", "FLOP")]
    memory: Annotated[int | None, d.size("Memory.")]
    colour: Annotated[str, d.text("Colour.")]
    kind: Annotated[str, d.text("Kind.")]
    shapes: Annotated[list[str], d.nested("Shapes.")]
    inner: Annotated[InnerRow, d.nested("Inside.")]
    several: Annotated[list[InnerRow], d.nested("More inside.")]
    given: Annotated[int, d.count("By the caller.")]
    optional: Annotated[str, d.text("Has a default.")] = "as declared"


FOUND = Found("a", 3_000, None, float("nan"), -1, Colour.RED, Kind.COPY, ("[2]",), Inner("b", 5_000_000), (Inner("c", 1_000_000),))


def test_units_enumerations_and_nested_rows_are_filled() -> None:
    assert fill(Row, FOUND, given=7) == Row(
        name="a", total_us=3.0, average_ms=0.0015, delay_us=None, flops=None, memory=None, colour="red", kind="copy", shapes=["[2]"],
        inner=InnerRow("b", 5.0), several=[InnerRow("c", 1.0)], given=7,
    )  # fmt: skip


def test_a_time_without_another_name_is_filled_too() -> None:
    @dataclass(frozen=True, slots=True)
    class Timed:
        ns: float

    class TimedRow(Struct, frozen=True):
        us: Annotated[float, d.us("Time.")]

    assert fill(TimedRow, Timed(2_500.0)).us == 2.5


def test_given_values_win() -> None:
    assert [row.name for row in fill_all(InnerRow, [Inner("b", 1), Inner("c", 2)], name="same")] == ["same", "same"]


def test_what_neither_the_object_nor_the_caller_has_is_an_error() -> None:
    with pytest.raises(TypeError, match="given"):
        fill(Row, FOUND)


def test_columns_have_type_unit_and_meaning() -> None:
    found = {column.key: column for column in columns(Row)}
    assert found["total_us"] == Column("total_us", "number", "µs", "Total.")
    assert found["memory"] == Column("memory", "integer or null", "B", "Memory.")
    assert found["several"].type == "list of InnerRow"


def test_rows_inside_are_cells_of_their_own() -> None:
    row = fill(Row, FOUND, given=7)
    assert cells(row)["inner_length_ms"] == 5.0
    assert cells(row)["several"] == [{"name": "c", "length_ms": 1.0}]
    assert column_values([row, row])["given"] == [7, 7]


class Measured(Struct, frozen=True, kw_only=True):
    """Columns that are no plain types."""

    value: Annotated[Number, d.as_logged("Value.")] = None
    edges: Annotated[list[JsonNumber], d.as_logged("Edges.")] = []
    way: Annotated[Literal["up", "down"], d.text("Way.")] = "up"
    sizes: Annotated[dict[str, int], d.size("Sizes by name.")] = {}
    most: Annotated[_Bounded | None, d.count("Most.")] = None
    left_out: Annotated[str | UnsetType | None, d.text("May be absent.")] = UNSET
    place: Annotated[InnerRow | UnsetType, d.binary("f64", "A column.", "s")] = UNSET


def test_numbers_that_json_does_not_have_are_words() -> None:
    @dataclass(frozen=True, slots=True)
    class Odd:
        value: float
        edges: tuple[float, ...]

    assert fill(Measured, Odd(math.nan, (-math.inf, 2))) == Measured(value="NaN", edges=["-Infinity", 2.0])


def test_types_are_named_as_json_has_them() -> None:
    number = " or ".join(("number", "`NaN`", "`Infinity`", "`-Infinity`"))
    assert {column.key: (column.type, column.unit, column.meaning) for column in columns(Measured)} == {
        "value": (f"{number} or null", "as logged", "Value."),
        "edges": (f"list of {number}", "as logged", "Edges."),
        "way": ("`up` or `down`", "", "Way."),
        "sizes": ("object of integer", "B", "Sizes by name."),
        "most": ("integer or null", "count", "Most."),
        "left_out": ("text or null", "", "May be absent."),
        "place": ("column of f64", "s", "A column."),
    }


def test_a_bounded_type_keeps_its_meaning_where_it_is_used_by_name() -> None:
    class Bounded(Struct):
        """One with its own words, one without."""

        plain: _Bounded
        said: Annotated[_Bounded, d.count("More exactly.")]

    assert [(column.meaning, column.unit) for column in columns(Bounded)] == [("At most five.", ""), ("More exactly.", "count")]
