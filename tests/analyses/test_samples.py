"""Real recordings: the breakdown of each is compared with what is known of it from elsewhere.

The samples are not part of the repository; they are looked for beside it, and the tests skip when they are absent.
"""

from __future__ import annotations

import tarfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from figures import figures
from opened_profiles import open_profile
from sample_files import SAMPLES, needs_samples
from stepscope.analyses.breakdown import Breakdown, break_down, group_sums
from stepscope.analyses.idle_causes import Cause, mean_causes
from stepscope.analyses.session.summary import Summary, summarise
from stepscope.analyses.time_classes import Group, TimeClass
from stepscope.analyses.work.kernels import kernels, matrix_use
from stepscope.analyses.work.operations import operations
from stepscope.model.profile import Profile, TrackRole

pytestmark = needs_samples


@cache
def profile_of(name: str) -> Profile:
    """The first profile of a sample's newest session."""
    return open_profile(str(SAMPLES / name))[0]


@cache
def breakdown_of(name: str) -> Breakdown:
    return break_down(profile_of(name))


def shares(name: str) -> dict[str, float]:
    """Percent of all steps, per class, to two digits as the sources have them."""
    parts = breakdown_of(name).parts.mean(axis=0)
    return {
        time_class.key: round(100 * float(parts[time_class]) / float(parts.sum()), 2) for time_class in TimeClass if parts[time_class]
    }


def group_shares(name: str) -> dict[str, float]:
    """Percent of all steps, per group, to one digit."""
    groups = group_sums(breakdown_of(name).parts.mean(axis=0))
    return {group.key: round(100 * float(groups[group]) / float(groups.sum()), 1) for group in Group if groups[group]}


def step_ms(name: str) -> list[float]:
    return [round(ns / 1e6, 1) for ns in breakdown_of(name).steps.length.tolist()]


def test_a_training_that_waits_for_its_loader() -> None:
    # Known from the plugin that the PyTorch project shipped with this recording, where it is right: step 177,592 µs; kernels 55.51 %,
    # copies 1.08, fills .05, runtime 1.64, loader 33.37, operations 7.70, other .65.
    name = "kineto/resnet50_workers0"
    found = breakdown_of(name)
    assert (len(found.steps), found.steps.source.text) == (6, "ProfilerStep#")
    assert found.steps.length.mean() / 1e6 == pytest.approx(177.592, abs=0.001)
    got = shares(name)
    runtime = round(got.pop("launch") + got.pop("sync"), 2)
    assert (runtime, got) == (1.64, {"compute": 55.51, "h2d": 1.08, "d2d": 0.05, "input": 33.37, "op": 7.70, "untraced": 0.65})


def test_the_same_training_with_four_workers() -> None:
    # Known in the same way: step 141,068 µs; 70.28, 2.24, .84, 16.07 + 7.49, 3.01. The mean is not the step: two of six were disturbed.
    name = "kineto/resnet50_workers4"
    found = breakdown_of(name)
    got = shares(name)
    assert got.pop("launch") + got.pop("sync") == pytest.approx(7.49, abs=0.011)
    assert got == {"compute": 70.27, "h2d": 2.24, "d2d": 0.07, "input": 0.84, "op": 16.07, "untraced": 3.02}
    assert found.median_ns / 1e6 == pytest.approx(126.7, abs=0.05)
    assert (len(found.typical), found.typical_ns / 1e6) == (4, pytest.approx(125.2, abs=0.05))
    assert {step.part for step in found.slow} <= {TimeClass.OP, TimeClass.LAUNCH}


def test_the_loader_is_seen_although_its_annotation_does_not_nest() -> None:
    # The loader sleeps about 52 ms of every step, by construction. A reader that nests spans clips the annotation and says 0 %; so does
    # the last release of PyTorch's own plugin, because the annotation is no operation.
    file = next((SAMPLES / "kineto" / "torch213_cpu" / "workers0_stack").glob("*.1794770412963029757.pt.trace.json.gz"))
    name = str(file.relative_to(SAMPLES))
    assert shares(name)["input"] == 20.96
    assert breakdown_of(name).parts[:, TimeClass.INPUT].mean() / 1e6 == pytest.approx(52.4, abs=0.5)


def test_every_nanosecond_of_a_generated_cuda_recording() -> None:
    # Known from the script that made it, by hand: XProf shows 4.8 ms a step without input, since it reads the device only.
    found = breakdown_of("xplane/synthetic_cuda")
    middle = found.device_parts[0, 1]
    assert found.steps.length[1] == 10_000_000
    assert {time_class.key: int(middle[time_class]) // 1000 for time_class in TimeClass if middle[time_class]} == {
        "compute": 3030, "comm": 810, "h2d": 500, "d2h": 200, "d2d": 100, "input": 3000, "launch": 40, "untraced": 2320,
    }  # fmt: skip


def test_keras_steps_without_a_root_marker() -> None:
    # XProf finds no step here: Keras writes a step number and no root.
    name = "xplane/tf_keras_fit"
    found = breakdown_of(name)
    assert (len(found.steps), found.steps.source.text) == (11, "step number (Profiled batch)")
    assert found.median_ns / 1e6 == pytest.approx(13.1, abs=0.05)
    assert group_shares(name) == pytest.approx({"compute": 68.7, "input_wait": 2.3, "host": 24.3, "untraced": 4.8}, abs=0.11)
    assert shares(name)["framework"] == pytest.approx(22.5, abs=0.05)


def test_one_slow_step_does_not_make_a_training_input_bound() -> None:
    name = "xplane/tf_manual_steps"
    found = breakdown_of(name)
    assert (len(found.steps), found.median_ns / 1e6) == (12, pytest.approx(5.2, abs=0.05))
    assert group_shares(name)["input_wait"] == 31.6
    assert len(found.typical) == 10
    slowest = max(found.slow, key=lambda step: step.difference_ns)
    assert (step_ms(name)[slowest.place] > 15, slowest.part) == (True, TimeClass.INPUT)
    groups = group_sums(found.typical_parts) / found.typical_ns
    assert groups[Group.INPUT_WAIT] < 0.11


def test_compilation_is_in_the_first_step_of_jax() -> None:
    name = "xplane/jax_cpu"
    found = breakdown_of(name)
    assert (len(found.steps), found.median_ns / 1e6) == (10, pytest.approx(1.7, abs=0.05))
    assert step_ms(name)[0] == 41.8
    assert 0 not in found.typical
    assert (found.slow[0].place, found.slow[0].part) == (0, TimeClass.COMPILE)


@cache
def two_ranks() -> Summary:
    return summarise(open_profile(str(SAMPLES / "kineto" / "torch213_ddp_gloo")))


def test_a_rank_that_sleeps_makes_the_other_wait() -> None:
    # Rank 1 sleeps 15 ms of each step, by construction.
    first, second = (100 * each.parts.mean(axis=0) / each.steps.length.mean() for each in two_ranks().breakdowns)
    # 62.2 % in gloo itself, and 5.0 % in c10d's calls on the training thread while gloo's threads do nothing.
    assert first[TimeClass.COMM] == pytest.approx(67.2, abs=0.05)
    assert second[TimeClass.PYTHON] == pytest.approx(44.5, abs=0.05)
    split = two_ranks().collected.splits
    assert split[0] is not None
    assert split[1] is not None
    assert split[0].waiting_ns / 1e6 == pytest.approx(17, abs=2)
    assert split[1].waiting_ns == 0


def test_communication_on_amd_is_seen() -> None:
    # Seventeen RCCL kernels of 71.5 ms; PyTorch's plugin says 0.0 % because no host event has their id.
    name = "kineto/tracelens/mi300/resnet_act_checkpoint.json.gz"
    assert step_ms(name) == [49.1, 19.0, 18.6]
    assert round(group_shares(name)["communication"]) == 64


def test_eight_ranks_mostly_wait(tmp_path: Path) -> None:
    with tarfile.open(SAMPLES / "kineto" / "dlrm_8ranks" / "dlrm_kineto.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    found = summarise(open_profile(str(next(tmp_path.rglob("*.json")).parent)))
    clocks = found.collected.clocks
    assert clocks is not None
    assert (figures(found.collected.text), found.quality.missing_ranks) == ([8, 8], ())
    # Collectives end within 7 µs of one another on these ranks, and 96 to 98 % of what is seen of them is waiting.
    assert clocks.error_ns <= 7_000
    shares_waiting = [split.waiting_ns / (split.waiting_ns + split.transfer_ns) for split in found.collected.splits if split]
    assert len(shares_waiting) == 8
    assert np.median(shares_waiting) == pytest.approx(0.965, abs=0.015)


def test_projected_annotations_are_not_device_work() -> None:
    # Counting them, the B200 seems busy 99.5 % of the time.
    name = "kineto/tracelens/b200/eager_trace.json.gz"
    assert any(track.role == TrackRole.DERIVED for track in profile_of(name).tracks)
    found = breakdown_of(name)
    work = found.parts[:, : TimeClass.D2D + 1].sum() / found.steps.length.sum()
    assert work == pytest.approx(0.137, abs=0.02)


@pytest.mark.parametrize("name", ["kineto/tracelens/b200/eager_trace.json.gz", "kineto/tracelens/mi300/resnet_act_checkpoint.json.gz"])
def test_matrix_units_of_new_devices_are_recognised(name: str) -> None:
    # Lists of names that end with Ampere say 0 % for both.
    use = matrix_use(profile_of(name))
    products = [row for row in kernels(profile_of(name), breakdown_of(name)) if row.family in ("matmul", "convolution", "attention")]
    assert use.used > 0.1
    assert use.unknown < 0.2 * sum(row.share for row in products)


def test_an_all_reduce_without_nccl_is_communication() -> None:
    # multimem_all_reduce_kernel is compute to tools that look for nccl.
    assert shares("kineto/tracelens/b200/eager_trace.json.gz")["comm"] > 1


def test_a_convolution_of_two_kernels_counts_once() -> None:
    # It ran forty times on eight devices; XProf says 79 and doubles its FLOPs.
    name = "xplane/mi300_jax_conv"
    rows = [row for row in operations(profile_of(name), breakdown_of(name)) if row.name == "cudnn-conv.1"]
    assert sum(row.count for row in rows) == 40
    assert sum(row.spans for row in rows) in (79, 80)


def test_occurrences_are_executions() -> None:
    # XProf counts 24 for every operation that allocates, because its allocations carry its name.
    rows = operations(profile_of("xplane/tf_manual_steps"), breakdown_of("xplane/tf_manual_steps"))
    matmul = next(row for row in rows if row.type.endswith("MatMul") and row.count)
    assert matmul.count == 12


@pytest.mark.parametrize(
    "name",
    ["kineto/resnet50_workers0", "kineto/hta/nccl_parser_config", "xplane/mi300_jax_conv", "xplane/synthetic_cuda", "xplane/jax_cpu"],
)
def test_causes_of_idle_time_agree_with_the_breakdown(name: str) -> None:
    found, breakdown = mean_causes(profile_of(name), breakdown_of(name)), breakdown_of(name)
    sums = np.zeros(len(TimeClass))
    for one in found.causes:
        sums[one.part] += one.per_step_ns
    assert sums[: TimeClass.COMPILE].sum() == 0
    assert sums[TimeClass.COMPILE :] == pytest.approx(breakdown.typical_parts[TimeClass.COMPILE :])
    by_name = {one.name: one.per_step_ns for one in found.causes if one.cause == Cause.INPUT_WAIT}
    assert sum(by_name.values()) == pytest.approx(breakdown.typical_parts[TimeClass.INPUT])


def test_untraced_time_is_not_blamed_on_operations() -> None:
    found = mean_causes(profile_of("kineto/hta/nccl_parser_config"), breakdown_of("kineto/hta/nccl_parser_config"))
    assert found.per_step_ns(Cause.UNTRACED) / 1e6 == pytest.approx(25.04, abs=0.01)
    empty = sum(one.per_step_ns for one in found.causes if one.name == "aten::empty")
    assert empty / 1e6 == pytest.approx(13.7, abs=0.05)
