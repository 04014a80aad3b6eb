"""stepscope.flight_recorder (python_trace): the last seconds, saved by call, signal, slow step and failure, and nothing else."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import stepscope
from child_environment import with_sources
from small_disk import small_disk
from stepscope.capture import running
from stepscope.capture.flight_recorder import MOST_SAVED, FlightRecorder
from stepscope.capture.profilers.sampler import Sampler

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[FlightRecorder]:
    with stepscope.flight_recorder(tmp_path, seconds=60) as recorder:
        yield recorder


def names(session: str) -> set[str]:
    (path,) = Path(session).iterdir()
    return {event["name"] for event in json.loads(path.read_text())["traceEvents"] if event["ph"] == "X"}


def busy_until(is_done: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not is_done() and time.monotonic() < deadline:
        time.sleep(0.005)


def sampled(recorder: FlightRecorder, count: int = 3) -> None:
    """Returns when this thread was sampled so often."""
    thread = threading.get_native_id()
    busy_until(lambda: len(recorder._sampler.samples.get(thread, ())) >= count)  # pyright: ignore[reportPrivateUsage]


def test_steps_spans_and_functions_are_saved_and_read(recorder: FlightRecorder, verbs: Run) -> None:
    for number in (3, 4):
        with running.step(number), stepscope.span("forward"), stepscope.op("mine"):
            sampled(recorder, 2 * number)
    session = recorder.save("asked")
    assert session is not None
    assert session.endswith("_last_asked")
    told = json.loads(verbs("profile", "steps", session, "--json", "--no-cache").stdout)
    assert [step["step"] for step in told["steps"]] == [3, 4]
    assert {"ProfilerStep#3", "forward", "mine"} < names(session)
    assert any("busy_until" in name for name in names(session)), "a function that was sampled"
    assert recorder.sessions == [session]


def test_what_is_older_is_not_saved(tmp_path: Path) -> None:
    with stepscope.flight_recorder(tmp_path, seconds=0.3) as recorder:
        with stepscope.span("old"):
            pass
        ended = time.monotonic()
        busy_until(lambda: time.monotonic() > ended + 0.4)
        with stepscope.span("new"):
            pass
        session = recorder.save()
    assert session is not None
    assert "new" in names(session)
    assert "old" not in names(session)


def test_a_span_that_began_earlier_is_cut(tmp_path: Path) -> None:
    with stepscope.flight_recorder(tmp_path, seconds=0.2) as recorder:
        with stepscope.span("long"):
            began = time.monotonic()
            busy_until(lambda: time.monotonic() > began + 0.5)
        session = recorder.save()
    (path,) = Path(str(session)).iterdir()
    (long,) = [event for event in json.loads(path.read_text())["traceEvents"] if event["name"] == "long"]
    assert long["ts"] == 0
    assert long["dur"] <= 200_000


def test_a_failure_is_saved_and_a_request_to_end_is_not(tmp_path: Path) -> None:
    with pytest.raises(MemoryError), stepscope.flight_recorder(tmp_path / "failed") as recorder:
        raise MemoryError
    (session,) = recorder.sessions
    assert session.endswith("_last_MemoryError")
    with pytest.raises(KeyboardInterrupt), stepscope.flight_recorder(tmp_path / "ended") as recorder:
        raise KeyboardInterrupt
    assert recorder.sessions == []
    assert not (tmp_path / "ended").exists()


def test_a_slow_step_is_saved_once(tmp_path: Path) -> None:
    with stepscope.flight_recorder(tmp_path, seconds=60) as recorder, stepscope.SummaryWriter(tmp_path) as writer:
        for step in stepscope.steps(range(40), writer=writer, slow=20):
            with stepscope.phase("forward"):
                time.sleep(2.0 if step == 35 else 0.002)
    (session,) = recorder.sessions
    assert session.endswith("_last_slow_step35")
    assert {"ProfilerStep#34", "forward"} < names(session)


def test_slow_steps_do_not_fill_the_disk(tmp_path: Path) -> None:
    with stepscope.flight_recorder(tmp_path, seconds=1e-6) as recorder:
        for step in range(3 * MOST_SAVED):
            recorder.ask(f"slow_step{step}")
            time.sleep(1e-4)
    assert len(recorder.sessions) == MOST_SAVED


CHILD = """
import os, signal, sys, time, stepscope
heard = []
signal.signal(signal.SIGUSR2, lambda number, frame: heard.append(number))
recorder = stepscope.flight_recorder(sys.argv[1], signal=signal.SIGUSR2)
with stepscope.span("before"):
    pass
os.kill(os.getpid(), signal.SIGUSR2)
deadline = time.monotonic() + 60
while not recorder.sessions and time.monotonic() < deadline:
    time.sleep(0.01)
recorder.stop()
os.kill(os.getpid(), signal.SIGUSR2)
print(len(heard), *recorder.sessions)
"""


def test_a_real_signal_saves_and_the_handler_before_is_kept(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", CHILD, tmp_path], capture_output=True, text=True, check=True, timeout=120, env=with_sources()
    )
    heard, session = ran.stdout.split()
    assert heard == "2"
    assert session.endswith("_last_signal")
    assert "before" in names(session)


def test_one_at_a_time_and_a_capture_comes_first(recorder: FlightRecorder, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="flight recorder"):
        stepscope.flight_recorder(tmp_path)
    with stepscope.profile(tmp_path / "run", framework="python") as profile, stepscope.span("captured"):
        pass
    session = recorder.save()
    assert session is not None
    assert "captured" in names(profile.sessions[0])
    assert "captured" not in names(session)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), 1e9])
def test_seconds_that_cannot_be_meant(seconds: float, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="seconds"):
        stepscope.flight_recorder(tmp_path, seconds=seconds)


def test_a_signal_needs_the_main_thread(tmp_path: Path) -> None:
    raised: list[str] = []

    def start() -> None:
        try:
            stepscope.flight_recorder(tmp_path, signal=signal.SIGUSR2)
        except ValueError as error:
            raised.append(str(error))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert len(raised) == 1
    stepscope.flight_recorder(tmp_path).stop()


def test_a_full_disk_is_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with small_disk(tmp_path / "disk", 4) as disk, stepscope.flight_recorder(disk) as recorder:
        sampled(recorder)
        assert recorder.save() is None
    assert len(caplog.records) == 1


def test_threads_that_have_ended_are_forgotten() -> None:
    sampler = Sampler(0.001, most=5)
    waits = threading.Event()
    thread = threading.Thread(target=waits.wait)
    sampler.start()
    thread.start()
    number: Any = thread.native_id
    busy_until(lambda: number in sampler.samples)
    waits.set()
    thread.join()
    busy_until(lambda: number not in sampler.samples)
    sampler.stop()
    assert number not in sampler.samples
    assert all(len(taken) <= 5 for taken in sampler.samples.values())
