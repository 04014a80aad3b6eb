"""Texts that a spreadsheet would run are shown, and all others stay as they are."""

from __future__ import annotations

import csv
import io

import pytest

from stepscope.model.csv_cells import csv_line, shown_text


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_formula_is_text(text: str) -> None:
    assert shown_text(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "loss", "a=b", "1-2", " =1", "'=1"])
def test_other_texts_are_left_alone(text: str) -> None:
    assert shown_text(text) == text


def test_a_line_stays_one_whatever_its_texts_contain() -> None:
    cells = ["a\rb", "a\nb", "a\r\nb", 'a"b', "a,b", "", "plain"]
    line = csv_line([*cells, 1.5, None])
    assert next(csv.reader(io.StringIO(line, newline=""))) == [*cells, "1.5", ""]
    assert line.startswith('"a\rb",')
