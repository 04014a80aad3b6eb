"""Patterns for names of devices mean what regular expressions mean, and never try anything twice."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepscope.analyses.devices.name_pattern import NamePattern
from stepscope.analyses.devices.table import published_devices

NAMES = ["NVIDIA A100-SXM4-80GB", "NVIDIA A10", "NVIDIA A10G", "Tesla T4", "RTX T400", "TPU v5 lite", "TPU v5e", "TPU v5p", "x+y (2)"]


PATTERNS = [*(row.pattern.pattern for row in published_devices().devices), r"x\+y \(\d\)", "^TPU.*(lite|p)$", "a|4$"]
REFUSED = ["(a+)+b", "(a*)*", "a{1,9}", "[ab]", r"(a)\1", "(?=a)", "(a", "a)", "?a", "a??", "a\\", "(a|b)" * 30, "a" * 201]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_it_finds_what_a_regular_expression_finds(pattern: str) -> None:
    for name in NAMES:
        assert NamePattern(pattern).search(name) == bool(re.search(pattern, name, re.IGNORECASE)), name


atoms = st.sampled_from(["a", "b", "A", ".", ".*", "a?", "(a|b)", "(ab|)?", r"\b", " ", "^", "$"])


@given(pattern=st.lists(atoms, max_size=5).map("".join), name=st.text("ab ", max_size=8))
def test_any_pattern_finds_what_a_regular_expression_finds(pattern: str, name: str) -> None:
    assert NamePattern(pattern).search(name) == bool(re.search(pattern, name, re.IGNORECASE))


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_could_take_for_ever_or_cannot_be_read_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"^it |supported$"):
        NamePattern(pattern)


def test_many_gaps_take_one_walk_over_the_name() -> None:
    """A regular expression with as many `.*` would try each way to share the name between them."""
    assert NamePattern(".*a" * 60).search("a" * 10_000)
    assert not NamePattern(".*a" * 60 + "b").search("a" * 10_000)
