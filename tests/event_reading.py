"""Short ways for the tests here to read an event file with the native core and look at what came out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from stepscope._native import EventFile, NamePool, SeriesView

Point = tuple[int, float, float]
Mode = Literal["latest", "all", "split"]


def scanned(path: Path, names: NamePool | None = None) -> EventFile:
    """The file, read to its end."""
    file = EventFile(os.fsencode(path), NamePool() if names is None else names)
    file.scan()
    return file


def names_of(file: EventFile, names: NamePool) -> list[bytes]:
    """The tag of each series."""
    return [names.name(int(tag)) for tag in file.tag_ids()]


def points_of(file: EventFile, index: int) -> list[Point]:
    """Step, wall time and value of every scalar of a series."""
    step, wall, value = file.scalars(index)
    return list(zip(step.tolist(), wall.tolist(), value.tolist(), strict=True))


def all_scalars(file: EventFile, names: NamePool) -> dict[bytes, list[Point]]:
    """All scalars by tag."""
    tags, kinds = names_of(file, names), file.kinds()
    return {tag: points_of(file, i) for i, tag in enumerate(tags) if kinds[i] == 0}


def view_of(files: list[EventFile], names: NamePool, tag: bytes, mode: Mode = "latest") -> SeriesView:
    """The series of that tag over the files of a run."""
    tag_id = names.find(tag)
    return SeriesView([(file, file.find(tag_id)) for file in files], mode)
