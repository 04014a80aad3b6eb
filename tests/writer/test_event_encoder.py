"""Records from the native encoder: framing by hand, the bytes protobuf would make, and round trips of anything."""

from __future__ import annotations

import math
import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stepscope
from stepscope._native import EventEncoder, ScalarQueue, masked_crc32c, open_conditions

SIMPLE, FLOAT_TENSOR, DOUBLE_TENSOR = 0, 1, 2

tags = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40)
steps = st.integers(-(2**63), 2**63 - 1)
times = st.floats(0, 4e9)
values = st.floats(width=64)
points = st.lists(st.tuples(tags, steps, times, values), min_size=1, max_size=30)


def frames(data: bytes) -> list[bytes]:
    """The records in the bytes; every length and checksum must be right."""
    found: list[bytes] = []
    at = 0
    while at < len(data):
        length, length_crc = struct.unpack_from("<QI", data, at)
        assert length_crc == masked_crc32c(data[at : at + 8])
        record = data[at + 12 : at + 12 + length]
        assert struct.unpack_from("<I", data, at + 12 + length) == (masked_crc32c(record),)
        found.append(record)
        at += 16 + length
    return found


def as_float32(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def same(left: float, right: float) -> bool:
    return (math.isnan(left) and math.isnan(right)) or (left == right and math.copysign(1, left) == math.copysign(1, right))


def test_a_scalar_is_the_bytes_that_protobuf_makes() -> None:
    encoder = EventEncoder()
    encoder.add_scalar(b"loss", 300, 1.5, 0.25)
    (record,) = frames(encoder.take())
    value = b"\x0a\x04loss" + b"\x15" + struct.pack("<f", 0.25)
    summary = b"\x0a" + bytes([len(value)]) + value
    assert record == b"\x09" + struct.pack("<d", 1.5) + b"\x10\xac\x02" + b"\x2a" + bytes([len(summary)]) + summary


def test_step_zero_is_left_out_and_a_negative_one_takes_ten_bytes() -> None:
    encoder = EventEncoder()
    encoder.add_scalar(b"a", 0, 1.0, 1.0)
    encoder.add_scalar(b"a", -1, 1.0, 1.0)
    zero, negative = frames(encoder.take())
    assert len(negative) == len(zero) + 11
    assert negative[9:20] == b"\x10" + b"\xff" * 9 + b"\x01"


def test_every_tensor_is_described_so_that_any_part_of_a_log_stands_alone() -> None:
    encoder = EventEncoder(DOUBLE_TENSOR)
    for step in (1, 2):
        encoder.add_scalar(b"a", step, 1.0, 1.0)
    assert [b"scalars" in record for record in frames(encoder.take())] == [True, True]


def test_events_of_other_kinds_keep_their_place_among_scalars() -> None:
    encoder = EventEncoder()
    encoder.add_scalars([(b"a", 1, 1.0, 1.0), b"an event", (b"a", 2, 1.0, 1.0, FLOAT_TENSOR)])
    encoder.add_event(b"")
    records = frames(encoder.take())
    assert [records[1], records[3]] == [b"an event", b""]
    assert len(encoder) == 0
    assert encoder.take() == b""


@pytest.mark.parametrize(
    ("entry", "error"),
    [
        ((b"a", 1, 1.0), TypeError),
        (("a", 1, 1.0, 1.0), TypeError),
        ((b"a", 2**63, 1.0, 1.0), OverflowError),
        ((b"a", 1, 1.0, "x"), TypeError),
        ((b"a", 1, 1.0, 1.0, 3), ValueError),
        (3, TypeError),
    ],
)
def test_a_malformed_entry_raises_and_writes_nothing(entry: object, error: type[Exception]) -> None:
    encoder = EventEncoder()
    with pytest.raises(error):
        encoder.add_scalars([entry])  # pyright: ignore[reportArgumentType]
    assert len(encoder) == 0


def test_an_unknown_form_or_status_is_refused() -> None:
    with pytest.raises(ValueError, match="form"):
        EventEncoder(3)
    with pytest.raises(ValueError, match="status"):
        EventEncoder().add_session_log(1.0, 0, 4)


@pytest.mark.parametrize("value", [3.4028234663852886e38, 3.4028235677973366e38, 3.4028235677973362e38, 1e39, 1e-46, 0.1])
def test_float32_rounds_as_ieee_does_at_its_limits(value: float, tmp_path: Path, read_file: Callable[[Path], Any]) -> None:
    encoder = EventEncoder()
    encoder.add_scalars([(b"a", 0, 1.0, value), (b"a", 1, 1.0, -value)])
    path = tmp_path / "events.out.tfevents.1.h"
    path.write_bytes(encoder.take())
    assert [point[2] for point in read_file(path).points["a"]] == [as_float32(value), as_float32(-value)]


@given(entries=points, form=st.sampled_from([SIMPLE, FLOAT_TENSOR, DOUBLE_TENSOR]))
def test_what_is_encoded_is_read_back(
    read_file: Callable[[Path], Any], entries: list[tuple[str, int, float, float]], form: int
) -> None:
    encoder = EventEncoder(form)
    encoder.add_file_version(1.0, b"test")
    encoder.add_scalars([(tag.encode(), step, wall, value) for tag, step, wall, value in entries])
    encoder.add_session_log(2.0, 7, 2)
    data = encoder.take()
    assert len(frames(data)) == len(entries) + 2
    with TemporaryDirectory() as folder:
        path = Path(folder, "events.out.tfevents.1.h")
        path.write_bytes(data)
        found = read_file(path)
    assert (found.skipped, found.pending, found.version, found.writer, found.session) == (0, 0, b"brain.Event:2", b"test", 2)
    kept = (lambda value: value) if form == DOUBLE_TENSOR else as_float32
    for tag in {entry[0] for entry in entries}:
        expected = [(step, wall, kept(value)) for name, step, wall, value in entries if name == tag]
        for (step, wall, value), (found_step, found_wall, found_value) in zip(expected, found.points[tag], strict=True):
            assert (step, wall) == (found_step, found_wall)
            assert same(value, found_value)


def queue_of(form: int = SIMPLE) -> ScalarQueue:
    queue = ScalarQueue(form)
    queue.limit = 1 << 20
    return queue


@given(entries=points, form=st.sampled_from([SIMPLE, FLOAT_TENSOR, DOUBLE_TENSOR]), most_bytes=st.integers(1, 500))
def test_queued_scalars_become_the_same_bytes_in_any_portions(
    entries: list[tuple[str, int, float, float]], form: int, most_bytes: int
) -> None:
    queue, straight, encoder = queue_of(form), EventEncoder(form), EventEncoder()
    for tag, step, wall, value in entries:
        assert queue.put(tag, value, step, wall, -1) == 0
    straight.add_scalars([(tag.encode(), step, wall, value) for tag, step, wall, value in entries])
    pieces: list[bytes] = []
    while len(queue) or encoder.kept:
        assert encoder.add_queued(queue, most_bytes) > 0
        pieces.append(encoder.take())
    assert b"".join(pieces) == straight.take()
    assert all(len(frames(piece)[:-1]) * 16 < most_bytes for piece in pieces)
    assert queue.highest_step == max(step for _, step, _, _ in entries)


def test_the_queue_says_when_it_is_full_and_when_nobody_looks() -> None:
    queue = queue_of()
    queue.limit = 2
    assert queue.put("a", 1.0, None, None, -1) == 0
    queue.asleep = True
    assert queue.put("a", 1, 7, 1.0, DOUBLE_TENSOR) == 1
    assert queue.put("a", 1.0, 9, None, -1) == 2
    assert (len(queue), queue.highest_step) == (2, 7)
    queue.clear()
    assert (len(queue), queue.highest_step) == (0, None)


@pytest.mark.parametrize(
    "entry",
    [
        ("a", "1", 1, 1.0),
        ("a", 1.0, 2**63, 1.0),
        ("a", 1.0, 1.5, 1.0),
        ("a", 10**400, 1, 1.0),
        (3, 1.0, 1, 1.0),
        ("\udcff", 1.0, 1, 1.0),
        (b"a", 1.0, 1, 1.0),
    ],
)
def test_the_queue_leaves_to_others_what_it_does_not_know(entry: tuple[object, object, object, object]) -> None:
    queue = queue_of()
    assert queue.put(*entry, -1) == 3
    assert len(queue) == 0
    with pytest.raises(ValueError, match="form"):
        queue.put("a", 1.0, 1, 1.0, 5)


def test_the_queue_takes_nothing_while_a_condition_has_to_be_asked() -> None:
    queue = queue_of()
    assert queue.put_if_certain("a", 1.0, 1, None, -1) == 0
    open_conditions.append(True)
    try:
        assert queue.put_if_certain("a", 1.0, 2, None, -1) == 4
        assert queue.put("a", 1.0, 3, None, -1) == 0
    finally:
        open_conditions.pop()
    assert (len(queue), queue.highest_step) == (2, 3)


def test_nor_while_a_framework_traces_the_calling_code() -> None:
    code = """
import sys, types
from stepscope._native import ScalarQueue
queue = ScalarQueue()
queue.limit = 10
put = lambda: queue.put_if_certain("a", 1.0, 1, None, -1)
for name, function in (("tensorflow", "executing_eagerly"), ("jax._src.core", "trace_state_clean")):
    module = sys.modules[name] = types.ModuleType(name)
    assert put() == 0, "still being imported"
    runs = [True]
    setattr(module, function, lambda: runs[0])
    assert put() == 0
    runs[0] = False
    assert put() == 4
    del sys.modules[name]
assert len(queue) == 4
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(stepscope.__file__).parent.parent)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
