"""Clock offsets between ranks (clock_offset, rank_clock): measured over loopback, said in the trace, and used by the reader."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stepscope.capture import clock_offset
from stepscope.capture.clock_offset import ClockMeeting
from stepscope.capture.profilers.rank_clock import AHEAD, ERROR
from stepscope.formats.open_profile import read_file

Run = Callable[..., subprocess.CompletedProcess[str]]
SECOND = 10**9
BASE = 1_700_000_000_000_000_000


class Shelf:
    """A store of one process, as torch.distributed has one for all."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def set(self, key: str, value: str, /) -> None:
        self.values[key] = value

    def get(self, key: str, /) -> bytes:
        return self.values[key].encode()

    def check(self, keys: list[str], /) -> bool:
        return all(key in self.values for key in keys)


@pytest.mark.parametrize("skew", [0, 3 * SECOND, -7 * SECOND])
def test_the_offset_of_a_clock_is_measured(skew: int) -> None:
    store = Shelf()
    first = ClockMeeting(store, 0, 3, 1)
    others = [ClockMeeting(store, rank, 3, 1, lambda: time.time_ns() + skew) for rank in (1, 2)]
    for other in others:
        found = other.offset()
        assert found is not None
        assert abs(found.ahead_ns - skew) <= found.error_ns + SECOND // 1000
        assert 0 < found.error_ns < SECOND
    assert first.offset() == (0, 0)


def test_a_rank_that_nobody_answers_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_offset, "PATIENCE_SECONDS", 0.1)
    store = Shelf()
    assert ClockMeeting(store, 1, 2, 1).offset() is None, "the first rank never came"
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        store.set("stepscope/clock/2", f"{'00' * 16} {unused.getsockname()[1]} {socket.gethostname()}")
        assert ClockMeeting(store, 1, 2, 2).offset() is None, "nothing listens there"


def test_who_does_not_know_the_token_gets_no_answer() -> None:
    store = Shelf()
    serving = threading.Thread(target=clock_offset.answer_ranks, args=(store, "key", 1, time.time_ns), daemon=True)
    serving.start()
    deadline = time.monotonic() + 60
    while not store.check(["key"]) and time.monotonic() < deadline:
        time.sleep(0.001)
    token, port, *_ = store.values["key"].split()
    with socket.create_connection(("127.0.0.1", int(port)), timeout=60) as stranger:
        stranger.sendall(b"x" * 16)
        assert stranger.recv(1) == b""
    assert clock_offset.ask_first_rank(store, "key", time.time_ns) is not None
    serving.join(60)
    assert len(token) == 32


def trace(folder: Path, rank: int, *, ahead: int, start: float) -> None:
    facts = {
        "schemaVersion": 1,
        "baseTimeNanoseconds": BASE,
        AHEAD: ahead,
        ERROR: 2_000,
        "distributedInfo": {"rank": rank, "world_size": 2},
    }
    steps = [
        {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{n}", "pid": 1, "tid": 1, "ts": start + 100 * n, "dur": 90.0}
        for n in range(3)
    ]
    (folder / f"host_rank{rank}.pt.trace.json").write_text(json.dumps({**facts, "traceEvents": steps}))


def test_times_are_read_on_the_clock_of_the_first_rank(tmp_path: Path, verbs: Run) -> None:
    trace(tmp_path, 0, ahead=0, start=1_000.0)
    trace(tmp_path, 1, ahead=5 * SECOND, start=5_001_000.0)
    profiles = [read_file(str(tmp_path / f"host_rank{rank}.pt.trace.json")) for rank in (0, 1)]
    starts = [profile.base_ns + int(profile.spans.start.min()) for profile in profiles]
    assert starts == [BASE + 1_000_000, BASE + 1_000_000]
    quality = json.loads(verbs("profile", "report", tmp_path, "--json", "--no-cache").stdout)["data_quality"]
    assert quality["clock_error_us"] == 2.0, "no collective is needed to compare them"
