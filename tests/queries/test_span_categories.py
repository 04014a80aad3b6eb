"""The table of span categories keeps the order of its rules, and can be limited to one category or to the user's own."""

from __future__ import annotations

import pytest

from stepscope.model.span_kinds import KindRow, KindTable
from stepscope.queries.span_categories import span_categories

TABLE = KindTable(
    "/data/span_kinds.toml",
    (
        KindRow("load_*", "input", "host events", "/data/span_kinds.toml", True),
        KindRow("save_*", "io", "host events", "/data/span_kinds.toml", True),
        KindRow("Iterator*", "input", "host events", "TensorFlow", False),
    ),
    "line 3 is not TOML",
)


@pytest.mark.parametrize(
    ("kind", "yours", "patterns"),
    [
        (None, False, ["load_*", "save_*", "Iterator*"]),
        ("input", False, ["load_*", "Iterator*"]),
        ("input", True, ["load_*"]),
        ("gc", False, []),
    ],
)
def test_rules_are_limited_in_their_order(kind: str | None, yours: bool, patterns: list[str]) -> None:
    assert [row.pattern for row in span_categories(TABLE, kind, yours=yours).kinds] == patterns


def test_file_problem_and_origin_are_those_of_the_table() -> None:
    found = span_categories(TABLE)
    assert (found.file, found.problem) == (TABLE.file, TABLE.problem)
    last = found.kinds[-1]
    assert (last.kind, last.held_against, last.origin, last.yours) == ("input", "host events", "TensorFlow", False)
