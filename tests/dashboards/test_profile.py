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
from dashboards.profile_server import ProfileServer
from dashboards.step_pictures import TWO_STEPS
from stepscope.analyses.time_classes import GROUP_OF, Group, TimeClass
from stepscope.analyses.work.kernels import KernelsBy
from stepscope.analyses.work.operations import By
from stepscope.formats.open_profile import read_file
from stepscope.model.profile import Attribute, Note, Profile, SpanKind
from stepscope.rules.all_rules import ALL_RULES

UI = Path(__file__).resolve().parents[2] / "src" / "stepscope" / "dashboards" / "profile" / "ui"
CUT = "This file is cut short; record it again."
SLOW_THIRD = """
    main       11111222223333333333333344444
    main       il...il...iiiiiiiiiil...il...
    gpu 0        KK   KK            KK   KK
"""


def groups(found: dict[str, Any]) -> dict[str, float]:
    """Milliseconds of the groups, of a report or a rank."""
    return {group: share * found["step_ms"]["typical"] for group, share in found["breakdown"].items()}


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
    assert [tab["id"] for tab in folder["tabs"] if tab["has_data"]] == ["profile", "query"]
    assert (folder["runs"], folder["profiles"]) == (1, 1)
    (run,) = profiles.client.get("/api/v1/runs").json()["runs"]
    assert (run["name"], run["profiles"], run["points"], run["status"]) == ("train", 1, 0, "profile_only")
    assert run["started"] == 1_794_770_412.963


def test_the_overview_says_what_to_change_and_what_it_would_give(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS)
    report = profiles.report()
    first = report["findings"][0]
    assert (first["rule"], first["verdict"], first["gain"]["high"]) == ("input_bound", "fires", pytest.approx(0.3))
    assert first["evidence"][0]["spans"]["worker"] == "worker0"
    assert first["evidence"][0]["spans"]["end_ms"] == 3.0
    assert first["code"].startswith("loader = DataLoader(")
    assert first["code"] == first["change"]["pytorch"]
    assert [each["verdict"] for each in report["findings"]].count("fires") <= 3
    assert {each["verdict"] for each in report["findings"]} <= {"fires", "quiet", "cannot_tell"}
    counts = report["checked"]
    assert counts["fires"] + counts["quiet"] + counts["cannot_tell"] == counts["rules"] == len(ALL_RULES)
    assert first["promise"] in report["summary"]
    assert "replay" in {note["code"] for note in report["data_quality"]["notes"]}


@pytest.mark.parametrize(
    ("seconds", "level", "inflation"),
    [(None, "info", None), (0.008, "info", 0.25), (0.005, "warning", 1.0), (0.010, "info", 0.0)],
)
def test_steps_that_the_run_has_logged_tell_what_profiling_cost(
    profiles: ProfileServer, seconds: float | None, level: str, inflation: float | None
) -> None:
    captured = 1_794_770_412_963_000_000
    profiles.put("train", "worker0", lambda: replace(timeline(TWO_STEPS), base_ns=captured))
    if seconds is not None:
        profiles.folder.write("train", {"step_time/total": [seconds] * 50 + [9.0]}, start=captured / 1e9 - 50)
    report = profiles.report()
    (note,) = [note for note in report["data_quality"]["notes"] if note["code"] == "inflation"]
    assert (note["level"], report["inflation"]) == (level, inflation if inflation is None else pytest.approx(inflation))
    assert report["logged_step"] == (seconds and {"ms": pytest.approx(1e3 * seconds), "tag": "step_time/total", "steps": 49})
    expected = 7.0 if seconds is None else 700 * seconds
    assert report["findings"][0]["step_ms"]["low"] == pytest.approx(expected)


def test_the_groups_sum_to_the_step(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS, K="gemm", H="Memcpy HtoD")
    report = profiles.report()
    assert report["step_ms"]["median"] == pytest.approx(10.0)
    assert groups(report) == pytest.approx(
        {"compute": 4.0, "communication": 0.0, "copy": 2.0, "input_wait": 3.0, "host": 1.0, "untraced": 0.0}
    )
    assert sum(report["parts"].values()) == pytest.approx(report["step_ms"]["typical"])
    assert sum(report["breakdown"].values()) == pytest.approx(1.0)
    (rank,) = report["ranks"]
    steps = profiles.steps()
    for step in steps:
        assert sum(step["parts"].values()) == pytest.approx(step["ms"])
    assert [step["step"] for step in steps] == [1, 2, 3, 4]
    assert (rank["step_family"], rank["step_sources"], rank["steps"]) == ("profiler_step", ["ProfilerStep#", "whole profile"], 4)
    assert (rank["framework"], rank["cpu_only"], rank["rank"]) == ("PyTorch", False, None)


def test_steps_can_be_found_another_way(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS, K="gemm")
    (session,) = profiles.sessions()
    (rank,) = profiles.report(steps="whole profile")["ranks"]
    assert (rank["step_family"], rank["steps"]) == ("window", 1)
    assert "ProfilerStep#" in rank["step_sources"]
    rows = profiles.part("kernels", session["id"], steps="whole profile")["kernels"]
    assert rows[0]["exposed_us"] == pytest.approx(16_000.0)
    refused = profiles.part("report", session["id"], 400, steps="nothing")
    assert refused["error"]["code"] == "no_such_steps"


def test_where_the_time_is(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS, K="gemm", i="next")
    report = profiles.report()
    assert [(row["name"], row["group"], row["count_per_step"]) for row in report["most_exposed"]][:2] == [
        ("gemm", "compute", 1),
        ("next", "input_wait", 1),
    ]
    assert report["most_exposed"][0]["exposed_ms"] == pytest.approx(4.0)
    assert report["most_exposed"][0]["exposed_share"] == pytest.approx(0.4)
    assert len(report["most_exposed"]) <= 8


def test_an_outlier_names_the_part_that_grew(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", SLOW_THIRD)
    steps = profiles.steps()
    assert [step["typical"] for step in steps] == [True, True, False, True]
    slow = steps[2]
    assert slow["grew"] == "input"
    assert slow["grew_ms"] == pytest.approx(9.0, abs=0.1)


def test_ranks_are_shown_alone_and_as_their_mean(profiles: ProfileServer) -> None:
    profiles.record("train", "rank10", TWO_STEPS, rank=10)
    profiles.record("train", "rank2", TWO_STEPS.replace("KKKKHH", "CCCCHH"), rank=2)
    report = profiles.report()
    assert [(rank["worker"], rank["rank"]) for rank in report["ranks"]] == [("rank2", 2), ("rank10", 10)]
    assert groups(report)["compute"] == pytest.approx(2.0)
    assert [groups(rank)["compute"] for rank in report["ranks"]] == pytest.approx([0.0, 4.0])
    # Of two that take the same time, the one that waits for nobody is the one to look at.
    assert report["waited_for"] == "rank10"
    assert report["summary"].endswith(" rank 10.")
    assert report["ranks"][0]["breakdown"]["communication"] == pytest.approx(0.4)


def test_no_rank_is_the_slowest_among_equals(profiles: ProfileServer) -> None:
    profiles.record("train", "rank0", TWO_STEPS)
    profiles.record("train", "rank1", TWO_STEPS.replace("HH    KKKK", "HHH   KKKK"))
    report = profiles.report()
    assert (report["waited_for"], report["slowest"], report["ranks_equal"]) == ("", "", True)
    assert report["ranks_apart"] < 0.001
    assert report["ranks_text"]
    assert report["summary"].endswith(report["ranks_text"])


def test_a_rank_whose_steps_are_longer_is_the_slowest(profiles: ProfileServer) -> None:
    profiles.record("train", "rank0", TWO_STEPS)
    profiles.record("train", "rank1", TWO_STEPS, unit=1_500_000)
    report = profiles.report()
    assert (report["slowest"], report["longest"], report["ranks_text"]) == ("rank1", "rank1", "")
    assert "rank 1" in report["summary"]


def test_in_what_ranks_differ_is_told(profiles: ProfileServer) -> None:
    profiles.record("train", "rank0", TWO_STEPS)
    profiles.record("train", "rank1", TWO_STEPS.replace("4444444444", "4444455555"))
    assert {"what": "steps", "values": ["4", "5"]} in profiles.report()["disagreements"]


def test_a_broken_rank_does_not_cost_the_others(profiles: ProfileServer) -> None:
    profiles.record("train", "rank0", TWO_STEPS)
    profiles.broken("train", "rank1", CUT)
    report = profiles.report()
    assert [rank["worker"] for rank in report["ranks"]] == ["rank0"]
    assert report["broken"] == [{"worker": "rank1", "reason": CUT}]


def test_a_session_that_cannot_be_read_says_why(profiles: ProfileServer) -> None:
    profiles.broken("train", "worker0", CUT)
    (session,) = profiles.sessions()
    answer = profiles.part("report", session["id"], 400)
    assert answer == {"error": {"code": "truncated", "message": CUT}}


def test_a_file_that_was_cut_is_doubted_first(profiles: ProfileServer) -> None:
    note = Note("warning", "truncated", "It was cut off, and what is there is shown.")
    profiles.put("train", "worker0", lambda: replace(timeline(TWO_STEPS), notes=[note]))
    report = profiles.report()
    assert report["summary"].startswith(report["data_quality"]["weak"][0])
    assert report["data_quality"]["cut_short"]
    assert ("warning", "truncated", note.text) in [(row["level"], row["code"], row["text"]) for row in report["data_quality"]["notes"]]


def test_a_cut_file_of_which_nothing_timed_is_left(profiles: ProfileServer, tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text('{"schemaVersion": 1, "traceEvents": [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "py"}}, {"ph"')
    profiles.put("train", "worker0", lambda: read_file(str(path)))
    (session,) = profiles.sessions()
    assert profiles.part("report", session["id"], 400)["error"]["code"] == "cut_short"


def test_unknown_sessions_and_workers_are_not_there(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS)
    (session,) = profiles.sessions()
    assert profiles.part("report", "0" * 12, 404)["error"]["code"] == "unknown_session"
    assert profiles.part("kernels", session["id"], 404, worker="nobody")["error"]["code"] == "unknown_worker"
    assert profiles.part("ops", session["id"], 400, by="colour")["error"]["code"] == "bad_request"


def test_notes_of_the_reader_are_at_the_foot(profiles: ProfileServer) -> None:
    note = Note("warning", "repaired", "The end of the file was repaired.")
    profiles.put("train", "worker0", lambda: replace(timeline(TWO_STEPS), notes=[note]))
    report = profiles.report()
    assert {"level": note.level, "code": note.code, "text": note.text} in report["data_quality"]["notes"]


def test_operations_and_kernels(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS, K="gemm", i="next")
    (session,) = profiles.sessions()
    operations = profiles.part("ops", session["id"])
    assert operations["total"] == len(operations["ops"])
    gemm = next(row for row in operations["ops"] if row["name"] == "gemm")
    assert (gemm["count"], gemm["total_us"], gemm["average_us"], gemm["flops"]) == (4, 16_000.0, 4_000.0, None)
    (kernel,) = profiles.part("kernels", session["id"], worker="worker0")["kernels"]
    assert (kernel["name"], kernel["count"], kernel["total_us"], kernel["share"]) == ("gemm", 4, 16_000.0, 1.0)
    calls = profiles.part("ops", session["id"], calls=True)
    assert {row["kind"] for row in calls["ops"]} > {row["kind"] for row in operations["ops"]}


def test_a_file_is_read_once_for_all_answers(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS)
    (session,) = profiles.sessions()
    for part in ("ops", "kernels", "ops"):
        profiles.part(part, session["id"])
    profiles.part("report", session["id"])
    assert len(profiles.read) == 1


def test_a_changed_file_is_read_again(profiles: ProfileServer) -> None:
    path = profiles.record("train", "worker0", TWO_STEPS)
    assert profiles.report()["ranks"][0]["steps"] == 4
    path.write_text("more")
    profiles.drawn[str(path)] = lambda: timeline(SLOW_THIRD)
    assert [step["typical"] for step in profiles.steps()] == [True, True, False, True]


def test_a_long_read_tells_how_far_it_is_and_stops_when_nobody_waits(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepscope.dashboards.profile.part_routes.WAIT_SECONDS", 0.05)
    monkeypatch.setattr("stepscope.session.reader.LEASE_SECONDS", 0.3)
    monkeypatch.setattr("stepscope.session.reader._MOST_AT_ONCE", 1)
    go_on = threading.Event()

    def slowly() -> Profile:
        go_on.wait(60)
        return timeline(TWO_STEPS)

    profiles.record("train", "rank0", TWO_STEPS)
    profiles.put("train", "rank1", slowly)
    profiles.record("train", "rank2", TWO_STEPS)
    (session,) = profiles.sessions()
    ask = lambda: profiles.client.get(f"/api/v1/profile/{session['id']}/report").json()  # noqa: E731
    assert wait_for(lambda: ask()["reading"]["files_done"] == 1)
    assert ask()["reading"]["files"] == 3
    time.sleep(0.5)
    go_on.set()
    time.sleep(0.3)
    assert not any(name.startswith("rank2") for name in profiles.read)
    # Asking again goes on where it stopped: what has been read is kept.
    assert wait_for(lambda: ask()["answer"] is not None)
    assert sorted(name.split(".")[0] for name in profiles.read) == ["rank0", "rank1", "rank2"]


def wait_for(done: Any, seconds: float = 60.0) -> bool:
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
    span = profiles.part("span", session["id"], row=row)
    assert (span["row"], span["name"], span["kind"], span["process"]) == (row, "gemm", "kernel", "GPU 0")
    assert span["duration_us"] == (profile.spans.end[row] - profile.spans.start[row]) / 1e3
    assert span["attributes"] == [{"name": "grid", "value": "[1, 2, 3]"}, {"name": "bytes", "value": row * len(profile.spans)}]
    assert (asked, profiles.read) == ([row], [next(iter(profiles.drawn)).rsplit("/", 1)[1]])


def test_a_row_must_be_a_number(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", TWO_STEPS)
    (session,) = profiles.sessions()
    for row in ("-1", "x", "²", "1" * 30):
        assert profiles.part("span", session["id"], 400, row=row)["error"]["code"] == "bad_request"


def test_a_span_of_a_file_that_changed_is_not_there(profiles: ProfileServer) -> None:
    path = profiles.record("train", "worker0", TWO_STEPS)
    (session,) = profiles.sessions()
    profiles.part("span", session["id"], row=0)
    path.write_text("{} ")
    assert profiles.part("span", session["id"], 404, row=0)["error"]["code"] == "changed"
