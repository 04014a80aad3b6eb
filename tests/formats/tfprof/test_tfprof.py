"""tf.profiler's ProfileProto: every execution of every node, with its step, type, FLOPs and source line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import event_bytes as eb
from formats.tfprof.tfprof_bytes import START, example, node
from opened_profiles import open_profile
from sample_files import SAMPLES, needs
from stepscope.formats.format import Limits
from stepscope.formats.tfprof import FORMAT
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile, SpanKind, TrackRole

HERE = Path(__file__).parent
SAMPLE = "tf1_run_metadata/profile.tfprof.pb"


def opened(path: Path, data: bytes) -> Profile:
    path.write_bytes(data)
    (profile,) = open_profile(str(path))
    return profile


def test_runs_become_spans_of_their_steps(tmp_path: Path) -> None:
    profile = opened(tmp_path / "any name", example())
    assert profile.format == FORMAT.id
    spans = profile.spans
    found = {
        (profile.names[spans.name[row]], int(spans.start[row]), int(spans.end[row]), int(spans.step[row]))
        for row in range(len(spans))
        if spans.kind[row] != SpanKind.MARKER
    }
    assert found == {
        ("dense/MatMul", 0, 10_000, 3),
        ("loss", 4_000, 14_000, 3),
        ("late", 50_000, 55_000, 7),
        ("late", 52_000, 61_000, 7),
    }
    assert profile.markers.number.tolist() == [3, 7]
    assert Counter(track.role for track in profile.tracks) == {TrackRole.THREAD: 3, TrackRole.STREAM: 1}
    assert profile.allocations.bytes.tolist() == [64]


def test_an_operation_says_its_type_flops_and_line(tmp_path: Path) -> None:
    profile = opened(tmp_path / "x", example())
    op = next(op for op in profile.ops if op.name == "dense/MatMul")
    assert (op.type, op.scope, op.flops, op.source) == ("MatMul", "dense", 800.0, "train.py:42")


def test_cut_short_anywhere_it_is_a_part_or_one_sentence(tmp_path: Path) -> None:
    data = example()
    path = tmp_path / "x"
    whole = len(opened(path, data).spans)
    for length in range(1, len(data)):
        path.write_bytes(data[:length])
        try:
            profile = FORMAT.read(str(path), Limits())
        except BadInput:
            continue
        assert "truncated" in {note.code for note in profile.notes} or len(profile.spans) < whole or length == data.rindex(b'"\x0c')


@pytest.mark.parametrize("wild", [(-START, 5), ((1 << 62), 5), (0, 1 << 62), (0, -1)])
def test_times_that_cannot_be_are_left_out(tmp_path: Path, wild: tuple[int, int]) -> None:
    start, length = wild
    pair = eb.message(1, eb.message(1, eb.varint(START + start) + eb.varint(length & (1 << 64) - 1)))
    bad = node(9, b"bad", b"Sum", 3, eb.message(5, eb.message(1, b"cpu"), eb.message(2, pair)))
    profile = opened(tmp_path / "x", bad + example())
    assert "bad" not in {profile.names[at] for at in profile.spans.name}


@pytest.mark.peers
def test_the_real_thing(tmp_path: Path, run_in_peers: Callable[..., Any]) -> None:
    told = run_in_peers(HERE / "profiler_proto.py", tmp_path)["runs"]
    (profile,) = open_profile(str(tmp_path / "profile.pb"))
    spans = profile.spans
    got = Counter(
        (
            op.name,
            op.type,
            0 if op.flops != op.flops else int(op.flops),
            int(spans.step[row]),
            int(spans.start[row] + profile.base_ns) // 1000,
        )
        for row in range(len(spans))
        if spans.op[row] >= 0
        for op in [profile.ops[spans.op[row]]]
    )
    assert got == Counter((run["name"], run["op"], run["flops"], run["step"], run["start"]) for run in told)
    assert any(op.flops > 0 and op.source.endswith(tuple("0123456789")) for op in profile.ops)


@needs(SAMPLE)
def test_the_sample_has_two_steps_and_the_convolution() -> None:
    (profile,) = open_profile(str(SAMPLES / SAMPLE))
    assert profile.markers.number.tolist() == [9, 19]
    spans = profile.spans
    spent = sum(int(spans.end[row] - spans.start[row]) for row in range(len(spans)) if profile.names[spans.name[row]] == "conv1/Relu")
    assert spent == (1278 + 4791) * 1000
