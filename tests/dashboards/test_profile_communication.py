"""The routes of communication and of the critical path: ranks together, whom they wait for, and what a step's length consists of."""

from __future__ import annotations

import pytest

from dashboards.profile_server import ProfileServer
from figures import figures

FAST = """
    main       1111111111222222222233333333334444444444
    main       ll........ll........ll........ll........
    gpu 0       KKCCCCCC  KKCCCCCC  KKCCCCCC  KKCCCCCC
"""
SLOW = """
    main       1111111111222222222233333333334444444444
    main       ll........ll........ll........ll........
    gpu 0       KKKKKKCC  KKKKKKCC  KKKKKKCC  KKKKKKCC
"""


def test_two_ranks(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", FAST, C="allreduce")
    profiles.record("train", "worker1", SLOW, C="allreduce")
    (session,) = profiles.sessions()
    answer = profiles.part("communication", session["id"])
    (row,) = answer["collectives"]
    assert (row["kind"], row["ranks_here"], row["ranks"], row["count"]) == ("allreduce", 2, None, 8)
    assert (row["ms"], row["waiting_ms"], row["transfer_ms"], row["bandwidth_is_lower_bound"]) == (4, 2, 2, False)
    assert (answer["straggler"], figures(answer["split"]), answer["total"]) == ("worker1", [2, 2], 1)
    assert [rank["waiting_ms"] for rank in answer["ranks"]] == [4, 0]
    assert [rank["others_wait_ms"] for rank in answer["ranks"]] == [0, 4]
    assert "4 ms" in answer["sentence"]
    assert "worker1" in answer["sentence"]
    assert answer["disagreements"] == []


def test_none(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  1111oo")
    (session,) = profiles.sessions()
    answer = profiles.part("communication", session["id"])
    assert (answer["collectives"], answer["straggler"]) == ([], None)


def test_what_ranks_differ_in(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", FAST)
    profiles.record("train", "worker1", SLOW.replace("4444444444", ""))
    (session,) = profiles.sessions()
    found = profiles.part("communication", session["id"])["disagreements"]
    assert {"what": "steps", "values": ["4", "3"]} in found


def test_the_path_of_a_worker(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", FAST, K="gemm")
    (session,) = profiles.sessions()
    answer = profiles.part("path", session["id"], follow="worker0")
    assert (answer["model"], answer["note"], answer["worker"]) == ("dependencies", "", "worker0")
    assert sum(part["ms"] for part in answer["parts"]) == pytest.approx(answer["step_ms"])
    assert sum(line["share"] for line in answer["operations"]) == pytest.approx(1)
    assert answer["total"] == len(answer["operations"])
    assert answer["savings"]
    assert all(one["saves"] <= one["path"] + 0.02 for one in answer["savings"])


def test_without_dependencies(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  1111\nmain  oooo")
    (session,) = profiles.sessions()
    answer = profiles.part("path", session["id"])
    assert answer["model"] == "exclusive time"
    assert answer["note"]


def test_the_overview_tells_how_much_is_done_in_a_second(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", FAST)
    (session,) = profiles.sessions()
    assert profiles.part("report", session["id"])["throughput"]["steps_per_second"] == pytest.approx(100)


def test_the_overview_tells_what_each_step_waits(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", FAST, C="allreduce")
    profiles.record("train", "worker1", SLOW, C="allreduce")
    (session,) = profiles.sessions()
    steps = profiles.part("steps", session["id"])["steps"]
    assert [(step["worker"], step["waiting_ms"]) for step in steps] == [("worker0", 4)] * 4 + [("worker1", 0)] * 4


def test_what_a_step_waits_is_unknown_while_ranks_are_missing(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", FAST)
    assert {step["waiting_ms"] for step in profiles.steps()} == {None}
