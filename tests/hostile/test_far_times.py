"""Two absurd times in a file of each format cost these two events, which are counted, and everything else is answered as before."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import event_bytes as eb
import xspace_bytes as xb
from cli.torch_traces import event, trace
from formats.memory_snapshot.snapshot_data import example as memory_snapshot
from formats.run_metadata.run_metadata_bytes import CPU, device, node, run_metadata
from formats.tfprof.tfprof_bytes import node as tfprof_node
from formats.tfprof.tfprof_bytes import times
from hostile.answers import ask_everything
from stepscope._native import ProfileBuilder
from stepscope.formats.open_profile import read_file
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.model.profile import Profile, SpanKind, TrackRole
from stepscope.queries.trace_export import trace_pieces

FAR_NS = (10**18, 2 * 10**18)
US = 1000
Make = Callable[[bool], bytes]


def torch_trace(far: bool) -> bytes:
    made = trace(4)
    made["traceEvents"] += [event("cpu_op", "aten::far", at / US, 5) for at in FAR_NS if far]
    return json.dumps(made).encode()


def begun_and_ended(far: bool) -> bytes:
    """One span has no end: it lasts to the end of the others, not to an absurd time."""
    steps: list[dict[str, Any]] = [{"ph": ph, "name": "a", "pid": 1, "tid": 1, "ts": ts} for ph, ts in (("B", 0), ("E", 5), ("B", 6))]
    steps += [{"ph": "X", "name": "b", "pid": 1, "tid": 2, "ts": at * 10, "dur": 4 - at} for at in range(5)]
    steps += [{"ph": "X", "name": "far", "pid": 1, "tid": 2, "ts": at / US, "dur": 5} for at in FAR_NS if far]
    return json.dumps({"traceEvents": steps}).encode()


def xspace(far: bool) -> bytes:
    plane = xb.Plane("/host:CPU")
    plane.line("python", *(plane.event(f"name {at}", at * 1_000_000, 500_000) for at in range(5)))
    for number, at in enumerate(FAR_NS if far else ()):
        plane.line(f"far {number}", plane.event("far", 0, 5000), timestamp_ns=at, id=10 + number)
    return xb.space(plane)


def perfetto(far: bool) -> bytes:
    builder = ProfileBuilder()
    track = builder.add_track("main", TrackRole.THREAD, process="python")
    for at in range(5):
        builder.add_span(track, at * 10, at * 10 + 5, f"name {at}", SpanKind.OP)
    pieces = b"".join(trace_pieces(profile_from_columns(builder.finish(), format="test", path="x"), "pftrace"))
    return pieces + b"".join(_slice(at) for at in FAR_NS if far)


def _slice(at: int) -> bytes:
    """An instant of its own track."""
    return eb.message(
        1, eb.integer(8, at), eb.integer(10, 1), eb.message(11, eb.integer(9, 3), eb.integer(11, 77), eb.message(23, b"far"))
    )


def statistics(far: bool) -> bytes:
    nodes = [node(f"n{at}".encode(), b"", 1_700_000_000_000_000 + at * 10, 5) for at in range(5)]
    nodes += [node(b"far", b"", at // US + 5, 5) for at in FAR_NS if far]
    return run_metadata(device(CPU, *nodes))


def tfprof(far: bool) -> bytes:
    starts = [*range(1_700_000_000_000_000, 1_700_000_000_000_050, 10), *(at // US for at in FAR_NS if far)]
    runs = (eb.message(5, times(b"/device:cpu:0", (start, 1))) for start in starts)
    return b"".join(tfprof_node(at, f"n{at}".encode(), b"Sum", 3, run) for at, run in enumerate(runs))


def snapshot(far: bool) -> bytes:
    data = memory_snapshot()
    events = data["device_traces"][0]
    events += [dict(events[0], time_us=at // US) for at in FAR_NS if far]
    return pickle.dumps(data)


def timeline(far: bool) -> bytes:
    rows = [[-1, 0, 400, 0], [5000, 1, 64, 4], [6000, 1, 64, 4], [7000, 3, -64, 4]]
    return json.dumps(rows + [[at, 1, 64, 4] for at in FAR_NS if far]).encode()


FILES: tuple[Make, ...] = (torch_trace, begun_and_ended, xspace, perfetto, statistics, tfprof, snapshot, timeline)


def read(path: Path, content: bytes) -> Profile:
    path.write_bytes(content)
    return read_file(str(path))


@pytest.mark.parametrize("make", FILES, ids=lambda make: make.__name__)
@pytest.mark.filterwarnings("error")
def test_two_absurd_times_cost_two_events(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "rank0"
    good = read(path, make(False))
    answered = ask_everything(path)
    profile = read(path, make(True))
    assert [note.text.split()[0] for note in profile.notes if note.code == "far_times"] == ["2"]
    assert not [note for note in good.notes if note.code == "far_times"]
    assert profile.spans.start.tolist() == good.spans.start.tolist()
    assert profile.spans.end.tolist() == good.spans.end.tolist()
    assert profile.counters.time.tolist() == good.counters.time.tolist()
    assert profile.allocations.time.tolist() == good.allocations.time.tolist()
    assert (profile.base_ns, profile.window) == (good.base_ns, good.window)
    assert answered
    assert ask_everything(path) == answered
