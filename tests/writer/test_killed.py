"""Processes killed at random moments: at most the last second is lost, and the file can be read to its last record."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest

import stepscope

ReadFiles = Callable[[Path], list[Any]]
SOURCES = str(Path(stepscope.__file__).parent.parent)
LOST_SECONDS = 1.0
TICK = 0.01

# Each logs without end. "busy" leaves the writer's threads no time but what the interpreter gives them.
TRAININGS = {
    "paced": "for step in itertools.count():\n    w.add_scalar('a', step, step)\n    time.sleep(0.0005)",
    "busy": "for step in itertools.count():\n    w.add_scalar('a', step, step)\n    sum(range(300))",
    "rotating": "w = SummaryWriter(folder, max_file_bytes=20_000)\n"
    "for step in itertools.count():\n    w.add_scalar('a', step, step)\n    time.sleep(0.0005)",
    "arrays": "import numpy as np\npicture = np.random.default_rng(0).random((3, 700, 700))\n"
    "for step in itertools.count():\n    w.add_scalar('a', step, step)\n"
    "    w.add_histogram('h', picture[0, 0], step)\n    step % 50 == 0 and w.add_image('i', picture, step)\n    time.sleep(0.005)",
}


class Lateness:
    """How late the machine wakes those who sleep: so much later than on a quiet one a writer's thread may come to its turn."""

    def __init__(self) -> None:
        self.worst = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        while not self._stop.is_set():
            begun = time.monotonic()
            time.sleep(TICK)
            self.worst = max(self.worst, time.monotonic() - begun - TICK)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def start(training: str, folder: Path) -> subprocess.Popen[str]:
    begin = "import itertools, sys, time\nfrom stepscope.writer import SummaryWriter\nfolder = sys.argv[1]\nw = SummaryWriter(folder)\n"
    ready = training.replace("for step", "print('ready', flush=True)\nfor step")
    command = [sys.executable, "-c", begin + ready, str(folder)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": SOURCES}, stdout=subprocess.PIPE, text=True)


def kill_some(tops: dict[str, Path], seed: int, how: signal.Signals) -> dict[str, float]:
    """Starts one process of each kind, and kills each at a moment of its own; returns what must be in its file by then."""
    draw = random.Random(seed)
    processes = {name: start(TRAININGS[name], top) for name, top in tops.items()}
    for process in processes.values():
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    begun = time.time()
    due = sorted((begun + draw.uniform(1.2, 2.7), name) for name in processes)
    kept: dict[str, float] = {}
    with Lateness() as lateness:
        for moment, name in due:
            time.sleep(max(0.0, moment - time.time()))
            kept[name] = time.time() - LOST_SECONDS
            processes[name].send_signal(how)
    for process in processes.values():
        process.communicate(timeout=60)
        assert process.returncode == -how
    return {name: moment - 10 * lateness.worst for name, moment in kept.items()}


def check(top: Path, kept: float, read_files: ReadFiles) -> None:
    files = sorted(read_files(top), key=lambda written: written.path.name)
    points = [point for written in files for point in written.points.get("a", [])]
    assert [point[0] for point in points] == list(range(len(points)))
    assert points[-1][1] >= kept
    assert {(written.version, written.skipped, written.session) for written in files if written.points} == {(b"brain.Event:2", 0, 0)}


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_process_loses_no_more_than_its_last_second(tmp_path: Path, read_files: ReadFiles, how: signal.Signals) -> None:
    tops = {name: tmp_path / name for name in TRAININGS}
    for name, kept in kill_some(tops, seed=int(how), how=how).items():
        check(tops[name], kept, read_files)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_two_hundred_kills(tmp_path: Path, read_files: ReadFiles) -> None:
    for number in range(50):
        tops = {name: tmp_path / f"{number}-{name}" for name in TRAININGS}
        for name, kept in kill_some(tops, seed=1000 + number, how=signal.SIGKILL).items():
            check(tops[name], kept, read_files)
