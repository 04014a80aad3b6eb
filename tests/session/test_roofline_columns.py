"""Kernels and the roofline give the same numbers for the same kernel: both read its attributes, and both name them alike."""

from __future__ import annotations

import msgspec
import pytest

from sample_files import SAMPLES, needs_samples
from stepscope.analyses.devices.position import RooflinePosition
from stepscope.session.at_path import Opening, profile_at
from stepscope.session.parts.kernels import KERNELS, KernelsWanted
from stepscope.session.parts.roofline import ROOFLINE, RooflineWanted
from stepscope.session.roofline_position import position_columns

SHARED = (*position_columns(RooflinePosition()), "count", "total_us", "achieved_occupancy", "device", "worker")


@needs_samples
@pytest.mark.parametrize("name", ["kineto/resnet50_workers0", "kineto/resnet50_workers4"])
def test_points_are_the_kernels_whose_work_is_known(name: str) -> None:
    found = profile_at(str(SAMPLES / name), Opening(cache=False))
    known = [row for row in found.answer(KERNELS, KernelsWanted()).kernels if row.flops is not None or row.bytes is not None]
    points = found.answer(ROOFLINE, RooflineWanted()).points
    assert sorted((point.name, point.detail, _shared(point)) for point in points) == sorted(
        (row.op or row.short, row.short, _shared(row)) for row in known
    )
    assert len(points) >= 30


def _shared(row: msgspec.Struct) -> str:
    return repr([getattr(row, key) for key in SHARED])
