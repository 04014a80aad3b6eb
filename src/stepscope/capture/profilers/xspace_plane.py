"""Planes that are added to an XSpace, of counters and of spans: messages of protobuf that are written one behind the other are one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO, NamedTuple

from stepscope._native import WIRE
from stepscope.model.protobuf_fields import BadMessage, Field, fields
from stepscope.writer.message import Message

_PLANE = "/host:system"
_LINE = "_counters_"
"""As XProf names the line of a device's counters."""
_ENVIRONMENT = b"Task Environment"
_START = b"profile_start_time"
_LARGEST_ENVIRONMENT = 1 << 20
_VALUE_ID, _OPERATION_ID, _BYTES_ID = 1, 2, 3


def counter_plane(samples: Iterable[tuple[int, str, float]], start_ns: int) -> bytes:
    """The plane, to be written behind an XSpace that counts from `start_ns`; samples before that are left out."""
    names: dict[str, int] = {}
    line = Message("XLine").integer("id", 1).text("name", _LINE)
    for at, name, value in samples:
        if at < start_ns:
            continue
        stat = Message("XStat").integer("metadata_id", _VALUE_ID).double("double_value", value, always=True)
        event = Message("XEvent").integer("metadata_id", names.setdefault(name, len(names) + 1))
        line.message("events", event.integer("offset_ps", (at - start_ns) * 1000).message("stats", stat))
    plane = Message("XPlane").text("name", _PLANE).message("lines", line)
    for name, number in names.items():
        plane.message("event_metadata", _entry(number, Message("XEventMetadata").text("name", name)))
    plane.message("stat_metadata", _entry(_VALUE_ID, Message("XStatMetadata").text("name", "counter_value")))
    return Message("XSpace").message("planes", plane).encoded()


class XSpaceSpan(NamedTuple):
    """One span, in nanoseconds since the start of the XSpace; an operation has its full name and what it reads and writes."""

    name: str
    start: int
    end: int
    operation: str = ""
    bytes: int = 0


def span_plane(name: str, lines: Iterable[tuple[int, str, Iterable[XSpaceSpan]]]) -> bytes:
    """The plane, to be written behind an XSpace, of lines with number, name and spans; what began before its start is cut there."""
    names: dict[str, int] = {}
    plane = Message("XPlane").text("name", name)
    for number, line_name, spans in lines:
        line = Message("XLine").integer("id", number).text("name", line_name)
        for span in spans:
            start = max(span.start, 0)
            if span.end < start:
                continue
            event = Message("XEvent").integer("metadata_id", names.setdefault(span.name, len(names) + 1))
            event.integer("offset_ps", start * 1000).integer("duration_ps", (span.end - start) * 1000)
            if span.operation:
                event.message("stats", Message("XStat").integer("metadata_id", _OPERATION_ID).text("str_value", span.operation))
            if span.bytes:
                event.message("stats", Message("XStat").integer("metadata_id", _BYTES_ID).integer("uint64_value", span.bytes))
            line.message("events", event)
        plane.message("lines", line)
    for text, number in names.items():
        plane.message("event_metadata", _entry(number, Message("XEventMetadata").text("name", text)))
    for number, text in ((_OPERATION_ID, "tf_op"), (_BYTES_ID, "bytes_accessed")):
        plane.message("stat_metadata", _entry(number, Message("XStatMetadata").text("name", text)))
    return Message("XSpace").message("planes", plane).encoded()


def start_of(space: BinaryIO) -> int:
    """The moment from which the XSpace counts its times, in nanoseconds since 1970; 0 where no plane of the environment tells it."""
    space.seek(0)
    try:
        for data in _small_planes(space):
            found = list(fields(data))
            if any(each.id == WIRE["XPlane"]["name"] and each.data == _ENVIRONMENT for each in found):
                return _start_in(found)
    except BadMessage:
        return 0
    return 0


def _start_in(plane: list[Field]) -> int:
    wire, of_stat = WIRE["XPlane"], WIRE["XStat"]
    wanted = {number for each in plane if each.id == wire["stat_metadata"] for number, name in [_named(each.data)] if name == _START}
    for each in plane:
        if each.id == wire["stats"]:
            stat = {part.id: part for part in fields(each.data)}
            if stat.get(of_stat["metadata_id"], Field(0)).number in wanted:
                return next((stat[of_stat[form]].number for form in ("uint64_value", "int64_value") if of_stat[form] in stat), 0)
    return 0


def _named(entry: bytes) -> tuple[int, bytes]:
    parts = {part.id: part for part in fields(entry)}
    inside = fields(parts.get(WIRE["XMetadataEntry"]["value"], Field(0)).data)
    name = next((part.data for part in inside if part.id == WIRE["XStatMetadata"]["name"]), b"")
    return parts.get(WIRE["XMetadataEntry"]["key"], Field(0)).number, name


def _small_planes(space: BinaryIO) -> Iterable[bytes]:
    """Planes that can be the one of the environment; larger ones are passed over without being read."""
    while head := space.read(1):
        key = _varint(space, head)
        if key & 7 != 2:  # Fields of an XSpace are bytes.
            raise BadMessage("this is no XSpace")
        size = _varint(space, space.read(1))
        if key >> 3 == WIRE["XSpace"]["planes"] and size <= _LARGEST_ENVIRONMENT:
            yield space.read(size)
        else:
            space.seek(size, 1)


def _varint(file: BinaryIO, first: bytes) -> int:
    value = shift = 0
    while first:
        value |= (first[0] & 0x7F) << shift
        if first[0] < 0x80:
            return value
        shift += 7
        if shift > 63:
            break
        first = file.read(1)
    raise BadMessage("a number is cut short")


def _entry(number: int, value: Message) -> Message:
    return Message("XMetadataEntry").integer("key", number).message("value", value)
