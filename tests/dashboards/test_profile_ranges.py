"""Every route of the Profile tab answers for a chosen range, and refuses what is none before anything is read."""

from __future__ import annotations

from typing import Any

import pytest

from dashboards.profile_server import ProfileServer
from stepscope.dashboards.profile.dashboard import PROFILE

SLOW_FIRST = """
    main       111111111111222233334444555566667777
    main       iiiiiiiiil..il..il..il..il..il..il..
    gpu 0                KK  KK  KK  KK  KK  KK  KK
"""
NOT_OF_STEPS = {"sessions", "{session}/span", "{session}/instances", "{session}/hlo_op", "kinds", "epochs"}
NOT_OF_STEPS |= {"memory/logged", "memory/marks", "memory/programs"}
"""Lists, rows of the whole recording, compiled programs, and what is logged beside recordings."""
NOT_OF_STEPS |= {"{session}/html", "html/{id}"}
"""A job makes the file; test_profile_html.py asks it for ranges."""
_TRACE = ("tracks", "tiles", "search", "area", "calls", "gaps", "path_trace", "slack", "replay", "ranks", "rank_tiles")
NOT_OF_STEPS |= {f"{{session}}/{part}" for part in _TRACE}
"""The trace, which is always of the whole recording."""
NEEDED = {"{session}/node": {"name": ""}}
"""What a route has to be asked for besides a session."""
OF_SEVERAL = {"{session}/compare", "trend", "{session}/memory_compare"}
ROUTES = [name for route in PROFILE.routes if (name := route.path.removeprefix("/profile/")) not in NOT_OF_STEPS | OF_SEVERAL]


@pytest.fixture
def session(profiles: ProfileServer) -> str:
    profiles.record("train", "worker0", SLOW_FIRST, K="gemm")
    (found,) = profiles.sessions()
    return found["id"]


def test_the_overview_of_a_range_is_of_its_steps(profiles: ProfileServer, session: str) -> None:
    whole, part = profiles.part("steps", session), profiles.part("steps", session, range="3:6")
    assert whole["range"] is None
    assert part["range"] == "steps 3 to 5, 3 of 7"
    steps = {row["step"]: row for row in whole["steps"]}
    assert [row["step"] for row in part["steps"]] == [3, 4, 5]
    assert all(row["parts"] == steps[row["step"]]["parts"] for row in part["steps"])
    assert all(row["start_ms"] == steps[row["step"]]["start_ms"] for row in part["steps"])


def test_warm_up_is_marked_and_left_out(profiles: ProfileServer, session: str) -> None:
    def marks(**query: Any) -> dict[int, bool]:
        return {row["step"]: row["warm_up"] for row in profiles.part("steps", session, **query)["steps"]}

    assert marks() == {1: True} | dict.fromkeys(range(2, 8), False)
    assert marks(range="skip-warmup") == dict.fromkeys(range(2, 8), False)


def test_tables_count_what_belongs_to_the_range(profiles: ProfileServer, session: str) -> None:
    def count(**query: Any) -> int:
        return sum(row["count"] for row in profiles.part("kernels", session, **query)["kernels"])

    assert (count(range="1:3"), count(range="3:"), count()) == (2, 5, 7)


def test_evidence_names_rows_of_the_whole_recording(profiles: ProfileServer, session: str) -> None:
    report = profiles.part("report", session, range="4:")
    places = [line["spans"] for found in report["findings"] for line in found["evidence"] if line["spans"] and line["spans"]["rows"]]
    assert places
    for place in places:
        span = profiles.part("span", session, row=place["rows"][0])
        assert span["start_us"] == pytest.approx(place["start_ms"] * 1e3)


@pytest.mark.parametrize("route", ROUTES)
def test_every_route_takes_a_range(profiles: ProfileServer, session: str, route: str) -> None:
    place, needed = route.replace("{session}", session), NEEDED.get(route, {})
    refused = profiles.get(place, status=400, session=session, range="x:y", **needed)
    assert refused["error"]["code"] == "bad_range"
    answer = profiles.client.get(f"/api/v1/profile/{place}", params={"session": session, "range": "2:4", **needed})
    assert answer.status_code == 200, answer.text


def test_a_wrong_range_is_refused_before_anything_is_read(profiles: ProfileServer, session: str) -> None:
    profiles.part("report", session, 400, range="5:2")
    assert profiles.read == []
    assert "1 to 7" in profiles.part("report", session, 400, range="90:")["error"]["message"]
