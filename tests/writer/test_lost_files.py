"""Files deleted, closed or forbidden while training goes on: one warning, a new file, and a count of what is lost in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import stepscope
from figures import figures
from stepscope.writer import SummaryWriter, event_log, event_stream
from stepscope.writer.lost_points import PLUGIN, TAG, lost_points_event

ReadFiles = Callable[[Path], list[Any]]
SOURCES = str(Path(stepscope.__file__).parent.parent)
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")


def steps(written: list[Any]) -> list[int]:
    return [point[0] for one in written for point in one.points.get("a", [])]


def says_lost(path: Path, count: int) -> bool:
    """Whether the file holds the event with that count: all of it but the wall time, which comes first."""
    return lost_points_event(count)[11:] in path.read_bytes()


def messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_a_deleted_folder_is_made_again(log: Path, read_files: ReadFiles, caplog: pytest.LogCaptureFixture) -> None:
    writer = SummaryWriter(log)
    for step in range(5):
        writer.add_scalar("a", step, step)
    writer.flush()
    shutil.rmtree(log)
    for step in range(5, 8):
        writer.add_scalar("a", step, step)
        writer.flush()
    (written,) = read_files(log)
    assert steps([written]) == [5, 6, 7]
    assert written.version == b"brain.Event:2"
    assert says_lost(written.path, 5)
    (deleted,) = messages(caplog)
    assert "was deleted, with 5 points" in deleted
    writer.close()
    assert 5 in figures(messages(caplog)[-1])


def test_a_temporary_folder_that_is_gone_at_the_end_stays_gone(log: Path, caplog: pytest.LogCaptureFixture) -> None:
    writer = SummaryWriter(log)
    writer.add_scalar("a", 1.0, 1)
    writer.flush()
    shutil.rmtree(log)
    writer.close()
    assert not log.exists()
    assert messages(caplog) == []


def test_a_handle_that_became_another_file_is_not_written_to(log: Path, read_files: ReadFiles, tmp_path: Path) -> None:
    writer = SummaryWriter(log)
    writer.add_scalar("a", 1.0, 1)
    writer.flush()
    stream = writer._stream
    assert stream is not None
    handle = stream._file._handle
    assert handle is not None
    other = tmp_path / "precious"
    with other.open("wb") as precious:  # As a library does that closes all handles: the number is given out anew.
        os.dup2(precious.fileno(), handle)
        writer.add_scalar("a", 2.0, 2)
        writer.flush()
        assert other.read_bytes() == b""
        os.close(handle)
    writer.close()
    assert sorted(steps(read_files(log))) == [1, 2]


def test_a_file_system_that_counts_no_links_is_believed_by_name(
    log: Path, read_files: ReadFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fstat

    def without_links(handle: int) -> os.stat_result:
        found = list(real(handle))
        found[3] = 0
        return os.stat_result(found)

    monkeypatch.setattr(event_log.os, "fstat", without_links)
    with SummaryWriter(log) as writer:
        for step in range(3):
            writer.add_scalar("a", step, step)
            writer.flush()
    (written,) = read_files(log)
    assert steps([written]) == [0, 1, 2]


def test_points_that_found_no_room_are_told_in_the_file(
    log: Path, read_files: ReadFiles, monkeypatch: pytest.MonkeyPatch, verbs: Callable[..., Any]
) -> None:
    monkeypatch.setattr(event_stream, "QUEUE_ENTRIES", 100)
    monkeypatch.setattr(event_stream, "MOST_QUEUE_ENTRIES", 100)
    monkeypatch.setattr(event_stream, "LONGEST_BLOCK_SECONDS", 0.0)
    writer = SummaryWriter(log)
    stream = writer._stream
    assert stream is not None
    hangs, goes_on, real = threading.Event(), threading.Event(), os.write

    def hang(handle: int, data: memoryview) -> int:
        hangs.set()
        goes_on.wait(60)
        return real(handle, data)

    monkeypatch.setattr(event_log.os, "write", hang)
    writer.add_scalar("a", 0, 0)
    assert hangs.wait(60)
    for step in range(1, 1000):
        writer.add_scalar("a", step, step)
    lost = stream.lost
    assert 500 < lost <= 900
    goes_on.set()
    writer.flush()
    (written,) = read_files(log)
    assert len(steps([written])) == 1000 - lost
    writer.close()
    assert says_lost(written.path, lost)
    assert PLUGIN.encode() in written.path.read_bytes()
    assert verbs("inspect", "--no-cache", "--tag", TAG, log).returncode == 0


def as_nobody(code: str, folder: Path) -> subprocess.Popen[str]:
    """Runs the code without root's rights; it says `ready` and goes on when it reads a line."""
    begin = f"""
import logging, os, sys, time
from stepscope.writer import SummaryWriter
folder = sys.argv[1]
logging.basicConfig(format="%(message)s", stream=sys.stdout)
os.setgid(65534), os.setuid(65534)
def pause():
    print("ready", flush=True)
    sys.stdin.readline()
{code}
"""
    command = [sys.executable, "-c", begin, str(folder)]
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def go_on(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def until_ready(process: subprocess.Popen[str]) -> list[str]:
    """What it says before it waits, or ends."""
    assert process.stdout is not None
    said: list[str] = []
    for line in process.stdout:
        if line == "ready\n":
            break
        said.append(line)
    return said


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody can reach and write to; not below pytest's own, which every run of pytest closes to others anew."""
    with tempfile.TemporaryDirectory(prefix="stepscope-test-") as folder:
        Path(folder).chmod(0o755)
        place = Path(folder) / "shared"
        place.mkdir()
        place.chmod(0o777)
        yield place


@as_root
def test_a_folder_that_forbids_writing_is_waited_for(open_folder: Path, read_files: ReadFiles) -> None:
    open_folder.chmod(0o555)
    code = "w = SummaryWriter(folder)\nfor i in range(3): w.add_scalar('a', i, i)\nw.flush()\npause()\nw.flush()\nw.close()"
    process = as_nobody(code, open_folder)
    said = until_ready(process)
    assert len(said) == 1
    assert "Permission denied" in said[0]
    open_folder.chmod(0o777)
    go_on(process)
    assert ["works again" in line for line in until_ready(process)] == [True]
    assert process.wait(60) == 0
    (written,) = read_files(open_folder)
    assert steps([written]) == [0, 1, 2]


@as_root
def test_permission_lost_under_way_costs_no_point(open_folder: Path, read_files: ReadFiles) -> None:
    code = """
w = SummaryWriter(folder, max_file_bytes=1000)
w.add_scalar('a', 0, 0)
w.flush()
pause()
for i in range(1, 200):
    w.add_scalar('a', i, i)
    if i % 50 == 0: w.flush()
w.close()
"""
    process = as_nobody(code, open_folder)
    assert until_ready(process) == []
    open_folder.chmod(0o555)
    go_on(process)
    said = until_ready(process)
    assert process.wait(60) == 0
    assert len(said) == 1
    assert "Permission denied" in said[0]
    (written,) = read_files(open_folder)
    assert steps([written]) == list(range(200))
    assert written.session == 2


@as_root
def test_what_permission_never_came_back_for_is_counted_at_the_end(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    code = "w = SummaryWriter(folder)\nfor i in range(7): w.add_scalar('a', i, i)\nw.close()\nprint('went on')"
    process = as_nobody(code, open_folder)
    first, last, on = until_ready(process)
    assert process.wait(60) == 0
    assert "Permission denied" in first
    assert 7 in figures(last)
    assert on == "went on\n"
