"""What the tests of stepscope.summary share: reading a folder back through the native scanner."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from stepscope._native import EventFile, NamePool
from stepscope.model.kinds import Kind
from stepscope.writer.recording import calls


@dataclass
class Series:
    """One tag's values and what its metadata says."""

    kind: str
    steps: list[int]
    values: list[float]
    """Of scalars."""

    plugin: str
    description: str
    bytes: list[bytes]
    """Of everything else."""


Read = Callable[[Path], dict[str, Series]]


def _series(events: EventFile, index: int) -> Series:
    kind = Kind(int(events.kinds()[index]))
    plugin, _, description, *_ = events.metadata(index)
    about = (plugin.decode(), description.decode())
    if kind == 0:
        step, _, value = events.scalars(index)
        return Series(kind.label, step.tolist(), value.tolist(), *about, [])
    step, _, offset, length = events.blobs(index)
    blobs = [events.read_blob(begin, size) for begin, size in zip(offset.tolist(), length.tolist(), strict=True)]
    return Series(kind.label, step.tolist(), [], *about, blobs)


@pytest.fixture
def read() -> Read:
    """Every series of a folder's only event file, but for the mark of its end."""

    def read(folder: Path) -> dict[str, Series]:
        names = NamePool()
        (path,) = folder.glob("*tfevents*")
        events = EventFile(str(path), names)
        events.scan()
        assert (events.skipped, events.pending) == (0, 0)
        found = {names.name(int(tag)).decode(): _series(events, index) for index, tag in enumerate(events.tag_ids())}
        return {tag: series for tag, series in found.items() if tag != "__session_log__"}

    return read


@pytest.fixture(autouse=True)
def _own_settings() -> Iterator[None]:
    """Each test leaves this thread's settings as it found them."""
    yield
    calls.__dict__.clear()
