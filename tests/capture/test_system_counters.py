"""System counters of a capture (chrome_trace, xspace_plane, system_probes): on the trace's clock, in every kind of file."""

from __future__ import annotations

import io
import json
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

import stepscope
from stepscope.capture.probe import Reading
from stepscope.capture.profilers.chrome_trace import base_of, copy_with
from stepscope.capture.profilers.profiler import Recorded, completed
from stepscope.capture.profilers.system_counters import WithSystemCounters
from stepscope.capture.profilers.xspace_plane import counter_plane, start_of
from stepscope.writer.message import Message

Run = Callable[..., subprocess.CompletedProcess[str]]
START = 1_700_000_000_000_000_000


class Writes:
    """A profiler that writes one given file."""

    def __init__(self, ending: str, data: bytes, *, notable: bool = False) -> None:
        self.ending, self.data, self.notable = ending, data, notable

    def start(self) -> None:
        pass

    def step(self, number: int) -> AbstractContextManager[object]:
        return nullcontext(number)

    def span(self, name: str) -> AbstractContextManager[object]:
        return nullcontext(name)

    def op(self, name: str, inputs: Sequence[object]) -> AbstractContextManager[object]:
        return nullcontext((name, inputs))

    def stop(self, scratch: str) -> list[Recorded]:
        path = Path(scratch) / f"0{self.ending}"
        path.write_bytes(self.data)
        return [Recorded(str(path), self.ending, notable=self.notable)]


class Ones:
    """A source whose values are 1, 2, 3 and so on; it fails when it is told to."""

    def __init__(self, fails_at: int = 0) -> None:
        self.reads = 0
        self.fails_at = fails_at
        self.closed = False

    def facts(self) -> dict[str, str]:
        return {}

    def read(self, now: float) -> Iterator[Reading]:
        self.reads += 1
        if self.reads == self.fails_at:
            raise OSError("gone")
        yield "cpu/ones", self.reads
        yield "cpu/twos", 2 * self.reads

    def close(self) -> None:
        self.closed = True


def recorded(profiler: WithSystemCounters, probe: Ones, scratch: Path) -> Recorded:
    """Records until the source was read three times."""
    profiler.start()
    deadline = time.monotonic() + 60
    while probe.reads < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    (file,) = profiler.stop(str(scratch))
    return completed(file)


def test_counters_are_in_what_plain_python_records(tmp_path: Path, verbs: Run) -> None:
    with stepscope.profile(tmp_path, framework="python") as profile, profile.step(7):
        time.sleep(0.35)
    told = json.loads(verbs("profile", "counters", profile.sessions[0], "--json", "--no-cache").stdout)
    counters = {row["name"]: row for row in told["counters"]}
    assert counters["process rss_mib"]["step_mean"] > 5
    assert "disk log_folder_free_mib" not in counters


def test_without_them_on_request(tmp_path: Path) -> None:
    with stepscope.profile(tmp_path, framework="python", system=False) as profile:
        time.sleep(0.15)
    (path,) = Path(profile.sessions[0]).iterdir()
    assert {event["ph"] for event in json.loads(path.read_text())["traceEvents"]} <= {"M", "X"}


def test_values_read_together_are_one_event_of_a_trace(tmp_path: Path) -> None:
    head = json.dumps({"baseTimeNanoseconds": START, "traceEvents": [{"ph": "X"}]}).encode()
    probe = Ones()
    before = time.time_ns()
    file = recorded(WithSystemCounters(Writes(".pt.trace.json", head), lambda: [probe]), probe, tmp_path)
    after = time.time_ns()
    named, *events = [json.loads(event) for event in file.events]
    assert named["args"] == {"name": "system"}
    assert [event["args"] for event in events[:3]] == [{"ones": n, "twos": 2 * n} for n in (1, 2, 3)]
    assert {event["name"] for event in events} == {"cpu"}
    assert all(before - START - 10**9 <= 1000 * event["ts"] <= after - START + 10**9 for event in events)
    assert probe.closed


def test_a_source_that_fails_leaves_the_profile_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    probe = Ones(fails_at=2)
    file = recorded(WithSystemCounters(Writes(".json", b'{"traceEvents": []}'), lambda: [probe, other]), other := Ones(), tmp_path)
    assert len([event for event in file.events if json.loads(event)["args"].get("ones") == 1]) == 1, "read together with the other's"
    assert len(caplog.records) == 1
    assert probe.closed is False
    assert other.closed


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        ('{"traceEvents": [{"a": 1}], "more": 2}', {"traceEvents": [{"n": 1}, {"n": 2}, {"a": 1}], "more": 2}),
        ('{"first": 1, "traceEvents" :[ ]}', {"first": 1, "traceEvents": [{"n": 1}, {"n": 2}]}),
        ('[{"a": 1}]', [{"a": 1}]),
    ],
)
def test_events_go_in_front_of_those_of_a_trace(trace: str, expected: Any) -> None:
    sink = io.BytesIO()
    copy_with(['{"n": 1}', '{"n": 2}'], {}, io.BytesIO(trace.encode()), sink)
    assert json.loads(sink.getvalue()) == expected


def test_a_trace_that_is_larger_than_what_is_read_at_once(tmp_path: Path) -> None:
    events = [{"name": "x" * 100, "at": at} for at in range(20_000)]
    trace = {"baseTimeNanoseconds": START, "traceEvents": events}
    (tmp_path / "trace.json").write_text(json.dumps(trace))
    assert base_of(str(tmp_path / "trace.json")) == START
    with open(tmp_path / "trace.json", "rb") as source:
        copy_with(['{"n": 1}'], {}, source, sink := io.BytesIO())
    assert json.loads(sink.getvalue()) == {**trace, "traceEvents": [{"n": 1}, *events]}


def test_a_base_inside_an_event_is_not_that_of_the_trace(tmp_path: Path) -> None:
    (tmp_path / "trace.json").write_text('{"traceEvents": [{"baseTimeNanoseconds": 5}]}')
    assert base_of(str(tmp_path / "trace.json")) == 0


def environment(start: int) -> bytes:
    metadata = Message("XMetadataEntry").integer("key", 3).message("value", Message("XStatMetadata").text("name", "profile_start_time"))
    stat = Message("XStat").integer("metadata_id", 3).integer("uint64_value", start)
    plane = Message("XPlane").text("name", "Task Environment").message("stats", stat).message("stat_metadata", metadata)
    return Message("XSpace").message("planes", Message("XPlane").text("name", "/host:CPU")).message("planes", plane).encoded()


@pytest.mark.parametrize(
    ("space", "expected"),
    [(environment(START), START), (b"", 0), (environment(START)[:-9], 0), (b"\x08\x01", 0), (b"\xff" * 30, 0)],
    ids=["told", "empty", "cut", "another message", "no message"],
)
def test_the_start_of_an_xspace(space: bytes, expected: int) -> None:
    assert start_of(io.BytesIO(space)) == expected


def test_counters_of_an_xspace_are_read(tmp_path: Path, verbs: Run) -> None:
    samples = [(START - 1, "early", 1.0), (START + 1_000, "cpu", 0.0), (START + 3_000, "cpu", 10.0)]
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(environment(START) + counter_plane(samples, START))
    (row,) = json.loads(verbs("profile", "counters", path, "--json", "--no-cache").stdout)["counters"]
    assert (row["name"], row["samples"], row["least"], row["most"]) == ("cpu", 2, 0, 10)
