"""A log folder that a test writes line by line: event files with scalars, other summaries and session starts."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from stepscope._native import EventEncoder
from stepscope.ingest.loader import Loader, Root
from stepscope.store.library import Library

START = 1_700_000_000.0
"""Wall time of the first event unless a test says otherwise."""

Points = Sequence[float] | Sequence[tuple[int, float]]


class LogFolder:
    """Writes event files below a folder, and loads it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.library = Library()
        self.loader = Loader(self.library, [Root("", str(path))], reload_interval=0, cache=False)

    def write(
        self,
        run: str,
        series: Mapping[str, Points],
        *,
        start: float = START,
        gap: float = 1.0,
        file: str = "events.out.tfevents.1",
        others: Mapping[str, str] | None = None,
        session_start: int | None = None,
        version: bool = True,
        form: int = 2,
    ) -> Path:
        """Appends scalars to one file: values at steps 0, 1, …, or (step, value) pairs; `gap` seconds between them.

        `others` are summaries that are no scalars: tag to plugin name. `form` is that of EventEncoder: doubles unless it is given.
        """
        encoder = EventEncoder(form)
        if version:
            encoder.add_file_version(start, b"test")
        if session_start is not None:
            encoder.add_session_log(start, session_start, 1)
        for tag, plugin in (others or {}).items():
            encoder.add_event(_summary_event(tag, plugin, start))
        for tag, points in series.items():
            for place, point in enumerate(points):
                step, value = point if isinstance(point, tuple) else (place, point)
                encoder.add_scalar(tag.encode("utf-8", "surrogateescape"), step, start + gap * place, value)
        path = self.path / run / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as out:
            out.write(encoder.take())
        return path

    def load(self) -> Library:
        """Reads what is new."""
        self.loader.reload()
        return self.library


def decay(count: int) -> list[float]:
    """A curve that falls, so that its extremes are known."""
    return [math.exp(-place / 100) for place in range(count)]


def _field(number: int, data: bytes) -> bytes:
    """A length-delimited protobuf field."""
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def _summary_event(tag: str, plugin: str, wall: float) -> bytes:
    """An Event with one summary value: a string tensor and the plugin's name."""
    metadata = _field(1, _field(1, plugin.encode()))
    tensor = bytes([1 << 3, 7]) + _field(8, b"x")
    value = _field(1, tag.encode()) + _field(8, tensor) + _field(9, metadata)
    return bytes([1 << 3 | 1]) + struct.pack("<d", wall) + _field(5, _field(1, value))
