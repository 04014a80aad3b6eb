"""The route of counters: values over time and in steps, courses in as many columns as asked for, and none."""

from __future__ import annotations

import pytest

from analyses.counter_profiles import counted
from dashboards.profile_server import ProfileServer


def test_counters_with_their_courses(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", lambda: counted("main  1111222233", use=[(0, 10), (4, 30), (8, 20)], late=[(9, 5)]))
    (session,) = profiles.sessions()
    answer = profiles.part("counters", session["id"], columns=5)
    use, late = answer["counters"]
    (axis,) = answer["axes"]
    assert (answer["total"], axis["worker"], axis["start_ms"], axis["end_ms"]) == (2, "worker0", 0, 10)
    assert axis["steps"] == [
        {"step": 1, "start_ms": 0, "end_ms": 4},
        {"step": 2, "start_ms": 4, "end_ms": 8},
        {"step": 3, "start_ms": 8, "end_ms": 10},
    ]
    assert (use["name"], use["process"], use["samples"]) == ("use", "GPU 0", 3)
    assert (use["least"], use["mean"], use["most"], use["last"]) == (10, 20, 30, 20)
    assert ([step["mean"] for step in use["steps"]], use["step_mean"]) == ([10, 30, 20], 20)
    course = use["course"]
    assert (course["ms"], course["low"], course["high"]) == ([0, 2, 4, 6, 8], [10, 10, 30, 30, 20], [10, 10, 30, 30, 20])
    assert (late["course"]["ms"], late["course"]["ends"]) == ([8], [5])
    assert late["steps"] == [{"step": 1, "mean": None}, {"step": 2, "mean": None}, {"step": 3, "mean": 5}]


def test_courses_are_answered_when_asked_for(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", lambda: counted("main  1111222233", use=[(0, 10), (4, 30), (8, 20)]))
    (session,) = profiles.sessions()
    (row,) = profiles.part("counters", session["id"])["counters"]
    assert (row["course"], row["samples"]) == (None, 3)


def test_none(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  1111oo")
    (session,) = profiles.sessions()
    answer = profiles.part("counters", session["id"])
    assert (answer["counters"], answer["total"]) == ([], 0)


@pytest.mark.parametrize("columns", [-1, 100_000])
def test_a_chart_has_some_columns(profiles: ProfileServer, columns: int) -> None:
    profiles.record("train", "worker0", "main  1111oo")
    (session,) = profiles.sessions()
    assert profiles.part("counters", session["id"], 400, columns=columns)["error"]["message"].endswith(".")
