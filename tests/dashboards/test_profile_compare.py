"""Two sessions over HTTP: what differs, two ranges of one session, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from dashboards.profile_server import ProfileServer

QUICK = """
    main       11112222333344445555666677778888
    main       il..il..il..il..il..il..il..il..
    gpu 0        KK  KK  KK  KK  KK  KK  KK  KK
"""
SLOW = """
    main       111111222222333333444444555555666666777777
    main       il....il....il....il....il....il....il....
    gpu 0        KKKK  KKKK  KKKK  KKKK  KKKK  KKKK  KKKK
"""


@pytest.fixture
def two(profiles: ProfileServer) -> tuple[str, str]:
    """Ids of the slow session and of the quick one before it."""
    profiles.record("quick", "worker0", QUICK, K="gemm")
    profiles.record("slow", "worker0", SLOW, time=1_794_770_500_000, K="gemm")
    slow, quick = profiles.sessions()
    return slow["id"], quick["id"]


def compared(profiles: ProfileServer, session: str, against: str, **query: Any) -> dict[str, Any]:
    return profiles.part("compare", session, against=against, **query)


def test_the_slower_kernel_comes_first(profiles: ProfileServer, two: tuple[str, str]) -> None:
    found = compared(profiles, *two, by="kernel")
    assert found["is_slower"] is True
    assert (found["step"]["before_ms"], found["step"]["after_ms"], found["step"]["change"]) == (4, 6, 0.5)
    assert [(row["name"], row["change"]) for row in found["rows"]] == [("gemm", "time")]
    assert [each["group"] for each in found["groups"] if each["difference"]["beyond_noise"]] == ["compute"]
    assert all(word in found["sentence"] for word in ("6 ms", "4 ms", "50.0%"))
    other_way = compared(profiles, *reversed(two), by="kernel")
    assert (other_way["is_slower"], other_way["step"]["change"]) == (False, pytest.approx(-1 / 3))


def test_ranges_of_one_session(profiles: ProfileServer, two: tuple[str, str]) -> None:
    found = compared(profiles, two[0], two[0], range="4:", against_range=":4")
    assert found["is_slower"] is False
    assert (found["range_before"], found["range_after"]) == ("steps 1 to 3, 3 of 7", "steps 4 to 7, 4 of 7")
    assert profiles.read.count("worker0.1794770500000.pt.trace.json") == 1


def test_what_cannot_be_compared_is_refused(profiles: ProfileServer, two: tuple[str, str]) -> None:
    def refused(status: int = 400, **query: Any) -> str:
        return profiles.part("compare", query.pop("session"), status, **query)["error"]["code"]

    assert refused(session=two[0], against=two[0]) == "same_profile"
    assert refused(session=two[0], against=two[1], range="x") == "bad_range"
    assert refused(session=two[0], against=two[1], against_range="90:") == "empty_range"
    assert refused(404, session=two[0], against="nothing") == "unknown_session"
    assert refused(session=two[0], against=two[1], by="colour") == "bad_request"


def test_other_frameworks_compare_in_groups_only(profiles: ProfileServer, two: tuple[str, str]) -> None:
    from dataclasses import replace

    from analyses.timeline import timeline

    profiles.put("jax", "worker0", lambda: replace(timeline(SLOW), framework="JAX"), time=1_794_770_600_000)
    jax = profiles.sessions()[0]["id"]
    found = compared(profiles, jax, two[1])
    assert (found["rows"], found["total"]) == ([], 0)
    assert found["rows_refused"]
    assert {each["setting"] for each in found["settings"]} == {"framework"}
