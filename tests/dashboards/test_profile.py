"""The Profile tab's routes, on drawn profiles: sessions, overview with ranks, tables, what is broken, and waiting."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analyses.timeline import timeline
from dashboards.conftest import ProfileServer
from stepscope.analyses.time_classes import GROUP_OF, Group, TimeClass
from stepscope.analyses.work.kernels import KernelsBy
from stepscope.analyses.work.operations import By
from stepscope.formats.open_profile import read_file
from stepscope.model.profile import Attribute, Note, Profile, SpanKind
from stepscope.queries import profiles as profile_queries
from stepscope.rules.all_rules import ALL_RULES

UI = Path(__file__).resolve().parents[2] / "src" / "stepscope" / "dashboards" / "profile" / "ui"
TWO_STEPS = """
    main       1111111111222222222233333333334444444444
    main       iiil......iiil......iiil......iiil......
    gpu 0          KKKKHH    KKKKHH    KKKKHH    KKKKHH
"""
SLOW_THIRD = """
    main       11111222223333333333333344444
    main       il...il...iiiiiiiiiil...il...
    gpu 0        KK   KK            KK   KK
"""


def groups(rows: list[dict[str, Any]]) -> dict[str, float]:
    return {row["group"]: row["ms"] for row in rows}


def test_sessions_are_listed_without_reading(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS)
    profiles.record("train", "worker0", TWO_STEPS, time=1_794_770_500_000)
    found = profiles.sessions()
    assert [(one["run_name"], one["name"], one["time"]) for one in found] == [
        ("train", "worker0.1794770500000", 1_794_770_500.0),
        ("train", "worker0.1794770412963", 1_794_770_412.963),
    ]
    assert found[0]["workers"][0]["worker"] == "worker0"
    assert profiles.read == []


def test_the_folder_and_its_runs_tell_of_profiles(profiles: ProfileServer) -> None:
    tabs = profiles.client.get("/api/v1/folder").json()["tabs"]
    assert {tab["id"] for tab in tabs} >= {"scalars", "profile"}
    assert not any(tab["has_data"] for tab in tabs)
    profiles.record("train", "worker0", TWO_STEPS)
    profiles.folder.load()
    folder = profiles.client.get("/api/v1/folder").json()
    assert [tab["id"] for tab in folder["tabs"] if tab["has_data"]] == ["profile"]
    assert (folder["runs"], folder["profiles"]) == (1, 1)
    (run,) = profiles.client.get("/api/v1/runs").json()["runs"]
    assert (run["name"], run["profiles"], run["points"], run["status"]) == ("train", 1, 0, "stale")
    assert run["started"] == 1_794_770_412.963


def test_the_overview_says_what_to_change_and_what_it_would_give(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS)
    report = profiles.report()
    first = report["findings"][0]
    assert (first["rule"], first["verdict"], first["gain"]["high"]) == ("input_bound", "fires", pytest.approx(0.3))
    assert first["evidence"][0]["spans"]["worker"] == "worker0"
    assert first["evidence"][0]["spans"]["end_ms"] == 3.0
    assert first["change"].startswith("loader = DataLoader(")
    assert [each["verdict"] for each in report["findings"]].count("fires") <= 3
    assert report["checked"].startswith(f"{len(ALL_RULES)} checked, ")
    assert "Loading beside it with 4 workers would give 7 ms at best." in report["sentence"]
    assert "replay" in {note["code"] for note in report["quality"]}


@pytest.mark.parametrize(
    ("seconds", "level", "text"),
    [
        (None, "info", "What profiling itself cost is not known: log the time of every step as step_time."),
        (0.008, "info", "Recorded steps take 25 % longer than others of the run, by whose time gains are told."),
        (0.005, "warning", "Recorded steps take 100 % longer than others of the run, by whose time gains are told."),
        (0.010, "info", "Recorded steps take no longer than others of the run."),
    ],
)
def test_steps_that_the_run_has_logged_tell_what_profiling_cost(
    profiles: ProfileServer, seconds: float | None, level: str, text: str
) -> None:
    captured = 1_794_770_412_963_000_000
    profiles.put("train", "worker0", lambda: replace(timeline(TWO_STEPS), base_ns=captured))
    if seconds is not None:
        profiles.folder.write("train", {"step_time/total": [seconds] * 50 + [9.0]}, start=captured / 1e9 - 50)
    report = profiles.report()
    (note,) = [note for note in report["quality"] if note["code"] == "inflation"]
    assert (note["level"], note["text"]) == (level, text)
    expected = 7.0 if seconds is None else 700 * seconds
    assert report["findings"][0]["step_ms"][0] == pytest.approx(expected)


def test_the_groups_sum_to_the_step(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS, K="gemm", H="Memcpy HtoD")
    report = profiles.report()
    assert report["step_ms"]["median"] == pytest.approx(10.0)
    assert groups(report["groups"]) == pytest.approx(
        {"compute": 4.0, "communication": 0.0, "copy": 2.0, "input_wait": 3.0, "host": 1.0, "untraced": 0.0}
    )
    assert sum(groups(report["groups"]).values()) == pytest.approx(report["step_ms"]["typical"])
    assert sum(row["share"] for row in report["groups"]) == pytest.approx(1.0)
    (rank,) = report["ranks"]
    for step in rank["steps"]:
        assert sum(step["parts"]) == pytest.approx(step["ms"])
    assert [step["step"] for step in rank["steps"]] == [1, 2, 3, 4]
    assert rank["step_source"] == {"family": "profiler_step", "text": "ProfilerStep#", "steps": 4, "alternatives": ["whole recording"]}
    assert (rank["framework"], rank["cpu_only"], rank["rank"]) == ("PyTorch", False, None)


def test_steps_can_be_found_another_way(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS, K="gemm")
    (session,) = profiles.sessions()
    report = profiles.get("overview", session=session["id"], steps="whole recording")["report"]
    (rank,) = report["ranks"]
    assert (rank["step_source"]["family"], len(rank["steps"])) == ("window", 1)
    assert "ProfilerStep#" in rank["step_source"]["alternatives"]
    rows = profiles.get("kernels", session=session["id"], steps="whole recording")["rows"]
    assert rows[0]["exposed_us"] == pytest.approx(16_000.0)
    refused = profiles.get("overview", status=400, session=session["id"], steps="nothing")
    assert refused["error"]["code"] == "no_such_steps"


def test_where_the_time_is(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS, K="gemm", i="next")
    report = profiles.report()
    assert [(row["name"], row["group"], row["count"]) for row in report["where"]][:2] == [
        ("gemm", "compute", 4),
        ("next", "input_wait", 4),
    ]
    assert report["where"][0]["exposed_ms"] == pytest.approx(4.0)
    assert report["where"][0]["share"] == pytest.approx(0.4)
    assert len(report["where"]) <= 8


def test_an_outlier_names_the_part_that_grew(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", SLOW_THIRD)
    (rank,) = profiles.report()["ranks"]
    assert [step["typical"] for step in rank["steps"]] == [True, True, False, True]
    slow = rank["steps"][2]
    assert slow["grew"] == "input"
    assert slow["grew_ms"] == pytest.approx(9.0, abs=0.1)


def test_ranks_are_shown_alone_and_as_their_mean(profiles: ProfileServer) -> None:
    profiles.record("train", "rank10", TWO_STEPS, rank=10)
    profiles.record("train", "rank2", TWO_STEPS.replace("KKKKHH", "CCCCHH"), rank=2)
    report = profiles.report()
    assert [(rank["worker"], rank["rank"]) for rank in report["ranks"]] == [("rank2", 2), ("rank10", 10)]
    assert groups(report["groups"])["compute"] == pytest.approx(2.0)
    assert [groups(rank["groups"])["compute"] for rank in report["ranks"]] == pytest.approx([0.0, 4.0])
    # Of two that take the same time, the one that waits for nobody is the one to look at.
    assert report["waited_for"] == "rank10"
    assert report["sentence"].endswith("The others wait for rank10.")
    assert report["ranks"][0]["sentence"].startswith("A step takes 10 ms. 40 % of it is communication")


def test_no_rank_is_the_slowest_among_equals(profiles: ProfileServer) -> None:
    profiles.record("train", "rank0", TWO_STEPS)
    profiles.record("train", "rank1", TWO_STEPS.replace("HH    KKKK", "HHH   KKKK"))
    report = profiles.report()
    assert (report["waited_for"], report["slowest"]) == (None, None)
    assert report["ranks_said"] == "Ranks are equal within 0.1 %."
    assert report["sentence"].endswith(report["ranks_said"])


def test_a_rank_whose_steps_are_longer_is_the_slowest(profiles: ProfileServer) -> None:
    profiles.record("train", "rank0", TWO_STEPS)
    profiles.record("train", "rank1", TWO_STEPS, unit=1_500_000)
    report = profiles.report()
    assert (report["slowest"], report["ranks_said"]) == ("rank1", "")
    assert report["sentence"].endswith("rank1 is the slowest.")


def test_in_what_ranks_differ_is_told(profiles: ProfileServer) -> None:
    profiles.record("train", "rank0", TWO_STEPS)
    profiles.record("train", "rank1", TWO_STEPS.replace("4444444444", "4444455555"))
    assert {"what": "steps", "values": ["4", "5"]} in profiles.report()["disagreements"]


def test_a_broken_rank_does_not_cost_the_others(profiles: ProfileServer) -> None:
    profiles.record("train", "rank0", TWO_STEPS)
    profiles.broken("train", "rank1", "rank1 is cut short; record it again.")
    report = profiles.report()
    assert [rank["worker"] for rank in report["ranks"]] == ["rank0"]
    assert report["broken"] == [{"worker": "rank1", "reason": "rank1 is cut short; record it again."}]


def test_a_session_that_cannot_be_read_says_why(profiles: ProfileServer) -> None:
    profiles.broken("train", "worker0", "worker0 is cut short; record it again.")
    (session,) = profiles.sessions()
    answer = profiles.get("overview", status=400, session=session["id"])
    assert answer == {"error": {"code": "truncated", "message": "worker0 is cut short; record it again."}}


def test_a_file_that_was_cut_is_doubted_first(profiles: ProfileServer) -> None:
    note = Note("warning", "truncated", "It was cut off, and what is there is shown.")
    profiles.put("train", "worker0", lambda: replace(timeline(TWO_STEPS), notes=[note]))
    report = profiles.report()
    assert report["sentence"].startswith("The file is cut short, so steps may lack a part of their work")
    assert ("warning", "truncated", note.text) in [(row["level"], row["code"], row["text"]) for row in report["quality"]]


def test_a_cut_file_of_which_nothing_timed_is_left(profiles: ProfileServer, tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text('{"schemaVersion": 1, "traceEvents": [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "py"}}, {"ph"')
    profiles.put("train", "worker0", lambda: read_file(str(path)))
    whole = "The file is cut short, and nothing that was timed is left of it: copy it again or record again."
    assert profiles.report()["sentence"] == whole


def test_unknown_sessions_and_workers_are_not_there(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS)
    (session,) = profiles.sessions()
    assert profiles.get("overview", status=404, session="0" * 12)["error"]["code"] == "unknown_session"
    assert profiles.get("kernels", status=404, session=session["id"], worker="nobody")["error"]["code"] == "unknown_worker"
    assert profiles.get("operations", status=400, session=session["id"], by="colour")["error"]["code"] == "bad_request"


def test_notes_of_the_reader_are_at_the_foot(profiles: ProfileServer) -> None:
    def with_note() -> Profile:
        return replace(timeline(TWO_STEPS), notes=[Note("warning", "repaired", "The end of the file was repaired.")])

    profiles.put("train", "worker0", with_note)
    report = profiles.report()
    assert {"level": "warning", "code": "repaired", "text": "The end of the file was repaired."} in report["quality"]


def test_operations_and_kernels(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS, K="gemm", i="next")
    (session,) = profiles.sessions()
    operations = profiles.get("operations", session=session["id"])
    assert operations["total"] == len(operations["rows"])
    gemm = next(row for row in operations["rows"] if row["name"] == "gemm")
    assert (gemm["count"], gemm["total_us"], gemm["average_us"], gemm["flops"]) == (4, 16_000.0, 4_000.0, None)
    (kernel,) = profiles.get("kernels", session=session["id"], worker="worker0")["rows"]
    assert (kernel["name"], kernel["count"], kernel["total_us"], kernel["share"]) == ("gemm", 4, 16_000.0, 1.0)
    calls = profiles.get("operations", session=session["id"], calls=True)
    assert {row["kind"] for row in calls["rows"]} > {row["kind"] for row in operations["rows"]}


def test_a_file_is_read_once_for_all_answers(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS)
    (session,) = profiles.sessions()
    for route in ("overview", "operations", "kernels", "overview"):
        profiles.get(route, session=session["id"])
    assert len(profiles.read) == 1


def test_a_changed_file_is_read_again(profiles: ProfileServer) -> None:
    path = profiles.record("train", "worker0", TWO_STEPS)
    assert len(profiles.report()["ranks"][0]["steps"]) == 4
    path.write_text("more")
    profiles.drawn[str(path)] = lambda: timeline(SLOW_THIRD)
    assert [step["typical"] for step in profiles.report()["ranks"][0]["steps"]] == [True, True, False, True]


def test_a_long_read_tells_how_far_it_is_and_stops_when_nobody_waits(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepscope.dashboards.profile.dashboard.WAIT_SECONDS", 0.05)
    monkeypatch.setattr(profile_queries, "LEASE_SECONDS", 0.3)
    go_on = threading.Event()

    def slowly() -> Profile:
        go_on.wait(5)
        return timeline(TWO_STEPS)

    profiles.record("train", "rank0", TWO_STEPS)
    profiles.put("train", "rank1", slowly)
    profiles.record("train", "rank2", TWO_STEPS)
    (session,) = profiles.sessions()
    ask = lambda: profiles.client.get("/api/v1/profile/overview", params={"session": session["id"]}).json()  # noqa: E731
    assert wait_for(lambda: ask()["reading"]["files_done"] == 1)
    assert ask()["reading"]["files"] == 3
    time.sleep(0.5)
    go_on.set()
    time.sleep(0.3)
    assert not any(name.startswith("rank2") for name in profiles.read)
    # Asking again goes on where it stopped: what has been read is kept.
    assert wait_for(lambda: ask()["report"] is not None)
    assert sorted(name.split(".")[0] for name in profiles.read) == ["rank0", "rank1", "rank2"]


def wait_for(done: Any, seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return True
        time.sleep(0.02)
    return False


def listed(file: str, after: str, pattern: str) -> list[str]:
    """What one list of the page's own source names."""
    text = (UI / file).read_text().split(after, 1)[1].split("];", 1)[0]
    return re.findall(pattern, text)


def test_the_page_knows_the_parts_groups_and_groupings_of_the_analyses() -> None:
    pairs = listed("groups.ts", "GROUP_OF_PART", r"\['(\w+)', '(\w+)'\]")
    assert pairs == [(part.key, GROUP_OF[part].key) for part in TimeClass]
    assert listed("groups.ts", "const GROUPS", r"group: '(\w+)'") == [group.key for group in Group]
    assert listed("tables/groupings.ts", "OPERATION_GROUPINGS", r"by: '(\w+)'") == [by.value for by in By]
    assert listed("tables/groupings.ts", "KERNEL_GROUPINGS", r"by: '(\w+)'") == [by.value for by in KernelsBy]


def test_a_span_is_answered_with_what_the_file_says_of_it(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS, K="gemm")
    asked: list[int] = []

    def attributes(profile: Profile, row: int) -> dict[str, Attribute]:
        asked.append(row)
        return {"grid": "[1, 2, 3]", "bytes": row * len(profile.spans)}

    profiles.folder.library.profiles.use_reader(profiles._read, attributes)
    (session,) = profiles.sessions()
    profile = next(iter(profiles.drawn.values()))()
    row = next(row for row, kind in enumerate(profile.spans.kind) if kind == SpanKind.KERNEL)
    span = profiles.get(f"spans/{row}", session=session["id"])["span"]
    assert (span["row"], span["name"], span["kind"], span["process"]) == (row, "gemm", "kernel", "GPU 0")
    assert span["duration_us"] == (profile.spans.end[row] - profile.spans.start[row]) / 1e3
    assert span["attributes"] == [{"name": "grid", "value": "[1, 2, 3]"}, {"name": "bytes", "value": row * len(profile.spans)}]
    assert (asked, profiles.read) == ([row], [next(iter(profiles.drawn)).rsplit("/", 1)[1]])


def test_a_row_must_be_a_number(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS)
    (session,) = profiles.sessions()
    for row in ("-1", "x", "²", "1" * 30):
        assert profiles.get(f"spans/{row}", status=400, session=session["id"])["error"]["code"] == "bad_row"


def test_a_span_of_a_file_that_changed_is_not_there(profiles: ProfileServer) -> None:
    path = profiles.record("train", "worker0", TWO_STEPS)
    (session,) = profiles.sessions()
    profiles.get("spans/0", session=session["id"])
    path.write_text("{} ")
    assert profiles.get("spans/0", status=404, session=session["id"])["error"]["code"] == "changed"
