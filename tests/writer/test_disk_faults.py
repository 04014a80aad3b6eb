"""A disk that refuses, fills up or hangs: training goes on within the stated bounds, and nothing is lost silently."""

from __future__ import annotations

import logging
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stepscope.writer import SummaryWriter, event_log, event_stream
from stepscope.writer.background import is_background
from stepscope.writer.bell import Bell

ReadFiles = Callable[[Path], list[Any]]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 kB."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("needs the right to mount a small tmpfs")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


class HangingDisk:
    """A disk whose writes hang while it is told to: a fake at the outermost boundary, as a hung network disk is."""

    def __init__(self) -> None:
        self._works = threading.Event()
        self._works.set()
        self._hangs = threading.Event()
        self._real = os.write

    def write(self, handle: int, data: memoryview) -> int:
        if not self._works.is_set():
            self._hangs.set()
        self._works.wait(60)
        return self._real(handle, data)

    def hang_at(self, writer: SummaryWriter) -> None:
        """Lets the writer's thread hang in its next write, and returns when it does."""
        self._works.clear()
        writer.add_scalar("a", 0, 0)
        assert self._hangs.wait(60)

    def work(self) -> None:
        self._works.set()


@pytest.fixture
def hanging_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[HangingDisk]:
    disk = HangingDisk()
    monkeypatch.setattr(event_log.os, "write", disk.write)
    yield disk
    disk.work()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long each call that found the queue full was ready to wait."""
    found: list[float] = []

    class Noted(Bell):
        def wait(self, condition: Callable[[], bool], seconds: float | None = None) -> bool:
            if not is_background() and seconds is not None:
                found.append(seconds)
            return super().wait(condition, seconds)

    monkeypatch.setattr(event_stream, "Bell", Noted)
    return found


def all_steps(written: list[Any]) -> list[int]:
    return [point[0] for one in written for point in one.points.get("a", [])]


def until(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def test_a_full_disk_is_waited_out(small_disk: Path, read_files: ReadFiles, caplog: pytest.LogCaptureFixture) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 200_000)
    log = small_disk / "run"
    writer = SummaryWriter(log)
    for step in range(3000):
        writer.add_scalar("a", step, step)
    writer.flush()
    writer.flush()
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "No space left" in record.getMessage()
    (torn,) = read_files(log)
    assert torn.skipped == 0
    assert len(torn.points["a"]) < 3000
    ballast.unlink()
    assert until(lambda: len(all_steps(read_files(log))) == 3000)
    writer.close()
    (written,) = read_files(log)
    assert all_steps([written]) == list(range(3000))
    assert (written.skipped, written.pending, written.session) == (0, 0, 2)
    assert [record.getMessage() for record in caplog.records[1:]] == [f"Writing {written.path} works again."]


def test_what_could_not_be_written_is_told_at_close(small_disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    (small_disk / "ballast").write_bytes(b"x" * 256 * 1024)
    writer = SummaryWriter(small_disk)
    for step in range(100):
        writer.add_scalar("a", step, step)
    writer.close()
    first, last = (record.getMessage() for record in caplog.records)
    assert "retried" in first
    assert "Points were lost" in last


def test_a_folder_that_cannot_be_made_is_a_warning_until_it_can(
    tmp_path: Path, read_files: ReadFiles, caplog: pytest.LogCaptureFixture
) -> None:
    in_the_way = tmp_path / "taken"
    in_the_way.write_text("a file where the folder should be")
    writer = SummaryWriter(in_the_way / "run")
    writer.add_scalar("a", 1.0, 1)
    writer.flush()
    assert "Not a directory" in caplog.records[0].getMessage()
    in_the_way.unlink()
    writer.add_scalar("a", 2.0, 2)
    writer.close()
    assert all_steps(read_files(tmp_path / "taken" / "run")) == [1, 2]


def test_a_hanging_disk_blocks_once_and_shortly(
    log: Path,
    hanging_disk: HangingDisk,
    waits: list[float],
    read_files: ReadFiles,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(event_stream, "QUEUE_ENTRIES", 1000)
    writer = SummaryWriter(log)
    hanging_disk.hang_at(writer)
    waits.clear()
    for step in range(1, 1900):
        writer.add_scalar("a", step, step)
    assert waits == [0.1]
    assert ["cannot keep up" in record.getMessage() for record in caplog.records] == [True]
    hanging_disk.work()
    writer.close()
    assert all_steps(read_files(log)) == list(range(1900))


def test_at_the_last_bound_points_are_counted_not_blocked_for(
    log: Path,
    hanging_disk: HangingDisk,
    waits: list[float],
    read_files: ReadFiles,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(event_stream, "QUEUE_ENTRIES", 100)
    monkeypatch.setattr(event_stream, "MOST_QUEUE_ENTRIES", 200)
    writer = SummaryWriter(log)
    hanging_disk.hang_at(writer)
    waits.clear()
    for step in range(1, 1001):
        writer.add_scalar("a", step, step)
    assert waits == [0.1, 0.1], "each of two full queues is waited for once, not each of a thousand calls"
    hanging_disk.work()
    writer.flush()
    writer.add_scalar("a", 2000, 2000)
    writer.close()
    assert all_steps(read_files(log)) == [*range(201), 2000]
    messages = [record.getMessage() for record in caplog.records]
    assert sum("Dropping points" in message for message in messages) == 1
    assert "800 found no room" in messages[-1]


def test_encoded_records_wait_up_to_a_bound(small_disk: Path, read_files: ReadFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "MEMORY_BYTES", 100_000)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 256 * 1024)
    writer = SummaryWriter(small_disk / "run")
    for step in range(4500):
        writer.add_scalar("a", step, step)
    writer.flush()
    stream = writer._stream
    assert stream is not None
    assert 100_000 <= stream._file.waiting < 200_000
    assert 0 < len(stream._queue) < 4500
    ballast.unlink()
    writer.flush()
    writer.close()
    assert all_steps(read_files(small_disk / "run")) == list(range(4500))


def test_an_event_file_is_never_overwritten(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter([0, 0, 1])
    monkeypatch.setattr(event_log, "_serial", numbers)
    monkeypatch.setattr(event_log.time, "time", lambda: 1_700_000_000.0)
    for _ in range(2):
        one = event_log.EventLog(str(log), "", lambda _: b"by")
        one.add(b"tes", 1)
        one.write()
        one.close()
    assert sorted(path.name.rsplit(".", 1)[1] for path in log.iterdir()) == ["000000", "000001"]
    assert {path.read_bytes() for path in log.iterdir()} == {b"bytes"}


def test_the_thread_survives_what_nobody_thought_of(
    log: Path, read_files: ReadFiles, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    writer = SummaryWriter(log)
    writer.flush()

    tries, real = 0, os.write

    def no_memory(handle: int, data: memoryview) -> int:
        nonlocal tries
        tries += 1
        raise MemoryError

    monkeypatch.setattr(event_stream, "_FIRST_RETRY_SECONDS", 0.01)
    monkeypatch.setattr(event_log.os, "write", no_memory)
    writer.add_scalar("a", 1.0, 1)
    assert until(lambda: tries >= 3)
    monkeypatch.setattr(event_stream, "_FIRST_RETRY_SECONDS", 0.5)
    failed = tries
    assert until(lambda: tries > failed)  # the thread now waits for half a second, in which the writer is closed
    monkeypatch.setattr(event_log.os, "write", real)
    writer.add_scalar("a", 2.0, 2)
    writer.close()
    assert all_steps(read_files(log)) == [1, 2]
    (record,) = caplog.records
    assert "MemoryError" in record.getMessage()
