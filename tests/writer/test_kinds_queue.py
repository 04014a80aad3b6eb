"""Arrays that wait for the thread: in order with scalars, bounded by their bytes, and none can stop the others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepscope.writer import array_queue
from stepscope.writer.background import is_background
from stepscope.writer.bell import Bell
from stepscope.writer.event_stream import EventStream
from stepscope.writer.summary import Deferred, Moment, value_of

ReadFiles = Callable[[Path], list[Any]]


def scalar_event(step: int) -> bytes:
    return Moment(step, 1.0).event(value_of("a").single("simple_value", 1.0))


def steps(written: list[Any]) -> list[int]:
    return [point[0] for one in written for point in one.points.get("a", [])]


def test_order_is_kept_among_scalars_and_among_others(log: Path, read_files: ReadFiles) -> None:
    stream = EventStream(str(log))
    for step in range(1500):
        stream.put((b"b", step, 1.0, 1.0))
        stream.put_deferred(Deferred(lambda step=step: scalar_event(step), 10))
    stream.close()
    (written,) = read_files(log)
    assert steps([written]) == list(range(1500))
    assert [point[0] for point in written.points["b"]] == list(range(1500))


def test_what_is_slow_to_encode_holds_up_no_scalar(log: Path, read_files: ReadFiles) -> None:
    goes_on = threading.Event()

    def slow() -> bytes:
        goes_on.wait(60)
        return scalar_event(1)

    stream = EventStream(str(log))
    stream.put_deferred(Deferred(slow, 10))
    stream.put((b"b", 7, 1.0, 1.0))
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (log.exists() and read_files(log)[0].points):
        time.sleep(0.02)
    assert list(read_files(log)[0].points) == ["b"]
    goes_on.set()
    stream.close()
    assert steps(read_files(log)) == [1]


def test_what_cannot_be_made_costs_only_itself(log: Path, read_files: ReadFiles, caplog: pytest.LogCaptureFixture) -> None:
    reason = "no room for the sprite"

    def fail() -> bytes:
        raise OSError(reason)

    stream = EventStream(str(log))
    stream.put_deferred(Deferred(fail, 10))
    stream.put_deferred(Deferred(lambda: scalar_event(1), 10))
    stream.put((b"a", 2, 1.0, 1.0))
    stream.close()
    assert sorted(steps(read_files(log))) == [1, 2]
    assert reason in caplog.records[0].getMessage()
    assert "Points were lost" in caplog.records[-1].getMessage()


def test_a_call_waits_for_room_and_nothing_is_lost(log: Path, read_files: ReadFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_queue, "HELD_BYTES", 100)
    monkeypatch.setattr(array_queue, "LONGEST_BLOCK_SECONDS", 60.0)  # A busy machine may keep the thread from its work for longer.
    most = 0

    def make(step: int) -> bytes:
        time.sleep(0.002)
        return scalar_event(step)

    stream = EventStream(str(log))
    for step in range(50):
        stream.put_deferred(Deferred(lambda step=step: make(step), 40))
        most = max(most, stream._arrays.held)
    stream.put_deferred(Deferred(lambda: scalar_event(50), 1000))  # Larger than the bound: goes alone.
    stream.close()
    assert 40 < most <= 100
    assert steps(read_files(log)) == list(range(51))


def test_a_thread_that_hangs_costs_one_wait(
    log: Path, read_files: ReadFiles, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(array_queue, "HELD_BYTES", 100)
    monkeypatch.setattr(array_queue, "LONGEST_BLOCK_SECONDS", 0.02)
    waits: list[float] = []
    wait = Bell.wait

    def noted(self: Bell, condition: Callable[[], bool], seconds: float | None = None) -> bool:
        if not is_background() and seconds is not None:
            waits.append(seconds)
        return wait(self, condition, seconds)

    goes_on = threading.Event()

    def hang() -> bytes:
        goes_on.wait(60)
        return scalar_event(0)

    stream = EventStream(str(log))
    stream.put_deferred(Deferred(hang, 100))
    monkeypatch.setattr(Bell, "wait", noted)
    for step in range(1, 200):
        stream.put_deferred(Deferred(lambda step=step: scalar_event(step), 100))
    assert waits == [0.02]
    goes_on.set()
    stream.flush()
    stream.put_deferred(Deferred(lambda: scalar_event(200), 100))
    stream.close()
    assert steps(read_files(log)) == [0, 200]
    assert sum("Dropping points" in record.getMessage() for record in caplog.records) == 1
    assert "199 found no room" in caplog.records[-1].getMessage()


def test_many_threads_may_log_arrays_and_scalars(log: Path, read_files: ReadFiles) -> None:
    from stepscope.writer import SummaryWriter

    writer = SummaryWriter(log)

    def work(name: str) -> None:
        for step in range(300):
            writer.add_histogram(f"h{name}", np.ones(100), step)
            writer.add_scalar(name, step, step)

    threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    (written,) = read_files(log)
    assert written.skipped == 0
    for number in range(4):
        assert [point[0] for point in written.points[f"t{number}"]] == list(range(300))
