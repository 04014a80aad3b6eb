"""Reads run metadata into profiles, from a file or from what an event file logged."""

from __future__ import annotations

import os

from stepscope._native import WIRE, NoRunMetadata, read_run_metadata
from stepscope.formats.file_content import read_content
from stepscope.formats.format import SNIFF_BYTES, Limits
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.formats.run_metadata import FORMAT, sniff
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile
from stepscope.model.protobuf_fields import BadMessage, fields


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
