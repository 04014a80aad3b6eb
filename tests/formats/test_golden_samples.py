"""Golden numbers of every recording there is, and totals that XProf has of the same files, where it is right.

A reader or a rule that changes on purpose changes golden.json: `PYTHONPATH=src:tests python tests/formats/golden_tables.py` writes it
anew, and the difference is to be looked at. Sample recordings are not part of the repository; their tests skip when they are absent.
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from typing import Any

import pytest

from formats.golden_tables import CAPTURES, GOLDEN, captures, describe, samples
from opened_profiles import open_profile
from sample_files import SAMPLES, needs, needs_samples
from stepscope.analyses.breakdown import break_down, group_sums
from stepscope.analyses.time_classes import Group
from stepscope.analyses.work.kernels import kernels
from stepscope.analyses.work.operations import operations
from stepscope.model.profile import Profile

KEPT: dict[str, dict[str, Any]] = json.loads(GOLDEN.read_text())


def plain(found: dict[str, Any]) -> dict[str, Any]:
    """As JSON has it, with shares apart: their last digit may differ between machines."""
    copy: dict[str, Any] = json.loads(json.dumps(found))
    if copy["steps"]:
        copy["steps"]["groups"] = {key: pytest.approx(share, abs=2e-4) for key, share in copy["steps"]["groups"].items()}
    return copy


@pytest.mark.parametrize("name", KEPT["captures"])
def test_a_capture_of_the_project(name: str) -> None:
    assert json.loads(json.dumps(describe(CAPTURES, name))) == plain(KEPT["captures"][name])


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name.partition("!")[0])) for name in KEPT["samples"]])
def test_a_sample(name: str) -> None:
    assert json.loads(json.dumps(describe(SAMPLES, name))) == plain(KEPT["samples"][name])


def test_every_capture_has_golden_numbers() -> None:
    assert captures() == sorted(KEPT["captures"])


@needs_samples
def test_every_sample_has_golden_numbers() -> None:
    assert sorted(samples()) == sorted(KEPT["samples"])


@needs_samples
@pytest.mark.parametrize("exported", ["vm.trace.json.gz", "perfetto_trace.json.gz"])
def test_what_jax_exports_says_the_same_as_the_recording(exported: str) -> None:
    (folder,) = (SAMPLES / "xplane/jax_cpu/plugins/profile").iterdir()
    found = [break_down(open_profile(str(folder / name))[0]) for name in (exported, "vm.xplane.pb")]
    mine, whole = (group_sums(each.parts.sum(axis=0)).astype(float) for each in found)
    assert (mine / mine.sum()).tolist() == pytest.approx((whole / whole.sum()).tolist(), abs=0.03)
    assert mine[Group.COMPUTE] > 0.1 * mine.sum()


@cache
def profile_of(name: str) -> Profile:
    return open_profile(str(SAMPLES / "xplane" / name))[0]


def xprof(name: str, tool: str, place: int) -> list[dict[str, Any]]:
    """A table of XProf's answer."""
    answer = json.loads((SAMPLES / "xplane" / f"{name}_xprof_json" / f"{tool}.json").read_text())
    table = answer[place] if isinstance(answer, list) else answer
    ids = [column["id"] for column in table["cols"]]
    return [dict(zip(ids, (cell["v"] for cell in row["c"]), strict=True)) for row in table["rows"]]


def our_operations(name: str) -> dict[tuple[str, str], tuple[int, int]]:
    """Count and total ns by where and name."""
    found: dict[tuple[str, str], tuple[int, int]] = defaultdict(lambda: (0, 0))
    profile = profile_of(name)
    for row in operations(profile, break_down(profile)):
        key = ("Host" if row.device == "host" else "Device", row.name)
        found[key] = (found[key][0] + row.count, found[key][1] + row.total_ns)
    return dict(found)


@needs_samples
@pytest.mark.parametrize(
    ("name", "least", "wrong"), [("tf_manual_steps", 23, {"gradient_tape/MatMul/MatMul"}), ("synthetic_cuda", 5, set())]
)
def test_operations_agree_with_xprof(name: str, least: int, wrong: set[str]) -> None:
    # Of the operation where it is wrong, XProf counts 24 executions in 12 steps: an allocation inside bears its name.
    ours = our_operations(name)
    both = [
        (row, ours[key]) for row in xprof(name, "framework_op_stats", 1) if (key := (row["host_or_device"], row["operation"])) in ours
    ]
    assert len(both) >= least
    for row, (count, total) in both:
        assert total == pytest.approx(row["total_time"] * 1e3, abs=1), row["operation"]
        assert (count == row["occurrences"]) == (row["operation"] not in wrong), row["operation"]


@needs_samples
@pytest.mark.parametrize(("name", "least"), [("synthetic_cuda", 3), ("mi300_jax_conv", 5)])
def test_kernels_agree_with_xprof(name: str, least: int) -> None:
    profile = profile_of(name)
    ours: dict[str, tuple[int, int]] = {}
    for row in kernels(profile, break_down(profile)):
        count, total = ours.get(row.name, (0, 0))
        ours[row.name] = (count + row.count, total + row.total_ns)
    theirs: dict[str, tuple[int, float]] = {}
    for line in xprof(name, "kernel_stats", 0):
        count, time = theirs.get(line["kernel_name"], (0, 0.0))
        theirs[line["kernel_name"]] = (count + round(line["occurrences"]), time + line["total_duration_us"] * 1e3)
    both = ours.keys() & theirs.keys()
    assert len(both) >= least
    assert {key: ours[key] for key in both} == {key: (theirs[key][0], pytest.approx(theirs[key][1], abs=100)) for key in both}
