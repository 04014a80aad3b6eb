"""Chrome traces in general, and TensorFlow's and JAX's own export."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from formats.kineto.trace_events import ReadText, codes, kind_of, row_of
from stepscope.formats.format import Limits
from stepscope.formats.kineto.read import read
from stepscope.formats.open_profile import read_file
from stepscope.model.errors import TooMuch
from stepscope.model.profile import FlowKind, MarkerFamily, SpanKind, TrackPurpose, TrackRole

PLACE = {"pid": 1, "tid": 1, "cat": "mine"}


def text(*events: dict[str, Any]) -> str:
    return json.dumps({"traceEvents": list(events)})


def test_begin_and_end_make_spans(read_text: ReadText) -> None:
    profile = read_text(
        text(
            {**PLACE, "ph": "B", "name": "outer", "ts": 1},
            {**PLACE, "ph": "B", "name": "inner", "ts": 2},
            {**PLACE, "ph": "E", "ts": 3},
            {**PLACE, "ph": "E", "name": "outer", "ts": 9},
        )
    )
    assert [profile.names[one] for one in profile.spans.name] == ["outer", "inner"]
    assert profile.spans.end.tolist() == [8000, 2000]
    assert profile.framework == ""


def test_what_never_ends_lasts_to_the_end(read_text: ReadText) -> None:
    profile = read_text(text({**PLACE, "ph": "B", "name": "open", "ts": 1}, {**PLACE, "ph": "X", "name": "x", "ts": 7, "dur": 1}))
    assert profile.spans.end[row_of(profile, "open")] == 6000
    assert "unfinished" in codes(profile)


def test_asynchronous_events_are_beside_the_threads(read_text: ReadText) -> None:
    profile = read_text(
        text(
            {**PLACE, "ph": "b", "name": "load", "id": "0x1", "ts": 1},
            {**PLACE, "ph": "b", "name": "load", "id": "0x2", "ts": 2},
            {**PLACE, "ph": "e", "name": "load", "id": "0x1", "ts": 5},
            {**PLACE, "ph": "e", "name": "load", "id": "0x2", "ts": 7},
            {**PLACE, "ph": "X", "name": "x", "ts": 1, "dur": 9},
        )
    )
    assert {track.role for track in profile.tracks} == {TrackRole.THREAD, TrackRole.DERIVED}
    assert sorted((profile.spans.end - profile.spans.start).tolist()) == [4000, 5000, 9000]


def test_counters(read_text: ReadText) -> None:
    profile = read_text(
        text(
            {"ph": "C", "name": "memory", "pid": 1, "ts": 2, "args": {"used": 5, "free": 7}},
            {"ph": "C", "name": "memory", "pid": 1, "ts": 1, "args": {"used": 4, "free": 8, "note": "text"}},
            {"ph": "C", "name": "SM active", "cat": "hardware_counters", "pid": "GPU 0 Counters", "ts": 1, "args": {"": 0.5}},
            {**PLACE, "ph": "X", "name": "x", "ts": 1, "dur": 9},
        )
    )
    tracks = [track.name for track in profile.tracks]
    found = [(tracks[track], time, value) for track, time, value in zip(*map(list, _columns(profile.counters)), strict=True)]
    assert found == [
        ("memory used", 0, 4.0),
        ("memory used", 1000, 5.0),
        ("memory free", 0, 8.0),
        ("memory free", 1000, 7.0),
        ("SM active", 0, 0.5),
    ]
    assert {track.role for track in profile.tracks if "memory" in track.name} == {TrackRole.COUNTER}


def test_metrics_of_measured_ranges_are_counters(read_text: ReadText) -> None:
    """As torch writes them with profiler_metrics in its experimental configuration."""
    kernels = [{"dram__bytes_read.sum": 512.0, "kineto__tensor_core_insts": 64}, {"dram__bytes_read.sum": 128.0, "note": "text"}]
    ranges = [
        {"ph": "X", "cat": "cuda_profiler_range", "name": "gemm", "pid": 0, "tid": 0, "ts": 10 * place, "dur": 5, "args": metrics}
        for place, metrics in enumerate(kernels)
    ]
    profile = read_text(text(*ranges, {**PLACE, "ph": "X", "name": "x", "ts": 0, "dur": 20}))
    tracks = [track.name for track in profile.tracks]
    found = {(tracks[track], time, value) for track, time, value in zip(*map(list, _columns(profile.counters)), strict=True)}
    assert found == {
        ("dram__bytes_read.sum", 0, 512.0),
        ("dram__bytes_read.sum", 10_000, 128.0),
        ("kineto__tensor_core_insts", 0, 64.0),
    }
    assert TrackRole.STREAM not in {profile.tracks[track].role for track in profile.spans.track}


def _columns(table: Any) -> tuple[Any, Any, Any]:
    return table.track, table.time, table.value


def test_flows(read_text: ReadText) -> None:
    flow = {"cat": "q", "name": "hand over", "id": 3, "pid": 1}
    profile = read_text(
        text(
            {**PLACE, "ph": "X", "name": "put", "ts": 1, "dur": 4},
            {**PLACE, "ph": "X", "name": "get", "tid": 2, "ts": 8, "dur": 4},
            {**flow, "ph": "s", "tid": 1, "ts": 2},
            {**flow, "ph": "f", "tid": 2, "ts": 9, "bp": "e"},
        )
    )
    assert profile.flows.kind.tolist() == [FlowKind.PRODUCER]
    assert (profile.flows.source.tolist(), profile.flows.target.tolist()) == ([row_of(profile, "put")], [row_of(profile, "get")])


def exported(tmp_path: Path) -> Path:
    """As TensorFlow's exporter writes it: no categories, a device's lines known by their names."""

    def named(what: str, pid: int, tid: int, name: str) -> dict[str, Any]:
        return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}}

    def one(pid: int, tid: int, name: str, ts: float, dur: float, **arguments: Any) -> dict[str, Any]:
        return {"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": ts, "dur": dur, "args": arguments}

    events = [
        named("process_name", 1, 0, "/device:GPU:0"),
        named("thread_name", 1, 5, "Stream #5"),
        named("thread_name", 1, 6, "Steps"),
        named("thread_name", 1, 7, "XLA Modules"),
        named("process_name", 2, 0, "/host:CPU"),
        named("thread_name", 2, 1, "python"),
        one(1, 5, "fusion.3", 10, 5, tf_op="model/dense/MatMul"),
        one(1, 6, "12", 9, 8),
        one(1, 7, "jit_step", 9, 8),
        one(2, 1, "train", 8, 9, step_num=12),
        one(2, 1, "$script.py:3 main", 7, 12),
        {},
    ]
    path = tmp_path / "host.trace.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"displayTimeUnit": "ns", "traceEvents": events}).encode()))
    return path


def test_an_export_of_tensorflow_or_jax(tmp_path: Path) -> None:
    profile = read_file(str(exported(tmp_path)))
    assert profile.framework == "TensorFlow"
    assert {track.name: track.role for track in profile.tracks} == {
        "Stream #5": TrackRole.STREAM,
        "Steps": TrackRole.MARKER,
        "XLA Modules": TrackRole.DERIVED,
        "python": TrackRole.THREAD,
    }
    assert kind_of(profile, "fusion.3") is SpanKind.KERNEL
    assert kind_of(profile, "$script.py:3 main") is SpanKind.PYTHON
    assert profile.ops[profile.spans.op[row_of(profile, "fusion.3")]].name == "model/dense/MatMul"
    assert sorted(zip(profile.markers.number.tolist(), profile.markers.family.tolist(), strict=True)) == [
        (12, MarkerFamily.STEP_NUM),
        (12, MarkerFamily.DEVICE_STEP),
    ]


def test_compiled_operations_of_an_export_are_operations(read_text: ReadText) -> None:
    """JAX on a processor names what it executes in `hlo_op`; what a number ties to a device only starts it there."""
    host = {"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "/host:CPU"}}
    thread = {"ph": "M", "name": "thread_name", "pid": 7, "tid": 1, "args": {"name": "tf_XLAPjRtCpuClient/1"}}
    one = {"ph": "X", "pid": 7, "tid": 1, "dur": 5}
    profile = read_text(
        text(
            host,
            thread,
            {**one, "name": "dot.12", "ts": 1, "args": {"hlo_op": "dot.12", "hlo_module": "jit_step"}},
            {**one, "name": "all-reduce.3", "ts": 10, "args": {"hlo_op": "all-reduce.3", "hlo_module": "jit_step"}},
            {**one, "name": "start it", "ts": 20, "args": {"hlo_op": "dot.9", "correlation_id": 4}},
        )
    )
    assert (profile.framework, profile.tracks[0].purpose) == ("JAX", TrackPurpose.EXECUTOR)
    kinds = [kind_of(profile, name) for name in ("dot.12", "all-reduce.3", "start it")]
    assert kinds[:2] == [SpanKind.OP, SpanKind.COLLECTIVE]
    assert kinds[2] is not SpanKind.OP
    operation = profile.ops[profile.spans.op[row_of(profile, "dot.12")]]
    assert (operation.name, operation.type, operation.program) == ("dot.12", "dot", "jit_step")


def test_a_timeline_of_tensorflow_1_holds_operations(read_text: ReadText) -> None:
    """Its lanes are executors, whatever their numbers are; an event's name is the operation's type."""
    profile = read_text(
        text(
            {**PLACE, "cat": "Op", "ph": "X", "name": "MatMul", "ts": 1, "dur": 5, "args": {"name": "fc/MatMul", "op": "MatMul"}},
            {**PLACE, "cat": "Op", "ph": "X", "name": "fc/bias", "ts": 7, "dur": 1, "args": {"name": "fc/bias"}},
            {**PLACE, "cat": "Op", "ph": "X", "name": "mine", "ts": 9, "dur": 5},
        )
    )
    assert (profile.framework, profile.tracks[0].purpose) == ("TensorFlow", TrackPurpose.EXECUTOR)
    assert [kind_of(profile, name) for name in ("MatMul", "fc/bias", "mine")] == [SpanKind.OP, SpanKind.OP, SpanKind.OTHER]
    operation = profile.ops[profile.spans.op[row_of(profile, "MatMul")]]
    assert (operation.name, operation.type) == ("fc/MatMul", "MatMul")


@pytest.mark.slow
def test_a_bomb_is_refused_with_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "bomb.trace.json.gz"
    path.write_bytes(gzip.compress(b'{"traceEvents": [' + b" " * 200_000_000 + b"]}", 9))
    with pytest.raises(TooMuch, match=r"times its size.*--max-gib"):
        read(str(path), Limits())
    assert len(read(str(path), Limits(ratio=5000)).spans) == 0


def test_a_limit_of_bytes_shows_what_comes_before(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    event = json.dumps({**PLACE, "ph": "X", "name": "x", "ts": 1, "dur": 1})
    path.write_text("[" + ",".join([event] * 5000) + "]")
    profile = read(str(path), Limits(bytes=100_000))
    assert 1000 < len(profile.spans) < 2000
    assert "too_large" in codes(profile)
