"""Numbers in sentences: three digits, with a unit that fits, and never an exponent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepscope.analyses.texts import milliseconds, size_text, worker_name
from stepscope.model.number_text import three_digits
from stepscope.rules.rule import mebibytes


@pytest.mark.parametrize(
    ("number", "text"), [(0.25, "0.25"), (12.52, "12.5"), (999.4, "999"), (999.6, "1,000"), (1080, "1,080"), (1.5e6, "1,500,000")]
)
def test_three_digits(number: float, text: str) -> None:
    assert three_digits(number) == text


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
    assert not any("e+" in text for text in (three_digits(number), milliseconds(number), size_text(number), mebibytes(number)))
