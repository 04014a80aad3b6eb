"""The route of counters: values over time and in steps, courses in as many columns as asked for, and none."""

from __future__ import annotations

import pytest

from analyses.test_counters import counted
from dashboards.conftest import ProfileServer


def test_counters_with_their_courses(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", lambda: counted("main  1111222233", use=[(0, 10), (4, 30), (8, 20)], late=[(9, 5)]))
    (session,) = profiles.sessions()
    answer = profiles.get("counters", session=session["id"], columns=5)
    use, late = answer["rows"]
    assert (answer["total"], answer["start_ms"], answer["end_ms"]) == (2, 0, 10)
    assert answer["steps"] == [
        {"step": 1, "start_ms": 0, "end_ms": 4},
        {"step": 2, "start_ms": 4, "end_ms": 8},
        {"step": 3, "start_ms": 8, "end_ms": 10},
    ]
    assert (use["name"], use["process"], use["samples"]) == ("use", "GPU 0", 3)
    assert (use["least"], use["mean"], use["most"], use["last"]) == (10, 20, 30, 20)
    assert (use["step_means"], use["step_mean"]) == ([10, 30, 20], 20)
    assert (use["ms"], use["low"], use["high"]) == ([0, 2, 4, 6, 8], [10, 10, 30, 30, 20], [10, 10, 30, 30, 20])
    assert (late["ms"], late["ends"], late["step_means"]) == ([8], [5], [None, None, 5])


def test_none(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  1111oo")
    (session,) = profiles.sessions()
    answer = profiles.get("counters", session=session["id"])
    assert (answer["rows"], answer["total"]) == ([], 0)


@pytest.mark.parametrize("columns", [0, 100_000])
def test_a_chart_has_some_columns(profiles: ProfileServer, columns: int) -> None:
    profiles.record("train", "worker0", "main  1111oo")
    (session,) = profiles.sessions()
    assert profiles.get("counters", 400, session=session["id"], columns=columns)["error"]["message"].endswith(".")
