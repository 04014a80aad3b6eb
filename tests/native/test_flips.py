"""Damage anywhere in a file of small and large records: what is read was written, and what is missing is reported."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import event_bytes as eb
from event_reading import Point, all_scalars, scanned
from stepscope._native import EventEncoder, NamePool

MANY = 4400
PICTURE = bytes(range(256)) * 300


def framed(event: bytes) -> bytes:
    """A record with the native checksum: a pure Python one of many kilobytes takes too long."""
    encoder = EventEncoder()
    encoder.add_event(event)
    return encoder.take()


def merged(step: int) -> bytes:
    """Thousands of scalars in one event."""
    values = (eb.value(b"merged/%04d" % tag, eb.single(2, 100.0 + step)) for tag in range(MANY))
    return framed(eb.event(step, 1000.0 + step, eb.summary(*values)))


def picture(step: int) -> bytes:
    """A blob alone in its record, which is not read at load."""
    return framed(eb.event(step, 1000.0 + step, eb.summary(eb.value(b"image", eb.message(4, eb.message(4, PICTURE))))))


RECORDS = [
    eb.version(1000.0),
    *(eb.scalar(b"loss", step, 1000.0 + step, step / 2) for step in range(20)),
    merged(20),
    picture(21),
    *(eb.scalar(b"loss", step, 1000.0 + step, step / 2) for step in range(22, 40)),
    merged(40),
    eb.scalar(b"loss", 41, 1041.0, 20.5),
]
POINTS: list[dict[bytes, list[Point]]] = [{}] * len(RECORDS)
for place in range(len(RECORDS)):
    if place in (21, 41):
        POINTS[place] = {b"merged/%04d" % tag: [(place - 1, 999.0 + place, 99.0 + place)] for tag in range(MANY)}
    elif place not in (0, 22):
        POINTS[place] = {b"loss": [(place - 1, 999.0 + place, (place - 1) / 2)]}


def without(hit: int) -> dict[bytes, list[Point]]:
    """All points but those of one record."""
    found: dict[bytes, list[Point]] = {}
    for place, points in enumerate(POINTS):
        for tag, values in points.items():
            if place != hit:
                found.setdefault(tag, []).extend(values)
    return found


def damaged(record: bytes, choose: random.Random) -> bytes:
    """One bit, one byte, or some bytes are wrong."""
    data = bytearray(record)
    at = choose.randrange(len(data))
    match choose.randrange(3):
        case 0:
            data[at] ^= 1 << choose.randrange(8)
        case 1:
            data[at] ^= choose.randrange(1, 256)
        case _:
            end = min(len(data), at + choose.randrange(1, 64))
            data[at:end] = bytes(255 - byte for byte in data[at:end])
    return bytes(data)


def check(path: Path, rounds: int, seed: int) -> None:
    choose = random.Random(seed)
    for round_ in range(rounds):
        # Large records are hit as often as small ones, though there are few.
        hit = choose.choice([21, 22, 41]) if choose.randrange(2) else choose.randrange(len(RECORDS))
        names = NamePool()
        file = scanned(eb.write(path, *RECORDS[:hit], damaged(RECORDS[hit], choose), *RECORDS[hit + 1 :]), names)
        assert all_scalars(file, names) == without(hit), (seed, round_)
        assert file.verify() > 0, "damage to a picture alone is found when that is asked for, and when it is shown"
        assert hit == 22 or file.skipped > 0, (seed, round_)


@pytest.mark.slow
def test_a_hundred_files(tmp_path: Path) -> None:
    check(tmp_path / "tfevents", 100, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_ten_thousand_files(tmp_path: Path) -> None:
    check(tmp_path / "tfevents", 10_000, seed=2)
