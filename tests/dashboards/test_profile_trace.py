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


def test_a_window_for_speedscope(profiles: ProfileServer) -> None:
    """The window is one of the whole profile, as the trace shows it, and has the spans that the tiles have there."""
    profiles.record("train", "worker0", TWO_STEPS)
    (session,) = profiles.sessions()
    route = f"/api/v1/profile/{session['id']}/trace"
    steps = profiles.part("tracks", session["id"], limit=10)["steps"]
    second = {"start_us": steps[1]["start_us"], "end_us": steps[1]["end_us"]}
    got = profiles.client.get(route, params={"format": "speedscope", **second})
    file = json.loads(got.content)
    assert got.headers["content-disposition"].endswith('.speedscope.json"')
    names = {frame["name"] for frame in file["shared"]["frames"]}
    assert "ProfilerStep#2" in names
    assert "ProfilerStep#1" not in names
    whole = json.loads(profiles.client.get(route, params={"format": "speedscope"}).content)
    assert "ProfilerStep#1" in {frame["name"] for frame in whole["shared"]["frames"]}
    late = json.loads(profiles.client.get(route, params={"format": "speedscope", "start_us": steps[1]["start_us"]}).content)
    assert {frame["name"] for frame in late["shared"]["frames"]} == names | {"ProfilerStep#3", "ProfilerStep#4"}


@pytest.mark.parametrize("window", [{"start_us": 5, "end_us": 2}, {"start_us": "nan"}, {"end_us": "inf"}, {"end_us": -1}])
def test_a_window_that_is_none_is_refused(profiles: ProfileServer, window: dict[str, int | str]) -> None:
    profiles.record("train", "worker0", TWO_STEPS)
    (session,) = profiles.sessions()
    assert profiles.client.get(f"/api/v1/profile/{session['id']}/trace", params=window).status_code == 400
