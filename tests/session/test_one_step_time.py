"""One typical step everywhere: report, ranks, what-if, throughput, comparison and Python start from the same step time."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import stepscope
from cli.torch_traces import trace
from log_folder import LogFolder
from sample_files import SAMPLES, needs_samples
from stepscope.analyses.compare.comparison import compare
from stepscope.session.at_path import Opening, ProfileAt, profile_at
from stepscope.session.part import Wanted
from stepscope.session.parts.report import REPORT
from stepscope.session.parts.steps import STEPS
from stepscope.session.parts.throughput import THROUGHPUT
from stepscope.session.parts.whatif import WHATIF

NAMES = ("kineto/resnet50_workers0", "kineto/resnet50_workers4", "xplane/jax_cpu", "xplane/tf_keras_fit", "xplane/synthetic_cuda")


def opened(path: Path) -> ProfileAt:
    return profile_at(str(path), Opening(cache=False))


@needs_samples
@pytest.mark.parametrize("name", NAMES)
def test_every_answer_starts_from_the_same_step(name: str) -> None:
    found = opened(SAMPLES / name)
    report = found.answer(REPORT, REPORT.wanted())
    what_if = found.answer(WHATIF, WHATIF.wanted())
    typical = report.step_ms.typical
    parts = report.parts
    assert sum(getattr(parts, key) for key in parts.__struct_fields__) == pytest.approx(typical)
    assert report.unprofiled_ms is None
    assert (what_if.typical_ms, what_if.baseline_ms, what_if.unprofiled_ms) == (typical, typical, None)
    assert {each.alone.baseline_ms for each in what_if.changes} <= {typical}
    assert report.throughput.steps_per_second == pytest.approx(1e3 / typical)
    assert found.answer(THROUGHPUT, THROUGHPUT.wanted()).throughput.steps_per_second == pytest.approx(1e3 / typical)
    assert stepscope.load_profile(str(SAMPLES / name)).step_ms == typical
    said = re.search(r"Step time is ([\d.]+) (ms|µs|s)\b", report.summary)
    assert said is not None
    assert float(said[1]) == pytest.approx(typical, rel=0.005)


@needs_samples
@pytest.mark.parametrize(("name", "known"), [("mi300_jax_conv", False), ("gfx950_jax_attention", True)])
def test_guessed_steps_have_a_step_time_only_when_they_are_alike(name: str, known: bool) -> None:
    found = opened(SAMPLES / "xplane" / name)
    report, throughput = found.answer(REPORT, REPORT.wanted()), found.answer(THROUGHPUT, THROUGHPUT.wanted())
    lengths = [step.ms for step in found.answer(STEPS, STEPS.wanted()).steps]
    assert (max(lengths) < 3 * min(lengths)) is known
    assert throughput.has_steps is known
    assert bool(report.throughput.facts) is known
    assert bool(re.search(r"\d ms", report.summary)) is known, "the headline has a step time"


def test_the_step_without_the_profiler_is_a_figure_of_its_own(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path)
    base = {"baseTimeNanoseconds": 1_800_000_000_000_000_000}
    (tmp_path / "host_1.1800000000000.pt.trace.json").write_text(json.dumps(trace() | base))
    plain = opened(tmp_path).answer(REPORT, REPORT.wanted())
    typical = plain.step_ms.typical
    folder.write(".", {"step_time": [typical / 1e3 / 1.25] * 6})
    found = opened(tmp_path)
    report, what_if = found.answer(REPORT, REPORT.wanted()), found.answer(WHATIF, WHATIF.wanted())
    assert report.step_ms == plain.step_ms
    assert report.unprofiled_ms == pytest.approx(typical / 1.25)
    assert report.inflation == pytest.approx(0.25)
    assert (what_if.typical_ms, what_if.unprofiled_ms) == (typical, pytest.approx(typical / 1.25))
    assert what_if.baseline_ms == what_if.unprofiled_ms
    assert what_if.inflation == pytest.approx(0.25)


def test_a_logged_time_that_counts_something_else_is_used_by_no_answer(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path)
    base = {"baseTimeNanoseconds": 1_800_000_000_000_000_000}
    (tmp_path / "host_1.1800000000000.pt.trace.json").write_text(json.dumps(trace() | base))
    folder.write(".", {"step_time": [250.0] * 6})
    found = opened(tmp_path)
    report, what_if = found.answer(REPORT, REPORT.wanted()), found.answer(WHATIF, WHATIF.wanted())
    assert (report.unprofiled_ms, report.inflation) == (None, None)
    assert (what_if.unprofiled_ms, what_if.inflation, what_if.baseline_ms) == (None, None, report.step_ms.typical)


@needs_samples
def test_a_comparison_is_of_the_same_step() -> None:
    sides = [opened(SAMPLES / "kineto" / name) for name in ("resnet50_workers0", "resnet50_workers4")]
    typical = tuple(each.answer(REPORT, REPORT.wanted()).step_ms.typical for each in sides)
    before, after = (each.analysed(Wanted()).summary for each in sides)
    step = compare(before, after).step
    assert (step.before_ns / 1e6, step.after_ns / 1e6) == pytest.approx(typical)
