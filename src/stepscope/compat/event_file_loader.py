"""TensorBoard's loaders of single event files, by their names: every record of a file, raw or as an Event message."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from stepscope._native import read_records
from stepscope.compat.peer_messages import peer_module
from stepscope.sources.files import origin_of

_AT_ONCE = 4 << 20
"""Bytes of records that are in memory at a time."""


class RawEventFileLoader:
    """Yields records as bytes. Corrupt ones are skipped; an unfinished one at the end is read by a later `Load`."""

    def __init__(self, file_path: str | os.PathLike[str], detect_file_replacement: bool = False) -> None:
        if not file_path:
            raise ValueError("A file path is required")
        self._path = os.fspath(file_path)
        self._next = 0
        del detect_file_replacement  # the file is opened anew for every read

    def Load(self) -> Iterator[bytes]:  # noqa: N802 - TensorBoard's name
        """Every record that was not yielded yet. Raises OSError."""
        while records := read_records(origin_of(self._path), self._next, _AT_ONCE):
            for record, end in records:
                self._next = end
                yield record


class LegacyEventFileLoader(RawEventFileLoader):
    """Yields Event messages as they are in the file. Needs the tensorboard package for them."""

    def Load(self) -> Iterator[Any]:  # noqa: N802
        """Every event that was not yielded yet. Raises NeedsExtra when tensorboard is not installed."""
        event = peer_module("tensorboard.compat.proto.event_pb2").Event
        for record in super().Load():
            yield event.FromString(record)


class EventFileLoader(LegacyEventFileLoader):
    """Yields Event messages in today's form: old images, sounds, histograms and scalars as tensors."""

    def __init__(self, file_path: str | os.PathLike[str], detect_file_replacement: bool = False) -> None:
        super().__init__(file_path, detect_file_replacement)
        self._first_metadata: dict[str, Any] = {}

    def Load(self) -> Iterator[Any]:  # noqa: N802
        """Every event that was not yielded yet. Raises NeedsExtra when tensorboard is not installed."""
        values, classes = peer_module("tensorboard.data_compat"), peer_module("tensorboard.dataclass_compat")
        for event in super().Load():
            yield from classes.migrate_event(values.migrate_event(event), self._first_metadata)


class TimestampedEventFileLoader(EventFileLoader):
    """Yields pairs of wall time and event."""

    def Load(self) -> Iterator[tuple[float, Any]]:  # noqa: N802
        """Every event that was not yielded yet, with its wall time."""
        for event in super().Load():
            yield event.wall_time, event
