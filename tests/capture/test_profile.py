"""stepscope.profile around plain Python (python_profiler): which steps are captured, what the page finds, and what goes wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stepscope
from child_environment import with_sources
from small_disk import small_disk
from stepscope.capture.profile import Capture
from stepscope.capture.unprofiled_steps import STEPS, TAG

Run = Callable[..., subprocess.CompletedProcess[str]]
Points = dict[str, list[tuple[int, float, float]]]


def capture(folder: Path, **options: Any) -> Capture:
    return stepscope.profile(folder, **{"framework": "python", **options})


def train(profile: Capture, steps: range, seconds: float = 0.0) -> None:
    for number in steps:
        with profile.step(number), stepscope.span("forward"), stepscope.op("matmul", inputs=[np.zeros((4, 3), np.float32)]):
            time.sleep(seconds)


def events(session: str) -> list[dict[str, Any]]:
    (path,) = Path(session).iterdir()
    return [event for event in json.loads(path.read_text())["traceEvents"] if event["ph"] == "X"]


def marked(session: str) -> list[str]:
    return [event["name"] for event in events(session) if event["name"].startswith("ProfilerStep#")]


def test_the_chosen_steps_are_captured_and_read(tmp_path: Path, verbs: Run) -> None:
    with capture(tmp_path, steps="3-5") as profile:
        train(profile, range(10), 0.002)
    (session,) = profile.sessions
    told = json.loads(verbs("profile", "steps", session, "--json", "--no-cache").stdout)
    assert [step["step"] for step in told["steps"]] == [3, 4, 5]
    assert all(step["ms"] >= 2 for step in told["steps"])
    operations = json.loads(verbs("profile", "ops", session, "--json", "--no-cache").stdout)["ops"]
    assert [(row["name"], row["count"]) for row in operations] == [("matmul", 3)]
    (path,) = Path(session).iterdir()
    assert [row["args"]["Input Dims"] for row in events(session) if row["name"] == "matmul"] == [[[4, 3]]] * 3
    assert path.parent.parent == tmp_path / "plugins" / "profile"


def test_each_range_is_a_session(tmp_path: Path) -> None:
    with capture(tmp_path, steps=[1, 4, 5, 8], name="my run") as profile:
        train(profile, range(10))
    assert [marked(session) for session in profile.sessions] == [
        ["ProfilerStep#1"],
        ["ProfilerStep#4", "ProfilerStep#5"],
        ["ProfilerStep#8"],
    ]
    assert [session.rpartition("_step")[2] for session in profile.sessions] == ["1", "4", "8"]
    assert all("_my_run_" in session for session in profile.sessions)


def test_steps_that_are_passed_over_end_a_session(tmp_path: Path) -> None:
    with capture(tmp_path, steps="2-9") as profile:
        for number in (0, 2, 3, 20, 21):
            with profile.step(number):
                pass
    assert [marked(session) for session in profile.sessions] == [["ProfilerStep#2", "ProfilerStep#3"]]


def test_without_chosen_steps_the_block_is_captured(tmp_path: Path) -> None:
    with capture(tmp_path) as profile, stepscope.span("all of it"):
        pass
    (session,) = profile.sessions
    marked = [event["name"] for event in events(session) if event["cat"] == "user_annotation"]
    assert marked == ["all of it"]


def test_start_and_stop(tmp_path: Path) -> None:
    profile = capture(tmp_path, steps="0")
    with pytest.raises(RuntimeError, match="start"):
        profile.step(0)
    profile.start()
    with pytest.raises(RuntimeError, match="stop"):
        profile.start()
    train(profile, range(2))
    profile.stop()
    profile.stop()
    assert len(profile.sessions) == 1


def test_as_a_decorator_each_call_is_a_step(tmp_path: Path) -> None:
    profile = capture(tmp_path, steps="2-3")

    @profile
    def step(number: int) -> int:
        return number + 1

    assert [step(number) for number in range(6)] == list(range(1, 7))
    profile.stop()
    assert [marked(session) for session in profile.sessions] == [["ProfilerStep#2", "ProfilerStep#3"]]


def test_as_a_decorator_without_steps_each_call_is_a_session(tmp_path: Path) -> None:
    profile = capture(tmp_path, name="call")

    @profile
    def evaluate() -> None:
        with stepscope.span("work"):
            pass

    evaluate()
    evaluate()
    assert sum(len(list(Path(folder).iterdir())) for folder in set(profile.sessions)) == 2


def test_a_generator_cannot_be_decorated(tmp_path: Path) -> None:
    def batches() -> Any:
        yield 1

    with pytest.raises(TypeError, match="plain function"):
        capture(tmp_path)(batches)


def test_only_one_capture_at_a_time(tmp_path: Path) -> None:
    with capture(tmp_path / "first") as first:
        with pytest.raises(RuntimeError, match="first"):
            capture(tmp_path / "second").start()
        assert not (tmp_path / "second").exists()
    assert len(first.sessions) == 1
    with capture(tmp_path / "second"):
        pass


def test_a_capture_that_meets_another_in_training_is_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with capture(tmp_path / "outer"), capture(tmp_path / "inner", steps="1-2") as inner:
        train(inner, range(5))
    assert inner.sessions == []
    assert len([record for record in caplog.records if "outer" in record.getMessage()]) == 1


def test_the_cost_of_profiling_is_known(tmp_path: Path, points_of: Callable[[Path], Points], verbs: Run) -> None:
    run = tmp_path / "run"
    with capture(run, steps="60-62") as profile:
        train(profile, range(200), 0.0002)
    (session,) = profile.sessions
    logged = sorted(step for step, _, _ in points_of(run)[TAG])
    assert logged == [*range(59 - STEPS, 59), *range(63, 63 + STEPS)], "59 was recorded to warm up"
    told = json.loads(verbs("profile", "report", tmp_path, "--json", "--no-cache").stdout)
    assert (told["logged_step"]["tag"], told["logged_step"]["steps"]) == (TAG, 2 * STEPS)
    values = [value for _, _, value in points_of(run)[TAG]]
    assert told["logged_step"]["ms"] == pytest.approx(1e3 * np.median(values))
    assert session


def test_steps_that_never_came_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with capture(tmp_path, steps="100-102") as profile:
        train(profile, range(64))
    assert profile.sessions == []
    (record,) = caplog.records
    assert record.args == ("64 steps (0–63)", "100–102")
    assert list(tmp_path.iterdir()) == []


def test_epochs_are_chosen_and_steps_count_in_them(tmp_path: Path) -> None:
    with capture(tmp_path, epochs="1", steps="2-3") as profile:
        for epoch in range(3):
            with profile.epoch(epoch):
                for _ in range(6):
                    with profile.step():
                        pass
    assert [marked(session) for session in profile.sessions] == [["ProfilerStep#2", "ProfilerStep#3"]]
    assert profile.sessions[0].endswith("_epoch1_step2")


def test_whole_epochs(tmp_path: Path) -> None:
    with capture(tmp_path, epochs=[0, 2]) as profile:
        for epoch in range(4):
            with profile.epoch(epoch):
                for _ in range(3):
                    with profile.step():
                        pass
    assert [len(marked(session)) for session in profile.sessions] == [3, 3]


def test_an_epoch_that_never_came_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with capture(tmp_path, epochs="7") as profile, profile.epoch(0):
        train(profile, range(3))
    assert [record.args for record in caplog.records] == [("7",)]


def test_the_budget_ends_a_capture(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def step(profile: Capture, number: int) -> None:
        with profile.step(number):
            for _ in range(200):
                with stepscope.span("a part of the step"):
                    pass

    with capture(tmp_path, steps="2-100", budget="100kB", python=False) as profile:
        for number in range(50):
            step(profile, number)
    (session,) = profile.sessions
    (path,) = Path(session).iterdir()
    assert 20_000 < path.stat().st_size <= 100_000
    assert 1 <= len(marked(session)) < 20
    assert any("100 kB" in record.getMessage() for record in caplog.records)
    assert len(json.loads(path.read_text())["captureWarnings"]) == 1


@pytest.mark.slow
def test_the_budget_ends_a_block(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """process_memory: the process grows with what is recorded."""
    budget = 8_000_000
    with capture(tmp_path, budget=budget, python=False, system=False) as profile:
        for number in range(1_000):
            with profile.step(number):
                for _ in range(1_000):
                    with stepscope.span("a part of the step"):
                        pass
    assert 1 <= len(profile.sessions) <= 2
    paths = [path for session in profile.sessions for path in Path(session).iterdir()]
    assert budget / 8 < sum(path.stat().st_size for path in paths) <= budget
    assert 0 < sum(len(marked(session)) for session in profile.sessions) < 1_000
    assert len([record for record in caplog.records if "8 MB" in record.getMessage()]) == 1
    last = json.loads(max(paths, key=lambda path: path.stat().st_mtime_ns).read_text())
    assert len(last["captureWarnings"]) == 1, "the file says that it is partial"


def train_and_fail(profile: Capture) -> None:
    with profile:
        train(profile, range(3))
        raise ZeroDivisionError


def test_a_block_that_fails_keeps_its_profile(tmp_path: Path) -> None:
    profile = capture(tmp_path, steps="1-5")
    with pytest.raises(ZeroDivisionError):
        train_and_fail(profile)
    assert [len(marked(session)) for session in profile.sessions] == [2]


def test_threads_are_named(tmp_path: Path) -> None:
    def work() -> None:
        with stepscope.span("beside"):
            started.set()
            ended.wait(10)

    started, ended = threading.Event(), threading.Event()
    with capture(tmp_path) as profile:
        thread = threading.Thread(target=work, name="loader")
        thread.start()
        started.wait(10)
        with stepscope.span("main"):
            pass
        ended.set()
        thread.join()
    assert len({event["tid"] for event in events(profile.sessions[0]) if event["cat"] == "user_annotation"}) == 2


def test_a_span_costs_nothing_without_a_capture() -> None:
    assert stepscope.span("a") is stepscope.span("b")
    assert stepscope.op("a", inputs=[object()]) is stepscope.span("b")


def test_a_full_disk_is_one_sentence_and_the_file_is_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with small_disk(tmp_path / "disk", 32) as disk:
        with capture(disk, steps="0-400") as profile:
            train(profile, range(400))
        assert profile.sessions == []
        assert profile.problem is not None
        kept = Path(profile.problem.rpartition(" ")[2].rstrip("."))
        assert [path.suffix for path in kept.iterdir()] == [".json"]
        assert list(disk.rglob("*.part")) == []
    assert any(record.getMessage() == profile.problem for record in caplog.records)


@pytest.mark.skipif(os.name != "posix", reason="needs a file in the way of a folder")
def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with capture(tmp_path / "file" / "run") as profile:
        pass
    assert profile.sessions == []
    assert profile.problem is not None


@pytest.mark.parametrize(
    ("options", "named"),
    [({"steps": "x"}, "steps"), ({"epochs": -1}, "epochs"), ({"budget": "much"}, "budget"), ({"framework": "mxnet"}, "framework")],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any], named: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"^Give {named} as"):
        capture(tmp_path, **options)


def test_ranks_write_into_one_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verbs: Run) -> None:
    sessions: set[str] = set()
    for rank in (0, 1):
        monkeypatch.setenv("RANK", str(rank))
        monkeypatch.setenv("WORLD_SIZE", "3")
        with capture(tmp_path, steps="1-2") as profile:
            train(profile, range(4), 0.001)
        sessions |= set(profile.sessions)
    (session,) = sessions
    told = json.loads(verbs("profile", "steps", session, "--json", "--no-cache").stdout)
    assert {step["rank"] for step in told["steps"]} == {0, 1}
    report = json.loads(verbs("profile", "report", session, "--json", "--no-cache").stdout)
    assert report["data_quality"]["missing_ranks"] == [2]


def test_a_program_that_never_stops_still_gets_its_profile(tmp_path: Path) -> None:
    code = (
        f"import stepscope\np = stepscope.profile({str(tmp_path)!r}, steps='1-9', framework='python').start()\n"
        "for n in range(3):\n    with p.step(n): pass\n"
    )
    subprocess.run([sys.executable, "-c", code], env=with_sources(), check=True, timeout=60)
    (path,) = tmp_path.glob("plugins/profile/*/*.trace.json")
    assert path.read_text().count("ProfilerStep#") == 2
