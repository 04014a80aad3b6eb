"""JSON in pieces is the JSON of the whole, also of nothing."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from stepscope.compat.json_text import ROWS_AT_ONCE, Columns, cleaned, members, points, points_csv


def columns(count: int) -> Columns:
    steps = np.arange(count, dtype=np.int64)
    return steps.astype(np.float64) + 0.5, steps, steps.astype(np.float64) / 4


@pytest.mark.parametrize("count", [0, 1, ROWS_AT_ONCE, ROWS_AT_ONCE + 1])
def test_points(count: int) -> None:
    rows = [[step + 0.5, step, step / 4] for step in range(count)]
    assert json.loads(b"".join(points(columns(count)))) == rows
    assert json.loads(b"".join(points(columns(count), named=True))) == [{"wallTime": w, "step": s, "value": v} for w, s, v in rows]
    lines = b"".join(points_csv(columns(count))).decode().split("\r\n")
    assert lines == ["Wall time,Step,Value", *(f"{w},{s},{v}" for w, s, v in rows), ""]


def test_members() -> None:
    assert json.loads(b"".join(members(iter([])))) == {}
    found = members(iter([("a", points(columns(0))), ('"', points(columns(1)))]))
    assert json.loads(b"".join(found)) == {"a": [], '"': [[0.5, 0, 0.0]]}


def test_numbers_without_a_form_become_words() -> None:
    assert cleaned({"a": [math.nan, (math.inf, 1)], "b": -math.inf}) == {"a": ["NaN", ["Infinity", 1]], "b": "-Infinity"}
