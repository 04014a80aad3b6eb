"""The critical path on recordings of real GPUs: it fills every step to the nanosecond, and says what the step waits for."""

from __future__ import annotations

import tarfile
from itertools import pairwise
from pathlib import Path

import pytest

from stepscope.analyses.breakdown import Breakdown, break_down
from stepscope.analyses.what_if.critical_path import REPLAYED, CriticalPath, critical_path
from stepscope.formats.open_profile import open_profile

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
pytestmark = pytest.mark.skipif(not SAMPLES.exists(), reason="the folder of samples is not there")
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
    found, breakdown = of(SAMPLES / FILES[0])
    parts = dict(found.parts)
    assert parts["input"] / found.step_ns == pytest.approx(0.33, abs=0.01)
    assert parts["compute"] < breakdown.typical_parts[0], "kernels that run while the host prepares the next are beside it"


def test_the_path_of_a_rank_that_waits_goes_through_the_one_that_is_last(tmp_path: Path) -> None:
    with tarfile.open(SAMPLES / "kineto" / "dlrm_8ranks" / "dlrm_kineto.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    found, _ = of(tmp_path)
    elsewhere = sum(row.path_ns for row in found.rows if row.rank == 7)
    assert elsewhere > 0.3 * found.step_ns
