"""Limits of containers, in fake trees of both versions; and what this machine has says nothing impossible."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepscope.capture.cgroup import CgroupProbe

UNLIMITED_OF_VERSION_1 = "9223372036854771712"


def write(top: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def probe_of(tmp_path: Path, membership: str, files: dict[str, str]) -> CgroupProbe:
    (tmp_path / "self").write_text(membership)
    write(tmp_path / "mount", files)
    return CgroupProbe(tmp_path / "self", tmp_path / "mount")


def test_version_2(tmp_path: Path) -> None:
    files = {
        "cgroup.controllers": "cpu memory\n",
        "job/memory.current": f"{3 << 30}\n",
        "job/memory.max": f"{12 << 30}\n",
        "job/cpu.max": "250000 100000\n",
        "job/cpu.stat": "usage_usec 10000000\nuser_usec 1\nnr_throttled 3\nthrottled_usec 500000\n",
    }
    probe = probe_of(tmp_path, "0::/job\n", files)
    assert dict(probe.read(0.0)) == {
        "cgroup/memory_used_mib": 3072,
        "cgroup/memory_limit_mib": 12288,
        "cgroup/memory_used_percent": 25,
        "cgroup/cpu_limit_cores": 2.5,
    }
    assert probe.facts() == {"cgroup memory limit": "12288 MiB", "cgroup CPU limit": "2.5 cores"}
    write(tmp_path / "mount", {"job/cpu.stat": "usage_usec 18000000\nthrottled_usec 2500000\n"})
    later = dict(probe.read(4.0))
    assert later["cgroup/cpu_used_cores"] == pytest.approx(2.0)
    assert later["cgroup/cpu_throttled_cores"] == pytest.approx(0.5)


def test_the_tightest_limit_above_counts(tmp_path: Path) -> None:
    files = {
        "cgroup.controllers": "",
        "slice/memory.max": f"{2 << 30}",
        "slice/cpu.max": "max 100000",
        "slice/job/memory.max": "max",
        "slice/job/memory.current": f"{1 << 30}",
        "slice/job/cpu.max": "400000 100000",
        "slice/job/task/cpu.max": "300000 100000",
        "slice/job/task/memory.current": f"{1 << 30}",
    }
    found = dict(probe_of(tmp_path, "0::/slice/job/task\n", files).read(0.0))
    assert found["cgroup/memory_limit_mib"] == 2048
    assert found["cgroup/memory_used_percent"] == 50
    assert found["cgroup/cpu_limit_cores"] == 3


def test_version_1(tmp_path: Path) -> None:
    files = {
        "memory/job/memory.usage_in_bytes": f"{3 << 30}",
        "memory/job/memory.limit_in_bytes": f"{12 << 30}",
        "memory/memory.limit_in_bytes": UNLIMITED_OF_VERSION_1,
        "cpu/job/cpu.cfs_quota_us": "150000",
        "cpu/job/cpu.cfs_period_us": "100000",
        "cpu/cpu.cfs_quota_us": "-1",
        "cpu/cpu.cfs_period_us": "100000",
        "cpu/job/cpu.stat": "nr_periods 0\nthrottled_time 0\n",
        "cpuacct/job/cpuacct.usage": "5000000000",
    }
    probe = probe_of(tmp_path, "5:memory:/job\n4:cpu,cpuacct:/job\n0::/\n", files)
    assert dict(probe.read(0.0)) == {
        "cgroup/memory_used_mib": 3072,
        "cgroup/memory_limit_mib": 12288,
        "cgroup/memory_used_percent": 25,
        "cgroup/cpu_limit_cores": 1.5,
    }
    write(tmp_path / "mount", {"cpuacct/job/cpuacct.usage": "6000000000"})
    assert dict(probe.read(2.0))["cgroup/cpu_used_cores"] == pytest.approx(0.5)


def test_version_1_without_limits(tmp_path: Path) -> None:
    files = {"memory/memory.usage_in_bytes": f"{1 << 30}", "memory/memory.limit_in_bytes": UNLIMITED_OF_VERSION_1}
    probe = probe_of(tmp_path, "5:memory:/\n", files)
    assert dict(probe.read(0.0)) == {"cgroup/memory_used_mib": 1024}
    assert probe.facts() == {}


@pytest.mark.parametrize("path", ["/docker/0123abcd", "/../../other", "//"])
def test_a_path_that_cannot_be_seen_from_inside_means_the_top(tmp_path: Path, path: str) -> None:
    files = {"cgroup.controllers": "", "memory.current": f"{1 << 30}", "memory.max": f"{4 << 30}"}
    (tmp_path / "other").mkdir()
    assert dict(probe_of(tmp_path, f"0::{path}\n", files).read(0.0))["cgroup/memory_used_percent"] == 25


@pytest.mark.parametrize("membership", ["", "nonsense\n", "0::/job\n"])
def test_without_groups_there_is_nothing(tmp_path: Path, membership: str) -> None:
    assert list(probe_of(tmp_path, membership, {"memory/x": ""}).read(0.0)) == []
    assert list(CgroupProbe(tmp_path / "missing", tmp_path / "missing").read(0.0)) == []


def test_this_machine() -> None:
    found = dict(CgroupProbe().read(0.0))
    assert all(value >= 0 for value in found.values())
    assert found.get("cgroup/memory_used_percent", 0) <= 100
