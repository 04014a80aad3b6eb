"""Numbers in sentences: three digits, with a unit that fits, and never an exponent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepscope.analyses.texts import milliseconds, size_text, worker_name
from stepscope.model.number_text import digits, three_digits
from stepscope.rules.rule import mebibytes

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "stepscope"


@pytest.mark.parametrize(
    ("number", "text"), [(0.25, "0.25"), (12.52, "12.5"), (999.4, "999"), (999.6, "1,000"), (1080, "1,080"), (1.5e6, "1,500,000")]
)
def test_three_digits(number: float, text: str) -> None:
    assert three_digits(number) == text


@pytest.mark.parametrize(
    ("number", "text"), [(1.23456, "1.235"), (1080.4, "1,080"), (9999.4, "9,999"), (9999.6, "10,000"), (1e9, "1,000,000,000")]
)
def test_four_digits(number: float, text: str) -> None:
    assert digits(number, 4) == text


@pytest.mark.parametrize(
    ("worker", "rank", "name"),
    [
        ("host_1", 3, "rank 3"),
        ("rank1", None, "rank 1"),
        ("rank_07", None, "rank 7"),
        ("host_1", None, "host_1"),
        ("rank", None, "rank"),
    ],
)
def test_a_rank_has_one_name(worker: str, rank: int | None, name: str) -> None:
    assert worker_name(worker, rank) == name


@given(st.floats(1, 1e17))
def test_no_text_has_an_exponent(number: float) -> None:
    assert not any(
        "e+" in text for text in (three_digits(number), digits(number, 4), milliseconds(number), size_text(number), mebibytes(number))
    )


def test_digits_are_rounded_in_one_place() -> None:
    """A format such as `.3g` writes 1.08e+03. What is only rounded so, or read again by the program, is no text for people."""
    texts = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    formats = {name for name, text in texts.items() if re.search(r":,?\.\dg\}", text)}
    as_tensorboard_does = "compat/hparams/download.py"
    assert formats == {"session/logged_memory_texts.py", "analyses/what_if/levers.py", as_tensorboard_does}
