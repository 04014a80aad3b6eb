"""Names are shown safely and sorted as people expect."""

from __future__ import annotations

from stepscope.model.numbers import number
from stepscope.queries.names import natural_key, path_text, tag_text


def test_numbers_in_names_sort_by_value() -> None:
    names = ["layer10", "layer2", "Layer1", "layer2/b", "10", "9", "a"]
    assert sorted(names, key=natural_key) == ["9", "10", "Layer1", "a", "layer2", "layer2/b", "layer10"]


def test_any_names_can_be_compared() -> None:
    names = ["", "1", "a", "1a", "a1", "²", "٣", "9" * 50, "a" + "9" * 50]
    assert len(sorted(names, key=natural_key)) == len(names)


def test_bytes_that_are_no_text_are_escaped() -> None:
    assert tag_text(b"loss\xff") == "loss\\xff"
    assert path_text("run\udcff") == "run\\xff"
    assert path_text("läuft") == "läuft"


def test_numbers_json_does_not_have() -> None:
    values = [1.5, float("nan"), float("inf"), float("-inf"), None]
    assert [number(value) for value in values] == [1.5, "NaN", "Infinity", "-Infinity", None]
