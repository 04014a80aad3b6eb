"""TensorFlow 1's RunMetadata: what session.run with a full trace returns, saved as bare protobuf bytes."""

from __future__ import annotations

import os

from stepscope._native import WIRE, NoRunMetadata, read_run_metadata
from stepscope.formats.file_content import read_content
from stepscope.formats.format import SNIFF_BYTES, Limits, LoggedProfiles, ProfileFormat
from stepscope.formats.kind_rows import native_rows
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.model.errors import BadInput
from stepscope.model.kinds import Kind
from stepscope.model.profile import Profile
from stepscope.model.protobuf_fields import BadMessage, fields

_TITLE = "TensorFlow 1 run metadata"
_FIRST_FIELD = b"\x0a"


def is_candidate(name: str) -> bool:
    """Nobody but users names these files; the word is in every tutorial's name for them."""
    lower = name.lower()
    return lower.endswith((".pb", ".bin")) and ("run_metadata" in lower or "runmetadata" in lower)


def sniff(head: bytes, _: str) -> bool:
    """Whether the bytes begin with step_stats > dev_stats > a device's name, which starts with a slash."""
    place = 0
    for _depth in range(3):
        if head[place : place + 1] != _FIRST_FIELD:
            return False
        place += 1
        while place < len(head) and head[place] >= 0x80:
            place += 1
        place += 1
    return head[place : place + 1] == b"/"


def read(path: str, limits: Limits) -> Profile:
    """Reads a whole file. Raises BadInput with one sentence when nothing of it can be read."""
    return read_bytes(read_content(path, limits), path, limits)


def read_bytes(data: bytes, path: str, limits: Limits) -> Profile:
    """The profile in a serialised RunMetadata, wherever it was found."""
    try:
        tables = read_run_metadata(data, limits.spans, limits.names)
    except NoRunMetadata as error:
        raise BadInput(f"{os.path.basename(path)} cannot be shown: {error}", "no_statistics") from error
    return profile_from_columns(tables, format=FORMAT.id, path=path)


def logged_content(data: bytes) -> bytes:
    """The RunMetadata itself, or the one in the string tensor of a summary's value."""
    if sniff(data[:SNIFF_BYTES], ""):
        return data
    value, tensor = WIRE["Value"], WIRE["TensorProto"]
    try:
        for field in fields(data):
            if field.id == value["tensor"] and field.is_bytes:
                return next((part.data for part in fields(field.data) if part.id == tensor["string_val"] and part.is_bytes), data)
    except BadMessage:
        pass  # reading it says what is wrong
    return data


def has_nodes(content: bytes) -> bool:
    """Whether any device ran anything. TensorFlow 2 logs graphs alone under the same kind, and torch a device that ran nothing."""
    return any(
        node.id == WIRE["DeviceStepStats"]["node_stats"] and node.is_bytes
        for stats in fields(content)
        if stats.id == WIRE["RunMetadata"]["step_stats"] and stats.is_bytes
        for device in fields(stats.data)
        if device.id == WIRE["StepStats"]["dev_stats"] and device.is_bytes
        for node in fields(device.data)
    )


FORMAT = ProfileFormat(
    "run_metadata",
    _TITLE,
    is_candidate,
    sniff,
    read,
    endings=(".pb",),
    logged=LoggedProfiles(Kind.RUN_METADATA, logged_content, has_nodes, read_bytes),
    kind_rows=lambda: native_rows("run_metadata", _TITLE, {"host": "types of operations", "device": "work of streams"}),
)
