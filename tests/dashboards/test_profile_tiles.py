"""The tiles route: entries of chosen tracks in a window, counters, how far reading has come, and windows that are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analyses.timeline import MS, Timeline
from dashboards.profile_server import ProfileServer
from stepscope.analyses.time_classes import Group
from stepscope.analyses.timeline.groups import NO_GROUP
from stepscope.analyses.timeline.tiles import LONGEST_NAME, tiles
from stepscope.dashboards.frame import CONTENT_TYPE
from stepscope.model.profile import NONE, Counters, Profile, SpanKind, Track, TrackPurpose, TrackRole

DTYPES = {"f64": "<f8", "i32": "<i4", "u8": "u1"}
PICTURE = """
    main     1111111111222222222233333333334444444444
    main     iiilssssssiiilssssssiiilssssssiiilssssss
    gpu 0        KKKKKK    KKKKKK    KKKKKK    KKKKKK
"""


def asked(server: ProfileServer, status: int = 200, **query: Any) -> dict[str, Any]:
    """The header of a frame with its columns as lists, or the error."""
    (session,) = server.sessions()
    for _ in range(20):
        got = server.client.get(f"/api/v1/profile/{session['id']}/tiles", params={"columns": 100, "tracks": "", **query})
        assert got.status_code == status, got.text
        if status != 200:
            return got.json()["error"]
        assert got.headers["content-type"] == CONTENT_TYPE
        header = decoded(got.content)
        if header["reading"] is None:
            return header
    raise AssertionError("The profile is never read.")


def decoded(frame: bytes) -> dict[str, Any]:
    length = int.from_bytes(frame[:4], "little")
    header = json.loads(frame[4 : 4 + length])
    start = (4 + length + 7) & ~7
    for one in (*header["tracks"], *header["counters"]):
        one["columns"] = {
            name: np.frombuffer(frame, DTYPES[place["dtype"]], place["count"], start + place["offset"]).tolist()
            for name, place in one["columns"].items()
        }
    return header


def named(header: dict[str, Any], track: dict[str, Any]) -> list[str]:
    return [header["names"][name] for name in track["columns"]["name"]]


def test_wide_spans_are_sent_themselves(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE)
    found = asked(profiles, start_us=10_000, end_us=19_999, columns=50, tracks="1,0")
    gpu, main = found["tracks"]
    assert (gpu["track"], main["track"], found["columns"], found["counters"]) == (1, 0, 50, [])
    assert gpu["columns"]["start"] == [4_000, 14_000]  # one ends where the window starts
    assert gpu["columns"]["end"] == [10_000, 20_000]
    assert (named(found, gpu), gpu["columns"]["group"]) == (["K", "K"], [Group.COMPUTE] * 2)
    assert main["columns"]["line"] == [0, 0, 1, 1, 1, 1]
    assert named(found, main) == ["ProfilerStep#1", "ProfilerStep#2", "s", "i", "l", "s"]
    assert main["columns"]["group"] == [NO_GROUP, NO_GROUP, Group.HOST, Group.INPUT_WAIT, Group.HOST, Group.HOST]
    assert main["columns"]["count"] == [1] * 6


def test_narrow_spans_of_a_column_are_one_entry_with_the_longest(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE)
    found = asked(profiles, start_us=0, end_us=40_000, columns=2, tracks="0")
    (main,) = found["tracks"]
    entries = main["columns"]
    assert (entries["line"], entries["count"], sum(entries["count"])) == ([0, 0, 1, 1], [2, 2, 6, 6], 16)
    assert (entries["start"], entries["end"]) == ([0, 20_000] * 2, [20_000, 40_000] * 2)
    assert named(found, main)[2:] == ["s", "s"]


def test_lines_that_are_not_drawn_are_counted(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE)
    (main,) = asked(profiles, start_us=0, end_us=40_000, columns=1000, tracks="0", lines=1)["tracks"]
    assert (main["hidden"], main["columns"]["count"]) == (12, [1] * 4)


def test_one_worker_is_read_and_the_one_that_is_named(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE, rank=0)
    profiles.record("train", "worker1", PICTURE.replace("gpu 0 ", "gpu 1 ").replace("K", "M"), rank=1)
    header = asked(profiles, start_us=0, end_us=40_000, tracks="1")
    assert (header["names"], len(profiles.read)) == (["K"], 1)
    assert asked(profiles, start_us=0, end_us=40_000, tracks="1", worker="worker1")["names"] == ["M"]
    assert asked(profiles, 404, start_us=0, end_us=40_000, tracks="1", worker="worker7")["code"] == "unknown_worker"


def sampled() -> Profile:
    profile = Timeline().draw(PICTURE).build()
    rows = len(profile.spans)
    track = Track("power", TrackRole.COUNTER, TrackPurpose.UNKNOWN, "GPU 0", 0, NONE, rows, rows)
    samples = Counters(np.array([2] * 3, np.int32), np.array([10, 15, 30], np.int64) * MS, np.array([5.0, 7.0, 1.0]))
    return replace(profile, tracks=[*profile.tracks, track], counters=samples)


def test_counters_have_the_least_the_most_and_the_last_of_each_column(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", sampled)
    header = asked(profiles, start_us=0, end_us=40_000, columns=4, tracks="2,1")
    assert [track["track"] for track in header["tracks"]] == [1]
    assert header["counters"] == [
        {"track": 2, "columns": {"start": [10_000, 20_000, 30_000], "low": [5, 7, 1], "high": [7, 7, 1], "last": [7, 7, 1]}}
    ]


def test_long_names_are_cut(profiles: ProfileServer) -> None:
    line = Timeline()
    line.span("main", 0, MS, SpanKind.OP, "k" * 5_000)
    profiles.put("train", "worker0", line.build)
    (name,) = asked(profiles, start_us=0, end_us=1_000, tracks="0")["names"]
    assert (len(name), name[:5]) == (LONGEST_NAME, "kkkkk")


def test_an_answer_that_would_be_too_large_has_wider_columns() -> None:
    line = Timeline()
    for place in range(1_000):
        line.span("main", place * 10, place * 10 + 5, SpanKind.OP)
    profile = line.build()
    groups = np.zeros(len(profile.spans), np.uint8)
    found = tiles(profile, groups, [0], profile.window, 8_000, 1, most=200)
    assert (found.columns < 8_000, len(found.tracks[0].start) <= 200, int(found.tracks[0].count.sum())) == (True, True, 1_000)


@pytest.mark.parametrize(
    ("code", "query"),
    [
        ("bad_window", {"start_us": "nan"}),
        ("bad_window", {"end_us": "inf"}),
        ("bad_window", {"start_us": 9, "end_us": 8}),
        ("bad_tracks", {"tracks": "0,x"}),
        ("bad_tracks", {"tracks": "-1"}),
        ("bad_tracks", {"tracks": "7"}),
        ("bad_tracks", {"tracks": "9" * 5_000}),
        ("bad_request", {"columns": 0}),
        ("bad_request", {"columns": 8_001}),
        ("bad_request", {"lines": 0}),
        ("bad_request", {"lines": 256}),
        ("bad_request", {"tracks": "0," * 10_000}),
        ("bad_request", {"start_us": "soon"}),
    ],
)
def test_what_cannot_be_asked(profiles: ProfileServer, code: str, query: dict[str, Any]) -> None:
    profiles.record("train", "worker0", PICTURE)
    error = asked(profiles, 400, **{"start_us": 0, "end_us": 1, **query})
    assert error["code"] == code


@pytest.mark.parametrize("window", [(-1e300, 1e300), (-5, -5), (1e17, 1e17), (0, 0), (-1e18, 0)])
def test_windows_may_reach_beyond_the_profile(profiles: ProfileServer, window: tuple[float, float]) -> None:
    profiles.record("train", "worker0", PICTURE)
    header = asked(profiles, start_us=window[0], end_us=window[1], tracks="0,1")
    assert [track["track"] for track in header["tracks"]] == [0, 1]
