"""Perfetto's .pftrace files: the slices, instants and counters of their tracks, read by the native core."""

from __future__ import annotations

import os

from stepscope._native import NoPerfettoTrace, read_perfetto
from stepscope.formats.file_content import read_content
from stepscope.formats.format import Limits, ProfileFormat
from stepscope.formats.kind_rows import native_rows
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile
from stepscope.model.protobuf_fields import BadMessage, fields

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


def read(path: str, limits: Limits) -> Profile:
    """Reads a whole file. Raises BadInput with one sentence when nothing of it can be read."""
    name = os.path.basename(path)
    data = read_content(path, limits)
    try:
        tables = read_perfetto(data, limits.spans, limits.names)
    except NoPerfettoTrace as error:
        raise BadInput(f"{name} cannot be shown, because {error}.", "no_slices") from error
    return profile_from_columns(tables, format=FORMAT.id, path=path)


FORMAT = ProfileFormat(
    "perfetto",
    _TITLE,
    is_candidate,
    sniff,
    read,
    endings=(".pftrace", ".perfetto-trace"),
    kind_rows=lambda: native_rows("perfetto", _TITLE, {"category": "categories"}),
)
