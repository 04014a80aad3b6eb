"""The route that writes a recording for other viewers."""

from __future__ import annotations

import json
import time

import pytest

from analyses.timeline import timeline
from dashboards.profile_server import ProfileServer
from dashboards.step_pictures import TWO_STEPS
from stepscope.dashboards.profile import part_routes
from stepscope.model.profile import Profile


def test_a_recording_for_chrome_and_for_perfetto(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS)
    (session,) = profiles.sessions()
    got = profiles.client.get(f"/api/v1/profile/{session['id']}/trace", params={"format": "json"})
    names = [event["name"] for event in json.loads(got.content)["traceEvents"] if event["ph"] == "X"]
    assert names.count("K") == 4
    assert got.headers["content-disposition"].endswith('.json"')
    perfetto = profiles.client.get(f"/api/v1/profile/{session['id']}/trace")
    assert perfetto.content[:1] == b"\x0a"
    assert perfetto.headers["content-type"] == "application/octet-stream"


def test_a_range_alone(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS)
    (session,) = profiles.sessions()
    route, asked = f"/api/v1/profile/{session['id']}/trace", {"format": "json", "range": "2:3"}
    got = profiles.client.get(route, params=asked)
    names = [event["name"] for event in json.loads(got.content)["traceEvents"] if event["ph"] == "X"]
    assert [name for name in names if name.startswith("ProfilerStep")] == ["ProfilerStep#2"]
    assert names.count("i") == 1
    assert profiles.client.get(route, params=asked | {"format": "zip"}).status_code == 400


def test_the_file_waits_until_the_profile_is_read(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_routes, "WAIT_SECONDS", 0.01)

    def slowly() -> Profile:
        time.sleep(0.1)  # an answer on the page would be "not yet" by now
        return timeline(TWO_STEPS)

    profiles.put("train", "worker0", slowly)
    (session,) = profiles.sessions()
    got = profiles.client.get(f"/api/v1/profile/{session['id']}/trace", params={"format": "json"})
    assert got.status_code == 200
    assert len(json.loads(got.content)["traceEvents"]) > 0
    assert profiles.read == ["worker0.1794770412963.pt.trace.json"]
