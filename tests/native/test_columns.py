"""Columns of a file that grows (`event_columns`): what a reader has got never changes, and nothing is lost between chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import event_bytes as eb
from stepscope._native import EventFile, NamePool

SIZES = (1, 2, 255, 256, 257, 5000, 20_000)
"""Points after each scan: across the ends of small and large chunks."""


def test_every_point_is_there_after_every_growth(tmp_path: Path) -> None:
    path = eb.write(tmp_path / "events.out.tfevents.1", eb.version(1.0))
    kept: list[tuple[int, list[np.ndarray]]] = []
    written = 0
    file = EventFile(str(path), NamePool())
    for size in SIZES:
        with path.open("ab") as out:
            out.write(b"".join(eb.scalar(tag, step, 1.0 + step, -step) for step in range(written, size) for tag in (b"a", b"b")))
        written = size
        file.scan()
        assert (file.points, file.series_count) == (2 * size, 2)
        for index in range(2):
            kept.append((size, list(file.scalars(index))))
    for size, (step, wall, value) in kept:
        assert np.array_equal(step, np.arange(size))
        assert np.array_equal(wall, 1.0 + np.arange(size))
        assert np.array_equal(value, -np.arange(size, dtype=np.float64))


def test_series_come_in_the_order_of_their_first_points(tmp_path: Path) -> None:
    records = [eb.scalar(tag, 0, 1.0, 0.0) for tag in (b"z", b"a", b"z", b"m")]
    path = eb.write(tmp_path / "events.out.tfevents.1", eb.version(1.0), *records)
    names = NamePool()
    file = EventFile(str(path), names)
    file.scan()
    assert [names.name(int(tag)) for tag in file.tag_ids()] == [b"z", b"a", b"m"]
    assert [len(file.scalars(index)[0]) for index in range(3)] == [2, 1, 1]
