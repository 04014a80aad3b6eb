"""Event files with histograms of every generation, built by hand."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import event_bytes as eb

START = 1_700_000_000.0
LARGEST = 1.7976931348623157e308

Row = tuple[float, float, float]


def doubles(field: int, numbers: Sequence[float]) -> bytes:
    """A packed list of doubles."""
    return eb.message(field, struct.pack(f"<{len(numbers)}d", *numbers))


def old_message(limits: Sequence[float], counts: Sequence[float], *, least: float, greatest: float) -> bytes:
    """HistogramProto's fields: buckets named by their right ends."""
    return eb.double(1, least) + eb.double(2, greatest) + doubles(6, limits) + doubles(7, counts)


def rows_tensor(rows: Sequence[Row], *, single: bool = False, listed: bool = False) -> bytes:
    """A tensor of (left, right, count) rows, as TensorFlow 2 writes it."""
    numbers = [number for row in rows for number in row]
    packed = struct.pack(f"<{len(numbers)}{'f' if single else 'd'}", *numbers)
    values = eb.message(5 if single else 6, packed) if listed else eb.content(packed)
    return eb.tensor(eb.FLOAT if single else eb.DOUBLE, values, shape=[len(rows), 3])


def record(tag: str, step: int, *parts: bytes, wall: float | None = None) -> bytes:
    """A record with one summary value."""
    when = START + step if wall is None else wall
    return eb.record(eb.event(step, when, eb.summary(eb.value(tag.encode(), *parts))))


def old(tag: str, step: int, limits: Sequence[float], counts: Sequence[float], *, least: float, greatest: float) -> bytes:
    """A record with the old message, as torch writes it."""
    return record(tag, step, eb.message(5, old_message(limits, counts, least=least, greatest=greatest)))


def new(tag: str, step: int, rows: Sequence[Row], *, single: bool = False, listed: bool = False, wall: float | None = None) -> bytes:
    """A record with a tensor, as TensorFlow 2 writes it."""
    about = eb.message(9, eb.metadata(b"histograms", data_class=2))
    return record(tag, step, eb.message(8, rows_tensor(rows, single=single, listed=listed)), about, wall=wall)


def raw_tensor(tag: str, step: int, tensor: bytes) -> bytes:
    """A record whose metadata says histogram, with whatever tensor."""
    return record(tag, step, eb.message(8, tensor), eb.message(9, eb.metadata(b"histograms", data_class=2)))


def bell(step: int, *, buckets: int = 10, width: float = 1.0) -> list[Row]:
    """A hill whose middle moves by a tenth with each step; its counts sum to a known number."""
    heights = [min(i, buckets - 1 - i) + 1 for i in range(buckets)]
    return [(step / 10 + i * width, step / 10 + (i + 1) * width, float(height)) for i, height in enumerate(heights)]


def write(folder: Path, run: str, *records: bytes, file: str = "events.out.tfevents.1") -> Path:
    """One event file of a run."""
    return eb.write(folder / run / file, eb.version(START), *records)
