"""TensorBoard event files: TFRecord frames of Event messages, read by the native core."""

from __future__ import annotations

from stepscope._native import EventFile, NamePool, masked_crc32c
from stepscope.formats.format import EventFormat
from stepscope.sources.files import origin_of

_HEADER = 12


def is_candidate(name: str) -> bool:
    """TensorBoard's convention: any file whose name contains "tfevents"; the profiler's empty marker is none."""
    return "tfevents" in name and not name.endswith(".profile-empty")


def sniff(head: bytes) -> bool:
    """Whether the bytes begin with a record's length and its right checksum."""
    return len(head) >= _HEADER and masked_crc32c(head[:8]) == int.from_bytes(head[8:_HEADER], "little")


def open_file(path: str, names: NamePool) -> EventFile:
    """A reader of the file that has read nothing yet; the file is only opened while it is scanned."""
    return EventFile(origin_of(path), names)


FORMAT = EventFormat("tfevents", "TensorBoard event file", is_candidate, sniff, open_file)
