"""Short ways for the tests here to read an event file with the native core and look at what came out."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from stepscope._native import EventFile, NamePool, SeriesView

if TYPE_CHECKING:
    from stepscope._native import Origin

Point = tuple[int, float, float]
Mode = Literal["latest", "all", "split"]


@dataclass(frozen=True)
class FileRanges:
    """A file whose bytes the core gets from Python, range by range, as it does from a bucket."""

    file: Path

    @property
    def path(self) -> bytes:
        """As the core reports it."""
        return os.fsencode(self.file)

    def size(self) -> int:
        """Bytes in the file now."""
        return self.file.stat().st_size

    def read_range(self, offset: int, length: int) -> bytes:
        """Fewer bytes only where the file ends."""
        with self.file.open("rb") as reader:
            reader.seek(offset)
            return reader.read(length)


ORIGINS: dict[str, Callable[[Path], Origin]] = {"path": os.fsencode, "ranges": FileRanges}
_origin = ["path"]


def read_from(origin: str) -> None:
    """From here on files are read by their path, or as ranges: a key of ORIGINS."""
    _origin[0] = origin


def opened(path: Path, names: NamePool) -> EventFile:
    """The file, of which nothing is read yet."""
    return EventFile(ORIGINS[_origin[0]](path), names)


def scanned(path: Path, names: NamePool | None = None) -> EventFile:
    """The file, read to its end."""
    file = opened(path, NamePool() if names is None else names)
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
