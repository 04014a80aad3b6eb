"""Nothing is lost, doubled or claimed falsely when a process ends, dies, is killed, or forks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stepscope
from figures import figures

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
    _, errors = process.communicate(timeout=100)
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


LATE = """
late = []
atexit.register(lambda: (late[0].add_scalar("a", 1.0, 1), late[0].add_histogram("h", [1.0, 2.0], 1)))
from stepscope.writer import SummaryWriter
class Trainer:
    def __init__(self):
        self.writer = SummaryWriter(sys.argv[1])
    def __del__(self):
        self.writer.add_scalar("a", 2.0, 2)
        self.writer.flush()
        self.writer.add_scalar("a", 3.0, 3)
        self.writer.close()
trainer = Trainer()
late.append(trainer.writer)
trainer.writer.add_scalar("a", 0.0, 0)
trainer.writer.add_histogram("h", [1.0, 2.0], 0)
"""


def test_logging_after_the_exit_handlers_is_kept(log: Path, read_files: ReadFiles) -> None:
    """As a `__del__` does when the interpreter ends, where no thread can be started any more."""
    process = subprocess.run(
        [sys.executable, "-c", "import atexit, sys\n" + LATE, str(log)],
        env={**os.environ, "PYTHONPATH": SOURCES},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (process.returncode, process.stderr) == (0, "")
    files = read_files(log)
    assert sorted(step for written in files for step in steps(written)) == [0, 1, 2, 3]
    assert sum(path.read_bytes().count(b"\x0a\x01h") for path in log.iterdir()) == 2  # the tag of the histograms


def test_closing_once_more_at_the_very_end_makes_no_second_file(log: Path, read_files: ReadFiles) -> None:
    code = """
class Trainer:
    def __init__(self):
        self.writer = SummaryWriter(folder)
    def __del__(self):
        self.writer.close()
trainer = Trainer()
trainer.writer.add_scalar("a", 0.0, 0)
"""
    assert run(code, log) == (0, "")
    (written,) = read_files(log)
    assert (steps(written), written.session) == ([0], 2)


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


SIGINT = "os.kill(os.getpid(), signal.SIGINT)"


@pytest.mark.parametrize("end", ["sys.exit(3)", "raise SystemExit(3)", SIGINT, "raise KeyboardInterrupt"])
def test_every_way_out_of_python_writes_everything(log: Path, read_files: ReadFiles, end: str) -> None:
    # Said here and not left to whoever started the tests: nohup and some CI have their children ignore Ctrl-C.
    attentive = "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code = f"{attentive}w = SummaryWriter(folder)\nfor i in range(5000): w.add_scalar('a', i, i)\n{end}\ntime.sleep(60)"
    returned, _ = run(code, log)
    assert returned != 0
    assert steps(read_files(log)[0]) == list(range(5000))


def test_a_process_that_ignores_ctrl_c_logs_on(log: Path, read_files: ReadFiles) -> None:
    code = "w = SummaryWriter(folder)\nfor i in range(5000):\n    w.add_scalar('a', i, i)\n    if i == 2000: " + SIGINT
    assert run("signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + code, log) == (0, "")
    (written,) = read_files(log)
    assert (steps(written), written.session) == (list(range(5000)), 2)


def test_no_signal_handler_and_no_hook_is_installed(log: Path) -> None:
    code = """
hooks = lambda: [sys.excepthook, threading.excepthook, sys.unraisablehook, *map(signal.getsignal, signal.valid_signals())]
before = hooks()
w = SummaryWriter(folder)
w.add_scalar('a', 1.0)
w.flush()
assert hooks() == before
w.close()
assert hooks() == before
"""
    assert run(code, log) == (0, "")


HANGING = """
import logging
logging.basicConfig(format="%(message)s")
from stepscope.writer import event_log, lifetime, summary_writer
w = SummaryWriter(folder)
w.add_scalar('a', 0.0, 0)
w.flush()
event_log.os = type("HangingDisk", (), {**vars(os), "write": lambda *_: time.sleep(600)})
for i in range(1, 6): w.add_scalar('a', i, i)
"""


def test_close_has_a_deadline(log: Path) -> None:
    code = "summary_writer.LONGEST_FLUSH_SECONDS = 0.2\nw.close()\nprint('closed', flush=True)\nos._exit(0)"
    process = start(HANGING + code, log)
    said, errors = process.communicate(timeout=100)
    assert said == "closed\n"
    assert "0.2 s" in errors
    assert 5 in figures(errors)


def test_so_has_the_end_of_the_process(log: Path) -> None:
    returned, errors = run(HANGING + "lifetime._LONGEST_EXIT_SECONDS = 0.2", log)
    assert returned == 0
    assert 5 in figures(errors)


BUSY = """
w = SummaryWriter(folder)
for i in range(500_000): w.add_scalar('a', i, i)
for i in range(200): w.add_histogram('h', [1.0] * 20_000, i)
"""
INTERRUPTED_EXIT = """
import atexit
from stepscope.writer.background import is_background
from stepscope.writer.bell import Bell
def interrupt_the_wait():
    wait = Bell.wait
    def wait_once(self, condition, seconds=None):
        if is_background(): return wait(self, condition, seconds)
        Bell.wait = wait
        raise KeyboardInterrupt
    Bell.wait = wait_once
atexit.register(interrupt_the_wait)
"""


@pytest.mark.slow
def test_a_process_that_ends_before_its_threads_does_not_crash(tmp_path: Path) -> None:
    """Its last wait is over, by Ctrl-C, while the threads are in the middle of native code."""
    for number in range(4):
        assert run(BUSY + INTERRUPTED_EXIT, tmp_path / str(number))[0] == 0


def test_many_processes_share_a_folder(log: Path, read_files: ReadFiles) -> None:
    code = "w = SummaryWriter(folder)\nfor i in range(500): w.add_scalar(f'a{os.getpid()}', i, i)"
    processes = [start(code, log) for _ in range(6)]
    for process in processes:
        assert process.communicate(timeout=60)[1] == ""
    found = {tag: steps(written, tag) for written in read_files(log) for tag in written.points}
    assert len(read_files(log)) == 6
    assert found == {f"a{process.pid}": list(range(500)) for process in processes}


def test_threads_that_log_while_another_closes_lose_nothing(log: Path, read_files: ReadFiles) -> None:
    code = """
w = SummaryWriter(folder)
def work(name):
    for i in range(3000):
        w.add_scalar(name, i, i)
threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(4)]
for thread in threads: thread.start()
for _ in range(5):
    w.close()
    time.sleep(0.01)
for thread in threads: thread.join()
"""
    assert run(code, log) == (0, "")
    files = read_files(log)
    for number in range(4):
        assert sorted(step for written in files for step in steps(written, f"t{number}")) == list(range(3000))


@forks
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_pool_of_processes_logs_with_writers_of_its_own(log: Path, read_files: ReadFiles, method: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        BEGIN + "def work(number):\n    w = SummaryWriter(folder)\n    for i in range(50): w.add_scalar(f'a{number}', i, i)\n"
        f"if __name__ == '__main__':\n    parent = SummaryWriter(folder)\n    parent.add_scalar('parent', 1.0, 0)\n"
        f"    with multiprocessing.get_context({method!r}).Pool(3) as pool:\n        pool.map(work, range(6))\n"
        "        pool.close()\n        pool.join()\n"
    )
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    subprocess.run([sys.executable, str(script), str(log)], env=environment, check=True, timeout=60)
    files = read_files(log)
    for number in range(6):
        assert [step for written in files for step in steps(written, f"a{number}")] == list(range(50))
    assert [step for written in files for step in steps(written, "parent")] == [0]
