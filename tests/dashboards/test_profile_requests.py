"""The route of requests: percentiles with their parts, all of them sorted, the slowest with their place, and what could be one."""

from __future__ import annotations

from typing import Any

import pytest

from analyses.request_profiles import served
from dashboards.profile_server import ProfileServer


def asked(profiles: ProfileServer, **query: Any) -> dict[str, Any]:
    (session,) = profiles.sessions()
    return profiles.part("inference", session["id"], **query)


def test_latency_and_its_parts(profiles: ProfileServer) -> None:
    profiles.put("server", "worker0", served)
    answer = asked(profiles)
    found = answer
    assert (found["request"], found["each_step"], found["requests"], found["at_once"], found["overlapping"]) == (
        "predict", False, 20, 1, False,
    )  # fmt: skip
    p50, p99 = found["percentiles_ms"]["p50"], found["percentiles_ms"]["p99"]
    assert (p50["latency"], p50["queue"], p50["transfer"], p50["device"]) == (10, 1, 1, 4)
    assert (p99["latency"], p99["device"]) == (64, 60)
    for one in (found["mean_ms"], p50, p99, *found["strip"]):
        assert one["queue"] + one["host"] + one["transfer"] + one["device"] == pytest.approx(one["latency"])


def test_the_slowest_say_where_they_are(profiles: ProfileServer) -> None:
    profiles.put("server", "worker0", served)
    slowest = asked(profiles)["slowest"]
    assert len(slowest) == 20
    first = slowest[0]
    assert (first["start_ms"], first["latency_ms"], first["thread"]) == (600, 64, "main")
    session = profiles.sessions()[0]["id"]
    span = profiles.part("span", session, row=first["row"])
    assert (span["name"], span["start_us"]) == ("predict", 600_000)


def test_many_are_drawn_as_few_and_the_slowest_is_among_them(profiles: ProfileServer) -> None:
    profiles.put("server", "worker0", lambda: served(500))
    found = asked(profiles)
    assert (found["requests"], len(found["strip"]), len(found["slowest"])) == (500, 240, 20)
    latencies = [one["latency"] for one in found["strip"]]
    assert latencies == sorted(latencies)
    assert latencies[-1] == 64


def test_annotations_that_could_be_named(profiles: ProfileServer) -> None:
    profiles.put("server", "worker0", served)
    answer = asked(profiles, request="tidy up")
    assert {one["name"]: one["count"] for one in answer["names"]} == {"predict": 20, "tidy up": 20}
    assert answer["percentiles_ms"]["p50"]["latency"] == 1


def test_steps_are_requests_where_no_word_means_one(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  11112222\nmain  oooooooo\nmain  .nn..nn", n="forward")
    answer = asked(profiles)
    assert (answer["each_step"], answer["problem"]) == (True, "")
    assert {"name": "forward", "count": 2} in answer["names"]
    steps = asked(profiles, request="*")
    assert steps == answer
    assert (steps["each_step"], steps["requests"], steps["mean_ms"]["latency"]) == (True, 2, 4)
    assert [(one["row"], one["step"]) for one in steps["slowest"]] == [(None, 2), (None, 1)]


def test_a_name_that_is_not_there_is_said(profiles: ProfileServer) -> None:
    profiles.put("server", "worker0", served)
    answer = asked(profiles, request="predictions")
    assert (answer["requests"], answer["mean_ms"], answer["slowest"]) == (0, None, [])
    assert "predictions" in answer["problem"]


def test_the_overview_tells_what_is_taken_for_a_request(profiles: ProfileServer) -> None:
    profiles.put("server", "worker0", served)
    assert profiles.report()["request"] == "predict"


@pytest.mark.parametrize(
    ("name", "likely"),
    [("serve_batch", True), ("Request #4", True), ("conserve", False), ("generator", False), ("a/predict", True)],
)
def test_words_that_mean_a_request(profiles: ProfileServer, name: str, likely: bool) -> None:
    profiles.record("train", "worker0", "main  11112222\nmain  .nn..nn", n=name)
    assert (profiles.report()["request"] != "") == likely
