"""Rows of tables agree with the step's bar: an operation is in the group that has its time, and counts are of one step."""

from __future__ import annotations

import pytest

from sample_files import SAMPLES, needs_samples
from stepscope.session.at_path import Opening, ProfileAt, profile_at
from stepscope.session.parts.communication import COMMUNICATION
from stepscope.session.parts.ops import OPS
from stepscope.session.parts.report import REPORT

NAMES = (
    "xplane/gfx950_jax_attention",
    "xplane/mi300_jax_conv",
    "xplane/jax_cpu",
    "xplane/tf_keras_fit",
    "kineto/resnet50_workers0",
    "kineto/torch213_ddp_gloo",
    "kineto/hta/nccl_parser_config",
)
MIXED = 0.02
"""What rows with spans of two groups may add to one of them."""


def opened(name: str) -> ProfileAt:
    return profile_at(str(SAMPLES / name), Opening(cache=False))


@needs_samples
@pytest.mark.parametrize("name", NAMES)
def test_no_group_has_more_time_in_rows_than_in_the_bar(name: str) -> None:
    report = opened(name).answer(REPORT, REPORT.wanted())
    for of in (report, *report.ranks):
        sums: dict[str, float] = {}
        for row in of.most_exposed:
            sums[row.group.value] = sums.get(row.group.value, 0.0) + row.exposed_share
        over = {group: share for group, share in sums.items() if share > getattr(of.breakdown, group) + MIXED}
        assert over == {}


@needs_samples
def test_attention_kernels_are_compute_whatever_fills_memory_for_them() -> None:
    report = opened("xplane/gfx950_jax_attention").answer(REPORT, REPORT.wanted())
    attention = [row for row in report.most_exposed if "attn" in row.name]
    assert len(attention) >= 4
    assert {(row.kind, row.part, row.group.value) for row in attention} == {("kernel", "compute", "compute")}


@needs_samples
def test_executions_are_counted_in_a_typical_step() -> None:
    found = opened("kineto/resnet50_workers0")
    rows = {row.name: row.count_per_step for row in found.answer(REPORT, REPORT.wanted()).most_exposed}
    assert rows["aten::cudnn_convolution"] == 53, "resnet50 has 53 convolutions"
    operations = found.answer(OPS, OPS.wanted()).ops
    for row in operations:
        assert row.count_per_step * 6 <= row.count
    convolution = next(row for row in operations if row.name == "aten::cudnn_convolution" and row.device != "host")
    assert (convolution.count, convolution.count_per_step) == (318, 53)


@needs_samples
def test_collectives_are_counted_for_one_rank_and_one_step() -> None:
    found = opened("kineto/torch213_ddp_gloo")
    steps = found.answer(REPORT, REPORT.wanted()).ranks[0].steps
    rows = found.answer(COMMUNICATION, COMMUNICATION.wanted()).collectives
    assert rows
    for row in rows:
        assert row.count_per_step <= row.count / 2
        assert row.count_per_step * steps * 2 == pytest.approx(row.count, rel=0.25)
