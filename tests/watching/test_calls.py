"""What watching takes and refuses where no framework is installed."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope import watch_numerics
from stepscope.watching.models import arrays_in, unique


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(TypeError, match="torch module"):
        watch_numerics(object())
    with pytest.raises(ValueError, match="at least 1"):
        watch_numerics(object(), every=0)


def test_names_are_unique_and_what_is_known_keeps_its_own() -> None:
    paths: dict[Any, str] = {1: "a", 2: "a", 3: "a_2", 4: "b"}
    named = unique([1, 2, 3, 4], paths.__getitem__)
    assert named == [("a", 1), ("a_2", 2), ("a_2_2", 3), ("b", 4)]
    assert unique([4, 5], lambda _: "b", named[:1] + named[3:]) == [("a", 1), ("b", 4), ("b_2", 5)]


def test_trees_are_walked_in_order() -> None:
    assert list(arrays_in({"a": {"b": 1, "c": {"d": 2}}, "e": 3})) == [("a/b", 1), ("a/c/d", 2), ("e", 3)]
