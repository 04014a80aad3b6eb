"""Kept recordings are judged again by the rules as they are, beside the times that were measured."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from truth.held_out import again
from truth.held_out.measure import TIMES
from truth.held_out.plan import Case
from truth.held_out.training import OPTIONS

CASE = Case("torch-input_wait-mlp-small-40", "torch", "mlp", "small", ("input_wait",), 0.4)
WAIT_US, WORK_US = 4000, 6000
STEPS = 6


def events() -> list[dict[str, Any]]:
    """Steps of 10 ms that wait 4 ms for input and then compute."""
    found: list[dict[str, Any]] = []

    def span(name: str, category: str, start: int, length: int) -> None:
        found.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": start, "dur": length})

    for step in range(STEPS):
        at = step * (WAIT_US + WORK_US)
        span(f"ProfilerStep#{step}", "user_annotation", at, WAIT_US + WORK_US)
        span("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "user_annotation", at, WAIT_US)
        span("aten::mm", "cpu_op", at + WAIT_US, WORK_US)
    return found


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    folder = tmp_path / CASE.name
    for options in OPTIONS:
        (folder / options).mkdir(parents=True)
        (folder / options / "host_1.1700000000000.pt.trace.json").write_text(json.dumps({"traceEvents": events()}))
    before = {"median_ms": 10.0, "steps": 50}
    after = {"median_ms": 6.0, "low_ms": 5.9, "high_ms": 6.1, "steps": 50}
    (folder / TIMES).write_text(json.dumps({**asdict(CASE), "before": before, "after": after}))
    return folder


def test_a_kept_recording_is_judged_as_a_run_would(kept: Path) -> None:
    row = again.judge_again(kept, cores=4)
    assert row["not_counted"] == ""
    for options in OPTIONS:
        said = row["judged"][options]
        assert (said["outcome"], said["first"]) == ("first", "input_bound")
        assert said["low_ms"] <= 6.0
    assert any("input_bound" in line for line in again.said(row))


def test_a_recording_that_cannot_be_read_is_a_failed_row(kept: Path) -> None:
    for file in (kept / OPTIONS[0]).iterdir():
        file.unlink()
    row = again.judge_again(kept, cores=4)
    assert (row["not_counted"], again.said(row)) == ("failed", [])
