"""Columns of rows inside rows."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.flat_columns import flat_columns, value_at


class Inner(Struct):
    low: Annotated[float, d.ms("Least.")]
    names: Annotated[list[str], d.nested("Names.")]


class Outer(Struct):
    count: Annotated[int, d.count("How many.")]
    gain: Annotated[Inner | None, d.nested("Gain.")]
    rows: Annotated[list[Inner], d.nested("All.")]


def test_a_row_inside_a_row_becomes_columns_and_a_list_stays_one() -> None:
    found = flat_columns(Outer)
    assert [(one.column.key, one.column.unit, one.path) for one in found] == [
        ("count", "count", ("count",)),
        ("gain_low", "ms", ("gain", "low")),
        ("gain_names", "", ("gain", "names")),
        ("rows", "", ("rows",)),
    ]


def test_a_missing_row_has_no_values() -> None:
    assert value_at({"gain": None}, ("gain", "low")) is None
    assert value_at({"gain": {"low": 2.0}}, ("gain", "low")) == 2.0
