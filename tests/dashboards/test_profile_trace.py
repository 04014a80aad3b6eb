"""The route that writes a recording for other viewers."""

from __future__ import annotations

import json

from dashboards.conftest import ProfileServer
from dashboards.test_profile import TWO_STEPS


def test_a_recording_for_chrome_and_for_perfetto(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS)
    (session,) = profiles.sessions()
    got = profiles.client.get("/api/v1/profile/trace", params={"session": session["id"], "format": "json"})
    names = [event["name"] for event in json.loads(got.content)["traceEvents"] if event["ph"] == "X"]
    assert names.count("K") == 4
    assert got.headers["content-disposition"].endswith('.json"')
    perfetto = profiles.client.get("/api/v1/profile/trace", params={"session": session["id"]})
    assert perfetto.content[:1] == b"\x0a"
    assert perfetto.headers["content-type"] == "application/octet-stream"


def test_a_range_alone(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS)
    (session,) = profiles.sessions()
    asked = {"session": session["id"], "format": "json", "range": "2:3"}
    got = profiles.client.get("/api/v1/profile/trace", params=asked)
    names = [event["name"] for event in json.loads(got.content)["traceEvents"] if event["ph"] == "X"]
    assert [name for name in names if name.startswith("ProfilerStep")] == ["ProfilerStep#2"]
    assert names.count("i") == 1
    assert profiles.client.get("/api/v1/profile/trace", params=asked | {"format": "zip"}).status_code == 400
