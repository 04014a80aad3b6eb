"""stepscope.steps: the parts of every step add up, epochs and rates are logged, and slow steps open as a trace."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stepscope
from stepscope import SummaryWriter
from stepscope.capture.environment import VARIABLE

Run = Callable[..., subprocess.CompletedProcess[str]]
Points = dict[str, list[tuple[int, float, float]]]
Read = Callable[[Path], Points]


def slowly(count: int, seconds: float) -> Iterator[int]:
    for number in range(count):
        time.sleep(seconds)
        yield number


def by_step(points: Points, tag: str) -> dict[int, float]:
    return {step: value for step, _, value in points[tag]}


def test_parts_of_a_step_sum_to_it(tmp_path: Path, points_of: Read) -> None:
    with SummaryWriter(tmp_path, precision="float64") as writer:
        for _ in stepscope.steps(slowly(5, 0.01), writer=writer):
            with stepscope.phase("forward"):
                time.sleep(0.02)
            with stepscope.phase("backward"), stepscope.phase("forward"):  # A part of backward.
                time.sleep(0.005)
            time.sleep(0.003)
    points = points_of(tmp_path)
    parts = {tag: by_step(points, f"step_time/{tag}") for tag in ("total", "input", "forward", "backward", "other")}
    assert all(sorted(found) == list(range(5)) for found in parts.values())
    for step in range(5):
        assert parts["total"][step] == pytest.approx(
            sum(parts[tag][step] for tag in ("input", "forward", "backward", "other")), abs=1e-7
        )
        assert parts["input"][step] >= 0.01
        assert parts["forward"][step] >= 0.02
        assert parts["backward"][step] >= 0.005
        assert parts["other"][step] >= 0.003


def test_epochs_go_on_counting_and_have_their_rates(tmp_path: Path, points_of: Read) -> None:
    batches = [(np.zeros((8, 3)), np.zeros(8)), (np.zeros((4, 3)), np.zeros(4))]
    with SummaryWriter(tmp_path, precision="float64") as writer:
        for _ in range(3):
            for _ in stepscope.steps(batches, writer=writer):
                time.sleep(0.001)
    points = points_of(tmp_path)
    assert sorted(by_step(points, "step_time/total")) == list(range(6))
    seconds, rates = by_step(points, "epoch_seconds"), by_step(points, "epoch_examples_per_second")
    assert sorted(seconds) == [0, 1, 2]
    assert [rates[epoch] * seconds[epoch] for epoch in range(3)] == pytest.approx([12.0] * 3)
    assert by_step(points, "epoch") == {1: 0.0, 3: 1.0, 5: 2.0}


@pytest.mark.parametrize(
    ("batch", "examples"),
    [({"ids": np.zeros((5, 2))}, 5), ([np.zeros((6,))], 6), (np.zeros(()), None), ("text", None), ([], None), ({}, None), (7, None)],
)
def test_examples_of_a_batch(batch: Any, examples: int | None, tmp_path: Path, points_of: Read) -> None:
    with SummaryWriter(tmp_path, precision="float64") as writer:
        for _ in stepscope.steps([batch], writer=writer):
            pass
    points = points_of(tmp_path)
    if examples is None:
        assert "epoch_examples_per_second" not in points
    else:
        (rate,), (seconds,) = (by_step(points, tag).values() for tag in ("epoch_examples_per_second", "epoch_seconds"))
        assert rate * seconds == pytest.approx(examples)


def test_inference_has_series_of_its_own(tmp_path: Path, points_of: Read) -> None:
    with SummaryWriter(tmp_path) as writer:
        for _ in stepscope.steps(range(3), writer=writer, start=100):
            pass
        for _ in stepscope.steps(range(2), writer=writer, name="inference"):
            pass
    points = points_of(tmp_path)
    assert sorted(by_step(points, "step_time/total")) == [100, 101, 102]
    assert sorted(by_step(points, "inference/total")) == [0, 1]


def test_other_ranks_have_series_of_their_own(tmp_path: Path, points_of: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "2")
    with SummaryWriter(tmp_path) as writer:
        for _ in stepscope.steps(range(2), writer=writer):
            pass
    assert {tag.partition("/")[0] for tag in points_of(tmp_path)} == {"rank2"}


def test_without_a_writer_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    seen: list[int] = []
    for batch in stepscope.steps(range(3)):
        with stepscope.phase("forward"):
            seen.append(batch)
    assert (seen, list(tmp_path.iterdir())) == ([0, 1, 2], [])


def test_a_phase_outside_of_a_loop_is_nothing() -> None:
    with stepscope.phase("a") as entered:
        assert entered is None


def test_a_loop_that_is_left_keeps_what_it_had(tmp_path: Path, points_of: Read) -> None:
    with SummaryWriter(tmp_path) as writer:
        for batch in stepscope.steps(range(10), writer=writer):
            if batch == 3:
                break
        with stepscope.phase("after"):
            pass
    assert sorted(by_step(points_of(tmp_path), "step_time/total")) == [0, 1, 2]


def test_a_slow_step_opens_as_a_trace(tmp_path: Path, verbs: Run) -> None:
    with SummaryWriter(tmp_path) as writer:
        for batch in stepscope.steps(range(60), writer=writer):
            with stepscope.phase("forward"):
                time.sleep(0.3 if batch in (30, 45) else 0.002)
    (path,) = tmp_path.glob("plugins/profile/*_slow_steps/*.trace.json")
    json.loads(path.read_text())
    told = json.loads(verbs("profile", "steps", path, "--json", "--no-cache").stdout)
    kept = {step["step"]: step["ms"] for step in told["steps"]}
    assert {30, 45} <= set(kept), "others may be slow on a busy machine"
    assert kept[30] >= 300
    names = [event["name"] for event in json.loads(path.read_text())["traceEvents"]]
    assert names.count("forward") == len(kept)


def test_a_slow_step_starts_a_capture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepscope.capture.profile.framework_in_use", lambda: "python")
    with SummaryWriter(tmp_path) as writer:
        for batch in stepscope.steps(range(60), writer=writer, capture_slow=True, slow=50):
            with stepscope.phase("forward"):
                time.sleep(0.5 if batch == 30 else 0.002)
    (path,) = tmp_path.glob("plugins/profile/*_slow_step32/*.trace.json")
    names = [event["name"] for event in json.loads(path.read_text())["traceEvents"]]
    assert [name for name in names if name.startswith("ProfilerStep#")] == [f"ProfilerStep#{step}" for step in (32, 33, 34)]
    assert names.count("forward") == 3


def test_the_environment_asks_for_a_capture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv(VARIABLE, "steps=1,5-6 framework=python")
    with SummaryWriter(tmp_path) as writer:
        for _ in range(2):
            for _ in stepscope.steps(iter(range(4)), writer=writer):
                pass
    sessions = sorted(path.parent.name.rpartition("_")[2] for path in tmp_path.glob("plugins/profile/*/*.trace.json"))
    assert sessions == ["step1", "step5"]
    assert caplog.records == []


def test_a_given_capture_has_the_wait_in_its_steps(tmp_path: Path, verbs: Run) -> None:
    with stepscope.profile(tmp_path, steps="2-4", framework="python") as profile:
        for _ in stepscope.steps(slowly(8, 0.005), profile=profile):
            pass
    (session,) = profile.sessions
    told = json.loads(verbs("profile", "steps", session, "--json", "--no-cache").stdout)
    assert [step["step"] for step in told["steps"]] == [2, 3, 4]
    assert all(step["ms"] >= 5 for step in told["steps"])


@pytest.mark.parametrize("slow", [1, 0, -2, float("nan")])
def test_a_senseless_factor_is_refused(slow: float) -> None:
    with pytest.raises(ValueError, match="slow"):
        stepscope.steps([], slow=slow)


def test_names_without_end_are_refused() -> None:
    loop = stepscope.steps([1])
    for number in range(64):
        loop.phase(f"item {number}")
    with pytest.raises(ValueError, match="phases"):
        loop.phase("one more")
    loop.phase("item 3")


def test_a_folder_that_cannot_be_written_costs_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with SummaryWriter(tmp_path) as writer:
        (tmp_path / "plugins").write_text("in the way")
        for batch in stepscope.steps(range(40), writer=writer):
            time.sleep(0.2 if batch in (25, 35) else 0.001)
    assert len([record for record in caplog.records if record.name == "stepscope.capture"]) == 1
