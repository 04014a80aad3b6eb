"""The critical path on recordings of real GPUs: it fills every step to the nanosecond, and says what the step waits for."""

from __future__ import annotations

import tarfile
from itertools import pairwise
from pathlib import Path

import pytest

from opened_profiles import open_profile
from sample_files import SAMPLES, needs_samples
from stepscope.analyses.breakdown import Breakdown, break_down
from stepscope.analyses.what_if.critical_path import BEFORE, REPLAYED, CriticalPath, critical_path
from stepscope.analyses.what_if.levers import parse_lever
from stepscope.analyses.what_if.path_savings import path_savings
from stepscope.analyses.what_if.prediction import predict, replay_context

pytestmark = [needs_samples, pytest.mark.slow]
FILES = (
    "kineto/resnet50_workers0/worker0.1623143089861.pt.trace.json.gz",
    "kineto/resnet50_workers4/worker0.1623212756351.pt.trace.json.gz",
    "kineto/hta/trace_diff/control/control.json.gz",
    "kineto/tracelens/b200/eager_trace.json.gz",
    "kineto/tracelens/mi300/resnet_act_checkpoint.json.gz",
    "xplane/synthetic_cuda",
)


def of(path: Path) -> tuple[CriticalPath, Breakdown]:
    profiles = open_profile(str(path))
    breakdowns = [break_down(profile) for profile in profiles]
    return critical_path(profiles, breakdowns), breakdowns[0]


@pytest.mark.parametrize("file", FILES)
def test_the_path_is_as_long_as_the_step(file: str) -> None:
    found, breakdown = of(SAMPLES / file)
    assert found.model == REPLAYED
    lengths = [sum(each.end - each.start for each in segments) for segments in found.segments]
    assert lengths == breakdown.steps.length.tolist()
    for segments in found.segments:
        assert all(before.end == after.start for before, after in pairwise(segments) if before.rank == after.rank)


def test_a_training_that_waits_for_input_has_it_on_the_path() -> None:
    # The loader takes 73 ms of the host in each step, of which the device is idle for 59; nothing ever waits for the device.
    found, _ = of(SAMPLES / FILES[0])
    parts = dict(found.parts)
    assert parts["input"] / found.step_ns == pytest.approx(0.41, abs=0.01)
    assert parts.get("compute", 0.0) / found.step_ns < 0.005, "a device that lags behind the host is beside the path"
    assert "16.2 ms" in found.note


# What each lever would save, and what its parts have on the path; from recordings whose replay is off by less than 1 %.
AGREE = 0.02
KNOWN = {
    "kineto/resnet50_workers0": {"kernels": (0.0, 0.0), "launches": (0.50, 0.42), "input": (0.41, 0.33)},
    "kineto/tracelens/mi300/resnet_act_checkpoint.json.gz": {
        "kernels": (0.13, 0.13), "copies": (0.03, 0.03), "communication": (0.83, 0.62),
    },
    "kineto/tracelens/b200/eager_trace.json.gz": {"launches": (0.75, 0.73), "python": (0.245, 0.247)},
    "kineto/hta/nccl_parser_config": {"kernels": (0.0, 0.0), "launches": (0.86, 0.80)},
    # The first of its two steps takes 9.3 ms, 6.5 of them in the first launch, the second 0.05: start-up, and no matter of launches.
    "kineto/hta/amd_trace": {"compile": (0.70, 0.70), "launches": (0.21, 0.20)},
    "xplane/synthetic_cuda": {"input": (0.30, 0.30), "launches": (0.014, 0.013)},
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_on_the_path_is_what_a_change_would_save_at_most(name: str) -> None:
    profiles = open_profile(str(SAMPLES / name))
    breakdowns = [break_down(profile) for profile in profiles]
    context = replay_context(profiles, breakdowns)
    path = critical_path(profiles, breakdowns)
    found = {one.lever: (one.path, one.saves) for one in path_savings(context, path)}
    assert all(saves <= share + AGREE for share, saves in found.values()), found
    for lever, (share, saves) in KNOWN[name].items():
        if share == 0.0:  # Nothing worth a word is on the path, and the change brings nothing.
            gone = predict(context, [parse_lever(f"{lever}=0", profiles)])
            assert gone.low_ms is not None
            assert (lever in found, 1 - gone.low_ms / gone.baseline_ms < AGREE) == (False, True)
        else:
            assert found[lever] == (pytest.approx(share, abs=0.01), pytest.approx(saves, abs=0.01))


def test_the_path_of_a_rank_that_waits_goes_through_the_one_that_is_last(tmp_path: Path) -> None:
    with tarfile.open(SAMPLES / "kineto" / "dlrm_8ranks" / "dlrm_kineto.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    found, _ = of(tmp_path)
    elsewhere = sum(row.path_ns for row in found.rows if row.rank == 7)
    assert elsewhere > 0.3 * found.step_ns
    profiles = open_profile(str(tmp_path))
    later = critical_path(profiles, [break_down(profile) for profile in profiles], 1)
    before = next(row for row in later.rows if row.name == BEFORE)
    assert (before.rank, before.part) == (7, "between")
    assert before.path_ns == pytest.approx(7.5e6, rel=0.01), "its step begins so much later than rank 1's, counted by hand"
