"""The route of rows of ranks: shares by column for the ranks that are asked for alone, those that cannot be read, and bad questions."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from dashboards.profile_server import ProfileServer
from stepscope.dashboards.profile.rank_tiles import MOST_RANKS

PICTURE = """
    main     1111111111222222222233333333334444444444
    main     iiilssssssiiilssssssiiilssssssiiilssssss
    gpu 0        KKKKKK    KKKKKK    KKKKKK    KKKKKK
"""


def asked(server: ProfileServer, *workers: str, status: int = 200, **query: Any) -> dict[str, Any]:
    (session,) = server.sessions()
    params = {"workers": "\n".join(workers), "start_us": 0, "end_us": 40_000, "columns": 4, **query}
    for _ in range(20):
        got = server.client.get(f"/api/v1/profile/{session['id']}/rank_tiles", params=params)
        assert got.status_code == status, got.text
        if status != 200:
            return got.json()["error"]
        length = int.from_bytes(got.content[:4], "little")
        header = json.loads(got.content[4 : 4 + length])
        if header["reading"] is None:
            return {**header, "rows": _rows(header, got.content, (4 + length + 7) & ~7)}
    raise AssertionError("The profiles are never read.")


def _rows(header: dict[str, Any], frame: bytes, start: int) -> dict[str, dict[str, list[int]]]:
    return {
        rank["worker"]: {
            group: np.frombuffer(frame, "u1", place["count"], start + place["offset"]).tolist()
            for group, place in rank["columns"].items()
        }
        for rank in header["ranks"]
    }


def test_only_the_ranks_that_are_asked_for_are_read(profiles: ProfileServer) -> None:
    for rank in range(4):
        profiles.record("train", f"worker{rank}", PICTURE if rank else PICTURE.replace("K", "C"), rank=rank)
    found = asked(profiles, "worker2", "worker0")
    assert list(found["rows"]) == ["worker2", "worker0"]
    assert found["rows"]["worker2"] == {
        "compute": [153] * 4, "communication": [0] * 4, "copy": [0] * 4, "input_wait": [76] * 4, "host": [26] * 4,
    }  # fmt: skip
    assert sorted(name.split(".")[0] for name in profiles.read) == ["worker0", "worker2"]


def test_a_rank_that_cannot_be_read_costs_that_rank_alone(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE, rank=0)
    reason = "The file ends too early."
    profiles.broken("train", "worker1", reason)
    found = asked(profiles, "worker0", "worker1")
    assert (list(found["rows"]), found["problems"]) == (["worker0"], [{"worker": "worker1", "reason": reason}])


def test_a_window_far_beyond_the_profile_keeps_its_columns(profiles: ProfileServer) -> None:
    """Ranks of other lengths share the axis: of ten columns of 40 ms the second alone has the profile."""
    profiles.record("train", "worker0", PICTURE, rank=0)
    row = asked(profiles, "worker0", start_us=-40_000, end_us=360_000, columns=10)["rows"]["worker0"]
    assert row["compute"] == [0, 153, *[0] * 8]


@pytest.mark.parametrize(
    ("code", "query"),
    [
        ("bad_window", {"start_us": "nan"}),
        ("bad_window", {"start_us": 9, "end_us": 8}),
        ("bad_workers", {"workers": ""}),
        ("bad_workers", {"workers": "\n".join(map(str, range(MOST_RANKS + 1)))}),
        ("bad_request", {"workers": "w" * 20_000}),
        ("bad_request", {"columns": 0}),
        ("bad_request", {"columns": 8_001}),
    ],
)
def test_what_cannot_be_asked(profiles: ProfileServer, code: str, query: dict[str, Any]) -> None:
    profiles.record("train", "worker0", PICTURE)
    assert asked(profiles, "worker0", status=400, **query)["code"] == code


@pytest.mark.parametrize("window", [(-1e300, 1e300), (1e17, 1e17), (0, 0), (-1e18, 0)])
def test_windows_without_end_are_answered(profiles: ProfileServer, window: tuple[float, float]) -> None:
    profiles.record("train", "worker0", PICTURE)
    assert len(asked(profiles, "worker0", start_us=window[0], end_us=window[1])["rows"]["worker0"]["host"]) == 4


def test_an_unknown_worker_is_a_problem_of_its_own(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE)
    assert [problem["worker"] for problem in asked(profiles, "worker0", "nobody")["problems"]] == ["nobody"]
