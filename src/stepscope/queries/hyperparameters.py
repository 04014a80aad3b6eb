"""The hyperparameters that a run's event files tell, as text: read from the files' first part, where they are logged."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from stepscope.model.protobuf_fields import BadMessage, fields

LOOKED_AT = 4 << 20
"""Bytes of each file that are looked through."""
MOST_FILES = 64
MOST_VALUES = 1_000
_LONGEST = 1_000
_FRAME = 12  # length and its checksum; the record is followed by 4 more bytes
_TAG = b"_hparams_/session_start_info"
_SUMMARY, _VALUE, _NAME, _METADATA, _PLUGIN_DATA, _CONTENT, _START, _HPARAMS = 5, 1, 1, 9, 1, 2, 3, 1
_KEY, _OF_KEY, _NUMBER, _STRING, _BOOL = 1, 2, 2, 3, 4


def hyperparameters(paths: Iterable[str]) -> dict[str, str]:
    """Of event files, the last one counts; empty where none is logged. Files that cannot be read are left out."""
    found: dict[str, str] = {}
    for path in list(paths)[-MOST_FILES:]:
        try:
            with open(path, "rb") as file:
                data = file.read(LOOKED_AT)
            if _TAG not in data:
                continue  # walking over records takes far longer than looking for the word
            for record in _records(data):
                if _TAG in record:
                    found.update(_session_start(record))
        except (OSError, BadMessage):
            continue
    return found


def _records(data: bytes) -> Iterator[bytes]:
    place = 0
    while place + _FRAME <= len(data):
        (length,) = struct.unpack_from("<Q", data, place)
        begin = place + _FRAME
        if length > len(data) - begin:
            return
        yield data[begin : begin + length]
        place = begin + length + 4


def _session_start(event: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for value in _inside([event], _SUMMARY, _VALUE):
        parts = {field.id: field.data for field in fields(value) if field.is_bytes}
        if _METADATA not in parts or parts.get(_NAME) != _TAG:
            continue
        for entry in _inside([parts[_METADATA]], _PLUGIN_DATA, _CONTENT, _START, _HPARAMS):
            pair = {field.id: field for field in fields(entry)}
            if _KEY in pair and _OF_KEY in pair and len(found) < MOST_VALUES:
                found[pair[_KEY].text[:_LONGEST]] = _plain(pair[_OF_KEY].data)
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
