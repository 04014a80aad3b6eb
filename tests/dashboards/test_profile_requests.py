"""The route of requests: percentiles with their parts, all of them sorted, the slowest with their place, and what could be one."""

from __future__ import annotations

from typing import Any

import pytest

from analyses.test_requests import serve
from analyses.timeline import MS, Timeline
from dashboards.conftest import ProfileServer
from stepscope.model.profile import Profile, SpanKind


def served(count: int = 20) -> Profile:
    """Requests of 10 ms every 100 ms, of which the seventh computes for 60 ms; an annotation beside them is no request."""
    builder = Timeline()
    for place in range(count):
        serve(builder, 100 * place, waits=1, kernel=60 if place == 6 else 4)
        builder.span("main", (100 * place + 90) * MS, (100 * place + 91) * MS, SpanKind.ANNOTATION, f"tidy up #{place}")
    return builder.build()


def asked(profiles: ProfileServer, **query: Any) -> dict[str, Any]:
    (session,) = profiles.sessions()
    return profiles.get("requests", session=session["id"], **query)


def test_latency_and_its_parts(profiles: ProfileServer) -> None:
    profiles.put("server", "worker0", served)
    answer = asked(profiles)
    found = answer["requests"]
    assert (found["request"], found["each_step"], found["count"], found["at_once"], found["overlapping"]) == (
        "predict", False, 20, 1, False,
    )  # fmt: skip
    assert [one["percentile"] for one in found["percentiles"]] == [50, 95, 99]
    p50, _, p99 = (one["ms"] for one in found["percentiles"])
    assert (p50["latency"], p50["queue"], p50["transfer"], p50["device"]) == (10, 1, 1, 4)
    assert (p99["latency"], p99["device"]) == (64, 60)
    for one in (found["mean"], p50, p99, *found["strip"]):
        assert one["queue"] + one["host"] + one["transfer"] + one["device"] == pytest.approx(one["latency"])


def test_the_slowest_say_where_they_are(profiles: ProfileServer) -> None:
    profiles.put("server", "worker0", served)
    slowest = asked(profiles)["requests"]["slowest"]
    assert len(slowest) == 20
    first = slowest[0]
    assert (first["start_ms"], first["ms"]["latency"], first["thread"]) == (600, 64, "main")
    session = profiles.sessions()[0]["id"]
    span = profiles.get(f"spans/{first['row']}", session=session)["span"]
    assert (span["name"], span["start_us"]) == ("predict", 600_000)


def test_many_are_drawn_as_few_and_the_slowest_is_among_them(profiles: ProfileServer) -> None:
    profiles.put("server", "worker0", lambda: served(500))
    found = asked(profiles)["requests"]
    assert (found["count"], len(found["strip"]), len(found["slowest"])) == (500, 240, 20)
    latencies = [one["latency"] for one in found["strip"]]
    assert latencies == sorted(latencies)
    assert latencies[-1] == 64


def test_annotations_that_could_be_named(profiles: ProfileServer) -> None:
    profiles.put("server", "worker0", served)
    answer = asked(profiles, request="tidy up")
    assert {one["name"]: one["count"] for one in answer["names"]} == {"predict": 20, "tidy up": 20}
    assert answer["requests"]["percentiles"][0]["ms"]["latency"] == 1


def test_without_a_word_that_means_a_request_there_are_none_until_one_is_named(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  11112222\nmain  oooooooo\nmain  .nn..nn", n="forward")
    answer = asked(profiles)
    assert (answer["requests"], answer["problem"]) == (None, "")
    assert {"name": "forward", "count": 2} in answer["names"]
    steps = asked(profiles, request="*")["requests"]
    assert (steps["each_step"], steps["count"], steps["mean"]["latency"]) == (True, 2, 4)
    assert [(one["row"], one["step"]) for one in steps["slowest"]] == [(None, 2), (None, 1)]


def test_a_name_that_is_not_there_is_said(profiles: ProfileServer) -> None:
    profiles.put("server", "worker0", served)
    answer = asked(profiles, request="predictions")
    assert answer["requests"] is None
    assert answer["problem"].startswith("No thread has a span called predictions; there are ")


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
