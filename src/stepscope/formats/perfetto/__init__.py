"""Perfetto's .pftrace files: the slices, instants and counters of their tracks, read by the native core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepscope.formats.format import Limits, ProfileFormat
from stepscope.formats.kind_rows import native_rows
from stepscope.model.protobuf_fields import BadMessage, fields

if TYPE_CHECKING:
    from stepscope.model.profile import Profile

_ENDINGS = (".pftrace", ".perfetto-trace", ".perfetto_trace")
_TITLE = "Perfetto trace"
_PACKET = 1
_OF_PACKETS = frozenset({6, 8, 10, 11, 12, 13, 33, 34, 35, 36, 42, 45, 50, 56, 58, 59, 60, 79, 87})
"""Fields that the first packets of traces have: clocks, times, sequences, events, descriptors, configuration, system facts."""


def is_candidate(name: str) -> bool:
    """The endings that Perfetto's own tools use."""
    return name.endswith(_ENDINGS)


def sniff(head: bytes, _: str) -> bool:
    """Whether the bytes begin with packets, each of which holds only fields that packets have."""
    seen = 0
    try:
        for message in fields(head):
            if message.id != _PACKET or not message.is_bytes:
                return False
            ids = {one.id for one in fields(message.data)}
            if not ids or not ids <= _OF_PACKETS:
                return False
            seen += 1
    except BadMessage:
        pass  # the head ends inside a packet
    return seen > 0


def _read(path: str, limits: Limits) -> Profile:
    from stepscope.formats.perfetto.read import read

    return read(path, limits)


FORMAT = ProfileFormat(
    "perfetto",
    _TITLE,
    is_candidate,
    sniff,
    _read,
    endings=(".pftrace", ".perfetto-trace"),
    kind_rows=lambda: native_rows("perfetto", _TITLE, {"category": "categories"}),
)
