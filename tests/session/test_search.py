"""Search finds every span by its name or operation, in time order, with sums by name; patterns are linear or refused."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, Timeline
from session.drawn_sessions import analysed, drawn
from stepscope.analyses.timeline.search import matcher
from stepscope.model.errors import BadInput
from stepscope.model.profile import SpanKind
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.search import SEARCH, Search, SearchWanted


def asked(session: AnalysedSession, text: str, *, regex: bool = False, limit: int = 100) -> Search:
    return SEARCH.make(session, SearchWanted(text=text, regex=regex, limit=limit))


def products() -> AnalysedSession:
    """Two names that contain mm, one operation that does, and others."""
    line = Timeline()
    linear = line.op("Linear_MM")
    line.span("main", 5 * MS, 9 * MS, SpanKind.OP, "aten::addmm")
    line.span("main", 10 * MS, 11 * MS, SpanKind.OP, "aten::relu")
    line.span("gpu 0", 6 * MS, 8 * MS, SpanKind.KERNEL, "GEMM")
    line.span("gpu 0", 9 * MS, 10 * MS, SpanKind.KERNEL, "k", op=linear)
    line.span("main", 2 * MS, 3 * MS, SpanKind.OP, "aten::addmm")
    return analysed(line.build())


def test_spans_are_found_by_name_and_operation_in_time_order() -> None:
    found = asked(products(), "mm")
    assert (found.total, found.names_total) == (4, 3)
    assert [(row.name, row.start_us, row.duration_us, row.track, row.line) for row in found.rows] == [
        ("aten::addmm", 0, 1_000, 0, 0),
        ("aten::addmm", 3_000, 4_000, 0, 0),
        ("GEMM", 4_000, 2_000, 1, 0),
        ("k", 7_000, 1_000, 1, 0),
    ]
    assert [(each.name, each.count, each.total_us) for each in found.names] == [
        ("aten::addmm", 2, 5_000),
        ("GEMM", 1, 2_000),
        ("k", 1, 1_000),
    ]


def test_rows_are_those_of_the_profile() -> None:
    session = products()
    profile = session.profiles[0]
    assert [profile.names[int(profile.spans.name[row.row])] for row in asked(session, "mm").rows] == [
        "aten::addmm",
        "aten::addmm",
        "GEMM",
        "k",
    ]


def test_a_limit_keeps_the_first_and_counts_all() -> None:
    found = asked(products(), "MM", limit=1)
    assert (found.total, found.names_total, len(found.rows), len(found.names)) == (4, 3, 1, 1)
    assert (found.rows[0].start_us, found.names[0].name) == (0, "aten::addmm")


def test_nothing_is_found() -> None:
    found = asked(products(), "conv")
    assert (found.total, found.names, found.rows) == (0, [], [])


def test_a_range_changes_nothing() -> None:
    whole = drawn()
    assert asked(analysed(whole.profiles[0], chosen="3:5"), "K") == asked(whole, "K")
    assert asked(whole, "k").total == 4


@pytest.mark.parametrize(
    ("pattern", "names"),
    [("^aten::.*mm$", {"aten::addmm"}), ("relu|gemm", {"aten::relu", "GEMM"}), ("e.u", {"aten::relu"}), (r"\bk\b", {"k"})],
)
def test_patterns(pattern: str, names: set[str]) -> None:
    assert {row.name for row in asked(products(), pattern, regex=True).rows} == names


@pytest.mark.parametrize("pattern", ["(a+)+$", "[a-z]*", "(", ")", "?", "\\", "a{2}", "(a|b)" * 30, "a" * 999, r"(\w\1)"])
def test_patterns_that_are_not_linear_or_wrong_are_refused(pattern: str) -> None:
    with pytest.raises(BadInput) as caught:
        matcher(pattern, regex=True)
    assert caught.value.code == "bad_pattern"


def test_text_is_no_pattern() -> None:
    assert not matcher("a.u", regex=False)("aten::relu")
    assert matcher("(A+)+$", regex=False)("x(a+)+$")
