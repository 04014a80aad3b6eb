"""The status of a run: by the time of its last write, by what its log says of its end, and by its process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from log_folder import START, LogFolder
from stepscope import SummaryWriter, new_run
from stepscope.queries.run_facts import run_facts
from stepscope.queries.run_status import COPIED_SECONDS, LIVE_SECONDS, status_of
from stepscope.queries.view import ShownRun, Views
from stepscope.store.processes import this_host

WRITES_AND_WAITS = """
import sys
from stepscope import SummaryWriter, new_run
writer = SummaryWriter(sys.argv[1])
for step in range(5):
    writer.add_scalar("loss", 1.0, step)
writer.flush()
print("written", flush=True)
input()
if sys.argv[2] == "raise":
    raise RuntimeError("out of memory")
"""
LATER = 1e4


def shown(folder: LogFolder) -> ShownRun:
    (run,) = Views(folder.load()).view().runs
    return run


def status(folder: LogFolder, seconds_later: float = LATER) -> tuple[str, str]:
    """Some time after the last write."""
    run = shown(folder)
    facts = run_facts(run)
    assert facts.last_write is not None
    return status_of(run, facts, facts.last_write + seconds_later)


def written_at(folder: LogFolder, wall: float) -> None:
    for path in (folder.path / "a").iterdir():
        os.utime(path, (wall, wall))


@pytest.mark.parametrize(
    ("age", "status"),
    [(0, "live"), (LIVE_SECONDS, "live"), (LIVE_SECONDS + 1, "stale"), (-30, "live")],
    ids=["now", "just", "long ago", "a clock ahead"],
)
def test_a_run_is_live_for_a_minute_after_its_last_write(folder: LogFolder, age: float, status: str) -> None:
    folder.write("a", {"loss": [1, 2, 3]})
    written_at(folder, START + 2)
    run = shown(folder)
    assert status_of(run, run_facts(run), START + 2 + age)[0] == status


def test_a_run_that_writes_seldom_is_live_for_longer(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1, 2, 3]}, gap=600)
    written_at(folder, START + 1200)
    run = shown(folder)
    assert status_of(run, run_facts(run), START + 1200 + 1000)[0] == "live"
    assert status_of(run, run_facts(run), START + 1200 + 10_000)[0] == "stale"


def test_a_copy_is_not_live_however_new_its_file_is(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1, 2, 3]})
    written_at(folder, START + 2 + COPIED_SECONDS + 1)
    run = shown(folder)
    assert status_of(run, run_facts(run), START + 2 + COPIED_SECONDS + 2)[0] == "stale"


class Training:
    """A process that logs five points, waits, and then ends as it is told."""

    def __init__(self, folder: Path, end: str = "return") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WRITES_AND_WAITS, str(folder), end],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"written\n"

    def go_on(self) -> None:
        """Lets it end."""
        self.process.communicate(b"\n", timeout=120)

    def kill(self) -> None:
        """As the system does when memory runs out."""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate(timeout=120)


@pytest.mark.slow
def test_a_process_is_live_then_stuck_and_has_finished_when_it_closed_its_log(folder: LogFolder) -> None:
    training = Training(folder.path / "a")
    try:
        assert status(folder, 1)[0] == "live"
        stuck, reason = status(folder)
        assert stuck == "stuck"
        assert str(training.process.pid) in reason
    finally:
        training.go_on()
    folder = LogFolder(folder.path)
    assert status(folder)[0] == "finished"


@pytest.mark.slow
@pytest.mark.parametrize("how", ["killed", "raise"])
def test_a_process_that_ended_without_closing_its_log_crashed(folder: LogFolder, how: str) -> None:
    training = Training(folder.path / "a", how)
    if how == "killed":
        training.kill()
    else:
        training.go_on()
    assert status(folder)[0] == "crashed"
    assert status(folder, 1)[0] == "live", "a moment later it may still be writing"


def test_a_log_that_reports_a_failure_crashed(folder: LogFolder) -> None:
    run = new_run(str(folder.path), model="a")
    run.train.add_scalar("loss", 1.0, 0)
    run.__exit__(RuntimeError, RuntimeError(), None)
    runs = {one.name.rpartition("/")[2]: one for one in Views(folder.load()).view().runs}
    assert "crashed" in {status_of(one, run_facts(one), 0.0)[0] for one in runs.values()}


def rename_to(folder: LogFolder, host: str, pid: int) -> None:
    (file,) = (folder.path / "a").iterdir()
    file.rename(file.with_name(f"events.out.tfevents.1700000000.{host}.{pid}.0"))


def dead_process() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_another_writer_marks_no_end_so_its_process_does_not_tell_how_it_ended(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1, 2, 3]})
    written_at(folder, START + 2)
    rename_to(folder, this_host(), dead_process())
    assert status(folder)[0] == "stale"


def test_a_file_that_ends_inside_a_record_of_a_dead_process_crashed(folder: LogFolder) -> None:
    path = folder.write("a", {"loss": [1, 2, 3]})
    path.write_bytes(path.read_bytes()[:-5])
    written_at(folder, START + 2)
    rename_to(folder, this_host(), dead_process())
    assert status(folder)[0] == "crashed"


def test_a_process_of_another_host_cannot_be_asked(folder: LogFolder) -> None:
    writer = SummaryWriter(str(folder.path / "a"))
    writer.add_scalar("loss", 1.0, 0)
    writer.flush()
    (file,) = (folder.path / "a").iterdir()
    whole = file.read_bytes()
    writer.close()
    file.write_bytes(whole)
    rename_to(folder, "elsewhere", os.getpid())
    found, reason = status(folder)
    assert found == "stale"
    assert "elsewhere" in reason
