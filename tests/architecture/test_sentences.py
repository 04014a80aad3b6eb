"""Tests compare values, not sentences: a literal of many plain words in an assertion would break when its wording improves."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
MANY = 5
"""Plain words in one literal."""
_PLAIN_WORD = re.compile(r"(?<![\w%=\[])[A-Za-z]{2,}(?=[,.:;)]?(?:\s|$))")


def has_sentence(node: ast.AST) -> bool:
    """Whether a literal in it is a sentence."""
    texts = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str))
    return any(len(_PLAIN_WORD.findall(text)) >= MANY for text in texts)


def with_sentences(source: str) -> int:
    """How many comparisons in assertions, and patterns for errors, have one."""
    found = 0
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assert):
            found += any(has_sentence(each) for each in ast.walk(node.test) if isinstance(each, ast.Compare))
        elif isinstance(node, ast.keyword) and node.arg == "match":
            found += has_sentence(node.value)
    return found


@pytest.mark.slow
def test_no_assertion_has_a_sentence() -> None:
    counts = {str(path.relative_to(TESTS)): with_sentences(path.read_text()) for path in TESTS.rglob("test_*.py")}
    counts = {name: count for name, count in counts.items() if count and name != "architecture/test_sentences.py"}
    assert counts == {}, "compare codes, numbers or structure; name a text that the test itself gives"


def test_a_sentence_would_be_noticed() -> None:
    assert with_sentences('assert said == "The file has more than two names."') == 1
    assert with_sentences('with raises(E, match="this is not a good name"): pass') == 1
    assert (
        with_sentences('assert (code, figures(said)) == ("too_many", [1, 2])\nassert seen, "the reason of a failure in many words"')
        == 0
    )
