"""Nothing is lost, doubled or claimed falsely when a process ends, dies, is killed, or forks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stepscope

ReadFiles = Callable[[Path], list[Any]]
SOURCES = str(Path(stepscope.__file__).parent.parent)
BEGIN = """
import multiprocessing, os, signal, sys, threading, time
from stepscope.writer import SummaryWriter
folder = sys.argv[1]
"""

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def start(code: str, folder: Path) -> subprocess.Popen[str]:
    """Runs the code as a program of its own."""
    command = [sys.executable, "-c", BEGIN + code, str(folder)]
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(code: str, folder: Path) -> tuple[int, str]:
    """The exit code and what went to stderr."""
    process = start(code, folder)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


def steps(written: Any, tag: str = "a") -> list[int]:
    return [point[0] for point in written.points.get(tag, [])]


def test_exit_without_close_writes_everything_and_says_finished(log: Path, read_files: ReadFiles) -> None:
    code = "w = SummaryWriter(folder)\nfor i in range(20_000): w.add_scalar('a', i, i)"
    assert run(code, log) == (0, "")
    (written,) = read_files(log)
    assert steps(written) == list(range(20_000))
    assert written.session == 2


def test_a_crash_writes_everything_and_does_not_say_finished(log: Path, read_files: ReadFiles) -> None:
    code = "w = SummaryWriter(folder)\nfor i in range(500): w.add_scalar('a', i, i)\nraise ValueError('oops')"
    returned, errors = run(code, log)
    assert returned == 1
    assert "oops" in errors
    (written,) = read_files(log)
    assert steps(written) == list(range(500))
    assert written.session == 0


def test_logging_from_an_exit_handler_is_kept(log: Path, read_files: ReadFiles) -> None:
    code = "import atexit\nw = SummaryWriter(folder)\natexit.register(lambda: w.add_scalar('a', 1.0, 7))"
    assert run(code, log)[0] == 0
    assert steps(read_files(log)[0]) == [7]


def test_kill_loses_no_more_than_the_last_moments(log: Path, read_files: ReadFiles) -> None:
    code = """
w = SummaryWriter(folder)
step = 0
while True:
    w.add_scalar('a', step, step)
    print(step, time.time(), flush=True)
    step += 1
    time.sleep(0.0005)
"""
    process = start(code, log)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(2.0)
    process.send_signal(signal.SIGKILL)
    killed = time.time()
    said = [line.split() for line in process.communicate(timeout=30)[0].splitlines()]
    due = max(int(line[0]) for line in said if len(line) == 2 and float(line[1]) < killed - 1.0)
    (written,) = read_files(log)
    found = steps(written)
    assert found == list(range(len(found)))
    assert found[-1] >= due > 100
    assert written.skipped == 0
    assert written.session == 0


@forks
def test_a_fork_neither_loses_nor_doubles_and_the_child_has_its_own_file(log: Path, read_files: ReadFiles) -> None:
    code = """
w = SummaryWriter(folder)
for i in range(3000): w.add_scalar('a', i, i)
child = os.fork()
if child == 0:
    for i in range(5): w.add_scalar('child', i, i)
    w.close()
    os._exit(0)
w.add_scalar('a', 0.0, 3000)
assert os.waitpid(child, 0)[1] == 0
"""
    assert run(code, log) == (0, "")
    by_tag = {tag: written for written in read_files(log) for tag in written.points}
    assert steps(by_tag["a"]) == list(range(3001))
    assert steps(by_tag["child"], "child") == list(range(5))
    assert by_tag["a"].path != by_tag["child"].path
    assert by_tag["child"].version == b"brain.Event:2"


@forks
def test_a_child_that_logs_nothing_makes_no_file(log: Path, read_files: ReadFiles) -> None:
    code = """
with SummaryWriter(folder) as w:
    w.add_scalar('a', 1.0)
    child = os.fork()
    if child == 0:
        w.flush()
if child != 0:
    assert os.waitpid(child, 0)[1] == 0
"""
    assert run(code, log) == (0, "")
    assert len(read_files(log)) == 1


@forks
def test_forks_while_the_thread_is_busy(log: Path, read_files: ReadFiles) -> None:
    code = """
w = SummaryWriter(folder, flush_secs=0)
for round in range(20):
    for i in range(1000): w.add_scalar('a', i, round * 1000 + i)
    child = os.fork()
    if child == 0:
        w.add_scalar('child', 1.0, round)
        w.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""
    assert run(code, log) == (0, "")
    files = read_files(log)
    assert sorted(step for written in files for step in steps(written)) == list(range(20_000))
    assert sorted(step for written in files for step in steps(written, "child")) == list(range(20))


@pytest.mark.parametrize("method", [pytest.param("fork", marks=forks), "spawn"])
def test_a_child_of_multiprocessing_needs_no_close(log: Path, read_files: ReadFiles, method: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        BEGIN + "def work():\n    w = SummaryWriter(folder)\n    for i in range(100): w.add_scalar('a', i, i)\n"
        f"if __name__ == '__main__':\n    process = multiprocessing.get_context({method!r}).Process(target=work)\n"
        "    process.start()\n    process.join()\n    sys.exit(process.exitcode)\n"
    )
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    subprocess.run([sys.executable, str(script), str(log)], env=environment, check=True, timeout=60)
    (written,) = read_files(log)
    assert steps(written) == list(range(100))
