"""The table of rules: its numbers are the native reader's, and its lines can be read, added to and replaced."""

from __future__ import annotations

import json
import re
from enum import IntEnum
from pathlib import Path

import pytest

from formats.kineto.trace_events import span
from stepscope.formats.format import Limits
from stepscope.formats.kineto.read import read
from stepscope.formats.kineto.rules import RULES, CategoryClass, Match, Rule, Scope
from stepscope.model.profile import SpanKind

HEADER = Path(__file__).resolve().parents[3] / "native" / "profile" / "kineto_rules.hpp"


def declared(name: str) -> dict[str, int]:
    """An enumeration of the header."""
    found = re.search(rf"enum class {name} : \w+ \{{(.*?)\}};", HEADER.read_text(), re.DOTALL)
    assert found is not None
    return {key: int(value) for key, value in re.findall(r"(\w+) = (-?\d+)", found[1])}


@pytest.mark.parametrize(("ours", "theirs"), [(Scope, "RuleScope"), (Match, "RuleMatch"), (CategoryClass, "CategoryClass")])
def test_numbers_are_those_of_the_header(ours: type[IntEnum], theirs: str) -> None:
    expected = {key: value for key, value in declared(theirs).items() if key not in {"count", "unknown"}}
    assert {one.name.lower(): int(one) for one in ours} == expected


def test_no_rule_is_hidden_by_an_earlier_one() -> None:
    seen: set[tuple[Scope, Match, str]] = set()
    for rule in RULES:
        key = (rule.scope, rule.match, rule.text.lower())
        assert key not in seen, rule
        seen.add(key)


def test_a_user_can_add_a_rule(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps([span("kernel", "my_all_reduce_v7", pid=0, tid=7, device=0)]))
    mine = Rule(Scope.KERNEL, Match.PREFIX, "my_*_v7", SpanKind.COLLECTIVE)
    assert read(str(path), Limits()).spans.kind.tolist() == [SpanKind.KERNEL]
    assert read(str(path), Limits(), (mine, *RULES)).spans.kind.tolist() == [SpanKind.COLLECTIVE]
