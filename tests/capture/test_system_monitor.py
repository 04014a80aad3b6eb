"""The monitor: its steps, its end, forks, and sources that fail; with real sources where not said otherwise."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import stepscope
from stepscope import SummaryWriter, SystemMonitor
from stepscope.capture.probe import SHORTEST_SECONDS, Reading

Points = dict[str, list[tuple[int, float, float]]]
PointsOf = Callable[[Path], Points]


class Counter:
    """A source that counts how often it is read, and waits or fails where told to."""

    def __init__(self, fail_at: int | None = None, block: threading.Event | None = None) -> None:
        self.reads = 0
        self.closed = False
        self.hangs = False
        self.fail_at = fail_at
        self.block = block

    def facts(self) -> dict[str, str]:
        return {"counter": "a | b"}

    def read(self, now: float) -> Iterator[Reading]:
        self.reads += 1
        if self.reads == self.fail_at:
            raise OSError("gone")
        if self.block is not None:
            self.hangs = True
            self.block.wait(60)
            self.hangs = False
        yield "reads", self.reads

    def close(self) -> None:
        self.closed = True


def wait_for(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def test_the_first_sample_is_taken_at_once_and_one_more_at_the_end(tmp_path: Path, points_of: PointsOf) -> None:
    started = time.time()
    with SummaryWriter(tmp_path) as writer:
        monitor = SystemMonitor(writer)
        wait_for(lambda: monitor._samples == 1)
        time.sleep(SHORTEST_SECONDS)  # samples are at least so far apart
    found = points_of(tmp_path)
    assert [step for step, _, _ in found["system/memory/used_mib"]] == [0, 0]
    assert len(found["system/cpu/used_percent"]) == 1, "a rate needs two samples"
    assert started <= found["system/process/rss_mib"][0][1] <= time.time()
    expected = {"cpu/used_percent", "process/cpu_percent", "process/children_rss_mib", "swap/used_mib", "network/sent_mib_per_s"}
    assert {f"system/{tag}" for tag in expected} <= found.keys()
    monitor.close()


def test_all_readings_of_a_sample_share_their_time(tmp_path: Path, points_of: PointsOf) -> None:
    with SummaryWriter(tmp_path) as writer, SystemMonitor(writer):
        pass
    assert len({points[0][1] for points in points_of(tmp_path).values()}) == 1


def test_samples_carry_the_highest_step_that_the_writer_was_given(tmp_path: Path, points_of: PointsOf) -> None:
    counter = Counter()
    with SummaryWriter(tmp_path) as writer, SystemMonitor(writer, every=0.05, probes=lambda: [counter]):
        wait_for(lambda: counter.reads >= 2)
        for step in (40, 41, 2):  # the last as of a metric that counts epochs
            writer.add_scalar("loss", 0.5, step)
            writer.flush()
        reached = counter.reads
        wait_for(lambda: counter.reads >= reached + 3)
    steps = [step for step, _, _ in points_of(tmp_path)["system/reads"]]
    assert steps[0] == 0
    assert steps[-1] == 41
    assert steps == sorted(steps)


def test_step_and_epoch_can_be_told(tmp_path: Path, points_of: PointsOf) -> None:
    counter = Counter()
    with SummaryWriter(tmp_path) as writer:
        SystemMonitor(writer, step=lambda: 100 + counter.reads, epoch=lambda: 1.5, probes=lambda: [counter])
        wait_for(lambda: counter.reads == 1)
    found = points_of(tmp_path)
    assert found["system/reads"][0][0] == 101
    assert found["system/epoch"][0][::2] == (101, 1.5)


def test_a_folder_instead_of_a_writer_numbers_the_samples(tmp_path: Path, points_of: PointsOf) -> None:
    counter = Counter()
    with SystemMonitor(tmp_path / "machine", every=0.05, probes=lambda: [counter]):
        wait_for(lambda: counter.reads >= 4)
    points = points_of(tmp_path / "machine")["system/reads"]
    assert [(step, value) for step, _, value in points] == [(index, index + 1) for index in range(len(points))]
    assert len(points) >= 4


def test_closing_the_writer_closes_the_monitor(tmp_path: Path) -> None:
    counter = Counter()
    writer = SummaryWriter(tmp_path)
    monitor = SystemMonitor(writer, every=0.05, probes=lambda: [counter])
    wait_for(lambda: counter.reads >= 2)
    writer.close()
    assert counter.closed
    assert not monitor._thread.is_alive()
    assert len(list(tmp_path.iterdir())) == 1, "it opened the writer again"


def test_a_source_that_fails_is_left_out_and_told_once(tmp_path: Path, points_of: PointsOf, caplog: pytest.LogCaptureFixture) -> None:
    good, bad = Counter(), Counter(fail_at=2)
    with caplog.at_level(logging.WARNING), SummaryWriter(tmp_path) as writer:
        SystemMonitor(writer, every=0.05, probes=lambda: [bad, good])
        wait_for(lambda: good.reads >= 5)
    assert bad.reads == 2
    assert len(points_of(tmp_path)["system/reads"]) >= 5
    (said,) = [record.getMessage() for record in caplog.records]
    assert "Counter" in said
    assert "OSError: gone" in said


def test_a_step_that_cannot_be_told_ends_the_monitor_with_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def step() -> int:
        raise RuntimeError("no trainer")

    counter = Counter()
    with caplog.at_level(logging.WARNING), SummaryWriter(tmp_path) as writer:
        SystemMonitor(writer, every=0.05, step=step, probes=lambda: [counter])
        wait_for(lambda: counter.closed)
        writer.add_scalar("loss", 0.5, 1)
    (said,) = [record.getMessage() for record in caplog.records]
    assert "RuntimeError: no trainer" in said


def test_a_driver_that_hangs_does_not_hold_up_closing(tmp_path: Path) -> None:
    block = threading.Event()
    counter = Counter(block=block)
    writer = SummaryWriter(tmp_path)
    SystemMonitor(writer, probes=lambda: [counter])
    wait_for(lambda: counter.hangs)
    writer.close()
    assert counter.hangs, "it was waited for"
    block.set()
    wait_for(lambda: counter.closed)
    assert len(list(tmp_path.iterdir())) == 1, "the late sample opened the writer again"


@pytest.mark.parametrize("every", [0, -1, float("nan")])
def test_a_senseless_interval_is_refused(tmp_path: Path, every: float) -> None:
    with pytest.raises(ValueError, match=r"\bevery\b"):
        SystemMonitor(tmp_path / "machine", every=every)
    assert not (tmp_path / "machine").exists()


def test_another_kind_of_writer_is_refused() -> None:
    with pytest.raises(TypeError, match=r"SummaryWriter.*\bCounter\b"):
        SystemMonitor(Counter())  # pyright: ignore[reportArgumentType]


def test_what_the_machine_is_stands_in_a_text(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        SystemMonitor(writer, probes=lambda: [Counter()])
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    assert b"system/hardware/text_summary" in content
    assert b"| counter | a / b |" in content


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_does_not_log_again(tmp_path: Path, points_of: PointsOf) -> None:
    script = """
import os, sys, time
from stepscope import SummaryWriter, SystemMonitor
writer = SummaryWriter(sys.argv[1])
monitor = SystemMonitor(writer, every=0.05)
while monitor._samples < 2:
    time.sleep(0.01)
child = os.fork()
if child == 0:
    assert not monitor._thread.is_alive()
    monitor.close()
    writer.close()
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
writer.close()
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(stepscope.__file__).parents[1])])}
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, env=environment, timeout=60)
    assert len(list(tmp_path.iterdir())) == 1
    walls = [wall for _, wall, _ in points_of(tmp_path)["system/process/rss_mib"]]
    assert walls == sorted(set(walls))


def test_a_process_that_just_ends_keeps_its_samples_and_loads_no_framework(tmp_path: Path, points_of: PointsOf) -> None:
    script = """
import sys, time
import stepscope
assert "psutil" not in sys.modules
writer = stepscope.SummaryWriter(sys.argv[1])
monitor = stepscope.SystemMonitor(writer)
writer.add_scalar("loss", 1.0, 7)
while monitor._samples < 1:
    time.sleep(0.01)
time.sleep(0.05)  # samples are at least so far apart
print([name for name in ("torch", "tensorflow", "jax", "numpy", "amdsmi") if name in sys.modules])
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(stepscope.__file__).parents[1])}
    result = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], check=True, env=environment, capture_output=True, text=True, timeout=60
    )
    assert result.stdout == "[]\n"
    assert result.stderr == ""
    assert [step for step, _, _ in points_of(tmp_path)["system/process/rss_mib"]][-1] == 7
