"""Formulas are read like arithmetic, in one pass, and computed only from the tags that they name."""

from __future__ import annotations

import numpy as np
import pytest

from stepscope.model.errors import BadInput
from stepscope.queries.formula import MAX_FORMULA, read_formula


def value(text: str, **tags: float) -> float:
    """The formula of single values; a tag's `__` stands for a slash."""
    return float(read_formula(text).of({name.replace("__", "/"): np.array([one]) for name, one in tags.items()})[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * 2", 7),
        ("(a + b) * 2", 10),
        ("a - b - 1", 0),
        ("-a ^ 2", -9),
        ("2 ^ a ^ b", 2.0**9),
        ("2 ** -b", 0.25),
        ("- - a", 3),
        ("a / b / 2", 0.75),
        ("exp(log(a))", 3),
        ("max(a, b) - min(a, b)", 1),
        ("sqrt(abs(-a * a))", 3),
        ("log2(8) * a + log10(100) * b", 13),
        ("1e-1*a + .5 * b", 1.3),
        ('"a"*"b"', 6),
    ],
)
def test_formulas_mean_what_arithmetic_means(text: str, expected: float) -> None:
    assert value(text, a=3, b=2) == pytest.approx(expected)


def test_names_of_tags_need_no_quotes() -> None:
    assert value("train/loss - val/loss", train__loss=3, val__loss=1) == 2
    assert read_formula('layer.0:w/norm + "my tag - 2" + layer.0:w/norm').tags == ("layer.0:w/norm", "my tag - 2")
    assert read_formula("loss/2").tags == ("loss/2",)
    assert read_formula("1/top + x").tags == ("1/top", "x")
    assert read_formula("exp + 1").tags == ("exp",)


def test_what_has_no_value_is_not_finite() -> None:
    assert np.isnan(value("log(a)", a=-1))
    assert np.isinf(value("1 / a", a=0))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3 + 4",
        "a +",
        "a b",
        "a * / b",
        "(a",
        "a)",
        "f(a)",
        "min(a)",
        "exp(a, a)",
        "exp()",
        "a, b",
        "(a, b)",
        "a ; b",
        "2 (a)",
        "a" * 501,
    ],
)
def test_what_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_formula(text)
    assert refused.value.code == "bad_formula"


def test_an_error_names_the_place() -> None:
    with pytest.raises(BadInput, match="character 5"):
        read_formula("a * / b")


@pytest.mark.parametrize("start", ["(", "-", "exp("])
def test_depth_needs_no_recursion(start: str) -> None:
    many = (MAX_FORMULA - 1) // (len(start) + 1)
    formula = start * many + "a" + ")" * (many if "(" in start else 0)
    assert read_formula(formula).tags == ("a",)
