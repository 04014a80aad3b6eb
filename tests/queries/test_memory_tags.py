"""Which series are memory, in what unit, and how large that memory is."""

from __future__ import annotations

import numpy as np
import pytest

from stepscope.model.errors import BadInput
from stepscope.queries.memory_tags import capacity_beside, memory_tags, unit_of

MIB = 1 << 20


def test_memory_of_system_metrics_is_known_by_name() -> None:
    tags = ["loss", "system/memory/used_mib", "system/memory/used_percent", "system/cpu/used_percent", "system/process/rss_mib"]
    tags += [f"system/gpu/{index}/{what}" for index in (10, 2) for what in ("memory_used_mib", "process_memory_mib", "power_watts")]
    found = memory_tags(tags)
    assert [each.name for each in found] == ["GPU 2", "GPU 2, process", "GPU 10", "GPU 10, process", "machine", "process"]
    assert {each.unit for each in found} == {float(MIB)}


def test_a_marked_series_comes_last_and_once() -> None:
    marks = {"cuda/allocated_gb": "GB", "not/here": "GB", "system/swap/used_mib": "GB", "loss": "parsecs"}
    found = memory_tags(["cuda/allocated_gb", "loss", "system/swap/used_mib"], marks)
    assert [(each.tag, each.unit) for each in found] == [("system/swap/used_mib", float(MIB)), ("cuda/allocated_gb", 1e9)]
    assert [(each.marked, each.unit_name) for each in found] == [(False, "MiB"), (True, "GB")]


@pytest.mark.parametrize(
    ("tag", "unit"),
    [
        ("system/process/rss_mib", MIB),
        ("DeviceStatsMonitor.on_train_batch_start/allocated_bytes.all.current", 1),
        ("system/gpu.0.memoryAllocatedBytes", 1),
        ("Memory (GB)", 1e9),
        ("train/mem_KB", 1000),
        ("gb/used_mb", 1e6),
    ],
)
def test_a_unit_is_read_from_the_name(tag: str, unit: float) -> None:
    assert unit_of(tag) == unit


@pytest.mark.parametrize("tag", ["memory", "kilobytesish", "thumbs", ""])
def test_without_a_unit_it_is_asked_for(tag: str) -> None:
    with pytest.raises(BadInput, match=r"--unit.*bytes, KB"):
        unit_of(tag)


@pytest.mark.parametrize(
    ("tag", "used", "beside", "capacity"),
    [
        ("system/memory/used_mib", [10.0, 30.0], [90.0, 70.0], 100 * MIB),
        ("system/gpu/0/memory_used_mib", [10.0, 30.0], [12.5, 37.5], 80 * MIB),
        ("system/gpu/0/memory_used_mib", [10.0, 0.0], [12.5, 0.0], 80 * MIB),
        ("system/gpu/0/memory_used_mib", [0.0, 0.0], [0.0, np.nan], None),
        ("system/cgroup/memory_used_mib", [10.0, 30.0], [500.0, 400.0], 400 * MIB),
    ],
)
def test_capacity(tag: str, used: list[float], beside: list[float], capacity: float | None) -> None:
    (found,) = memory_tags([tag])
    wall = np.array([1.0, 2.0])
    assert capacity_beside(found, wall, np.array(used), wall, np.array(beside)) == capacity


def test_points_of_different_moments_tell_no_capacity() -> None:
    (found,) = memory_tags(["system/memory/used_mib"])
    assert capacity_beside(found, np.array([1.0]), np.array([5.0]), np.array([2.0]), np.array([5.0])) is None
