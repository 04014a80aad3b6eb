"""Patterns match what Python's matcher matches, and end whatever they are."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepscope.compat.linear_pattern import LONGEST_PATTERN, BadPattern, LinearPattern

TEXTS = ("", "a", "loss", "loss/train", "train/loss", "aab", "a.b", "x1_y2", "a\nb", "[", "aaaa", "é", "ab" * 20)


@pytest.mark.parametrize(
    "pattern",
    [
        *("", "loss", "lo.*", "^loss$", "(?:loss|acc)/", "a+b", "a{2}", "a{2,3}$", "a{2,}b", "a{,2}b", "(ab){3}", "a{x"),
        *("[^l]", "[a-c]+$", "[]]", r"[\]a]", r"\d", r"\w+_\w\d", r"a\.b", r"\bloss\b", r"\Btrain", "x?1?", "a*?b"),
        *("(a|)b", "|a", "((a))", r"[\w/]+", "a.b", r"\Aa", r"a\Z", "(" * 40 + "a" + ")" * 40, "(){3}a"),
    ],
)
def test_as_python_matches(pattern: str) -> None:
    ours = LinearPattern(pattern)
    theirs = re.compile(pattern)
    assert [ours.match(text) for text in TEXTS] == [theirs.match(text) is not None for text in TEXTS]
    assert [ours.search(text) for text in TEXTS] == [theirs.search(text) is not None for text in TEXTS]


@given(
    st.from_regex(r"(?:[ab.]|\((?:[ab](?:\|[ab])?)\)|\[\^?[abc]\])(?:[*+?]|\{[0-3]\})?" * 3, fullmatch=True), st.text("abc", max_size=8)
)
def test_any_pattern_as_python_matches(pattern: str, text: str) -> None:
    assert LinearPattern(pattern).search(text) == (re.search(pattern, text) is not None)
    assert LinearPattern(pattern).match(text) == (re.match(pattern, text) is not None)


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", ")", "a)", "[a", "*a", "a**", "a{3,2}", "\\", r"\1", "(?=a)", "(?P<a>b)", "(?i)a", "[b-a]", "(" * 60),
        *("a{9999}", "((a{99}){99}){99}", "(((){9999}){9999}){9999}"),
    ],
)
def test_what_is_not_known_is_refused(pattern: str) -> None:
    with pytest.raises(BadPattern):
        LinearPattern(pattern)


def test_long_patterns_are_refused() -> None:
    with pytest.raises(BadPattern):
        LinearPattern("a" * (LONGEST_PATTERN + 1))


@pytest.mark.parametrize("pattern", ["(a*)*b", "(a+)+b", "(a|aa)+b", "(.*)*x", "a*" * 30 + "b"])
def test_all_end(pattern: str) -> None:
    assert not LinearPattern(pattern).search("a" * 300)
