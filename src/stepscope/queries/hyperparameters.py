"""The hyperparameters that a run has logged in its event files, as text: in the first part of a file, where they are written."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

import numpy as np

from stepscope._native import EventFile, NamePool
from stepscope.model.kinds import Kind
from stepscope.model.protobuf_fields import BadMessage, fields
from stepscope.sources.files import has_settled, origin_of, read_range, stat

LOOKED_AT = 4 << 20
"""Bytes of each file that are looked through."""
MOST_FILES = 64
MOST_VALUES = 1_000
_LONGEST = 1_000
_MOST_LOGGED = 100
"""Times that one file may log them; the last ones count."""
_TAG = b"_hparams_/session_start_info"
_METADATA, _PLUGIN_DATA, _CONTENT, _START, _HPARAMS = 9, 1, 2, 3, 1
_KEY, _OF_KEY, _NUMBER, _STRING, _BOOL = 1, 2, 2, 3, 4


def hyperparameters(paths: Iterable[str]) -> dict[str, str]:
    """Of event files, the last one counts; empty where none is logged. Files and records that cannot be read are left out."""
    found: dict[str, str] = {}
    for path in list(paths)[-MOST_FILES:]:
        try:
            if _TAG not in read_range(path, 0, LOOKED_AT):
                continue  # scanning takes far longer than looking for the word
            names = NamePool()
            events = EventFile(origin_of(path), names)
            events.scan(LOOKED_AT, has_settled(stat(path).modified))
        except OSError:
            continue
        found.update(logged_in(events, names.find(_TAG)))
    return found


def logged_in(events: EventFile, tag: int) -> dict[str, str]:
    """What a file that is read has logged under the tag of session starts, given by its id."""
    found: dict[str, str] = {}
    for value in _logged(events, tag):
        found.update(_session_start(value))
    return found


def _logged(events: EventFile, tag: int) -> Iterator[bytes]:
    """The values of a tag whose records have the right checksums."""
    if tag < 0:
        return
    for index in np.flatnonzero((events.tag_ids() == tag) & (events.kinds() != Kind.SCALAR)).tolist():
        _, _, offsets, lengths = events.blobs(index)
        for offset, length in list(zip(offsets.tolist(), lengths.tolist(), strict=True))[-_MOST_LOGGED:]:
            try:
                yield events.read_blob(offset, length)
            except (OSError, RuntimeError):
                continue


def _session_start(value: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    try:
        for entry in _inside([value], _METADATA, _PLUGIN_DATA, _CONTENT, _START, _HPARAMS):
            pair = {field.id: field for field in fields(entry)}
            if _KEY in pair and _OF_KEY in pair and len(found) < MOST_VALUES:
                found[pair[_KEY].text[:_LONGEST]] = _plain(pair[_OF_KEY].data)
    except BadMessage:
        return {}
    return found


def _inside(messages: list[bytes], *path: int) -> list[bytes]:
    """All messages at a path of field numbers."""
    for number in path:
        messages = [field.data for message in messages for field in fields(message) if field.id == number and field.is_bytes]
    return messages


def _plain(value: bytes) -> str:
    for field in fields(value):
        if field.id == _STRING and field.is_bytes:
            return field.text[:_LONGEST]
        if field.id == _BOOL:
            return str(bool(field.number))
        if field.id == _NUMBER:
            (number,) = struct.unpack("<d", struct.pack("<Q", field.number))
            return f"{number:.12g}"
    return ""
