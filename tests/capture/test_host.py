"""This very machine: what is read moves with what the test does."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from stepscope.capture.host import HostProbe, ProcessProbe
from stepscope.capture.probe import Rates


def test_a_big_array_shows_in_the_memory_of_the_process() -> None:
    probe = ProcessProbe()
    before = dict(probe.read(0.0))["process/rss_mib"]
    array = np.ones(64 << 17)  # 64 MiB
    after = dict(probe.read(1.0))["process/rss_mib"]
    assert 60 < after - before < 100
    assert array.nbytes == 64 << 20


def test_children_are_summed() -> None:
    probe = ProcessProbe()
    before = dict(probe.read(0.0))
    code = "block = bytearray(48 << 20); print(len(block), flush=True); input()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        child.stdout.readline()
        found = dict(probe.read(1.0))
    finally:
        child.kill()
        child.communicate()
    assert found["process/children"] == before["process/children"] + 1
    assert found["process/children_rss_mib"] - before["process/children_rss_mib"] > 48


def test_work_shows_in_the_processor_time() -> None:
    probe = ProcessProbe()
    assert "process/cpu_percent" not in dict(probe.read(10.0))
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
    assert dict(probe.read(11.0))["process/cpu_percent"] >= 29, "0.3 s in a second, as fine as the system counts"
    assert dict(probe.read(12.0))["process/cpu_percent"] < 29


def test_the_machine_is_within_its_bounds(tmp_path: Path) -> None:
    probe = HostProbe(str(tmp_path))
    began = time.monotonic()
    first = dict(probe.read(began))
    time.sleep(0.2)
    asked = time.monotonic()
    second = dict(probe.read(asked))
    most = 105 * (time.monotonic() - began) / (asked - began)  # on a busy machine the answer is younger than the question
    assert {"cpu/used_percent", "network/received_mib_per_s", "network/sent_mib_per_s"} <= second.keys() - first.keys()
    assert 0 <= second["cpu/used_percent"] <= most
    assert 0 < second["memory/used_percent"] < 100
    assert second["disk/log_folder_free_mib"] == pytest.approx(
        os.statvfs(tmp_path).f_bavail * os.statvfs(tmp_path).f_frsize / 2**20, rel=0.05
    )
    assert all(value >= 0 for value in second.values())


def test_a_folder_that_is_gone_costs_only_its_own_reading(tmp_path: Path) -> None:
    found = dict(HostProbe(str(tmp_path / "missing")).read(0.0))
    assert "disk/log_folder_free_mib" not in found
    assert "network/received_mib_per_s" not in found
    assert "memory/used_mib" in found


def test_rates_are_growth_per_second() -> None:
    rates = Rates()
    assert list(rates.of("bytes", 100, 10.0)) == []
    assert list(rates.of("bytes", 160, 12.0)) == [("bytes", 30)]
    assert list(rates.of("bytes", 170, 12.01)) == [], "too short to say anything"
    assert list(rates.of("bytes", 180, 14.0)) == [("bytes", 10)]
    assert list(rates.of("bytes", 5, 15.0)) == [], "the counter was set back"
    assert list(rates.of("bytes", 7, 16.0)) == [("bytes", 2)]
