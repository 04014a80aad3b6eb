"""TensorFlow 1's RunMetadata: what session.run with a full trace returns, saved as bare protobuf bytes."""

from __future__ import annotations

import os

from stepscope._native import NoRunMetadata, read_run_metadata
from stepscope.formats.file_content import read_content
from stepscope.formats.format import Limits, ProfileFormat
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile

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


FORMAT = ProfileFormat("run_metadata", "TensorFlow 1 run metadata", is_candidate, sniff, read)
