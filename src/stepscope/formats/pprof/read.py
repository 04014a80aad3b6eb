"""Reads memory profiles into tables of what is held, field by field."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sized
from dataclasses import dataclass, field, replace

import numpy as np

from stepscope._native import ProfileBuilder
from stepscope.formats.far_times import known_base
from stepscope.formats.file_content import read_content
from stepscope.formats.format import Limits
from stepscope.formats.integer_columns import integer_columns
from stepscope.formats.pprof import FORMAT
from stepscope.formats.profile_columns import check_devices, profile_from_columns
from stepscope.model.errors import BadInput
from stepscope.model.memory_snapshot import AllocatorEvents, Blocks, BlockState, MemorySnapshot, Segments
from stepscope.model.profile import NONE, Device, Note, Profile
from stepscope.model.protobuf_fields import BadMessage, Field, fields, numbers

_MOST_BYTES = 1 << 30
"""A memory profile of a large job has megabytes; Python reads it field by field."""

_MOST_SIZE = 1 << 50
"""Bytes: no machine has more, and sums of these stay whole."""

SAMPLE_TYPE, SAMPLE, LOCATION, FUNCTION, STRINGS, TIME_NANOS = 1, 2, 4, 5, 6, 9


@dataclass(slots=True)
class _Message:
    """What a pprof message holds, still as numbers of each other."""

    types: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    samples: list[_Sample] = field(default_factory=list["_Sample"])
    lines: dict[int, list[tuple[int, int]]] = field(default_factory=dict[int, list[tuple[int, int]]])
    functions: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    strings: list[str] = field(default_factory=list[str])
    time: int = 0
    cut_short: bool = False
    too_many: bool = False

    def fits(self, table: Sized, most: int) -> bool:
        """Whether the table has room for one more; when not, that is remembered."""
        room = len(table) < most
        self.too_many = self.too_many or not room
        return room

    def text(self, number: int) -> str:
        """One of the strings; hostile numbers give nothing."""
        return self.strings[number] if 0 <= number < len(self.strings) else ""


@dataclass(slots=True)
class _Sample:
    locations: list[int] = field(default_factory=list[int])
    values: list[int] = field(default_factory=list[int])
    labels: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])


def read(path: str, limits: Limits) -> Profile:
    """Reads a whole file. Raises BadInput with one sentence when nothing of it can be read."""
    name = os.path.basename(path)
    message = _scan(read_content(path, replace(limits, bytes=min(limits.bytes, _MOST_BYTES))), limits)
    places = [place for place, (_, unit) in enumerate(message.types) if message.text(unit) == "bytes"]
    if not places or not message.samples:
        raise BadInput(f"{name} contains no memory sizes; only memory profiles of this format can be shown.", "no_memory_profile")
    return _as_profile(message, places[0], path)


def _scan(data: bytes, limits: Limits) -> _Message:
    found = _Message()
    try:
        for one in fields(data):
            if one.id == SAMPLE_TYPE:
                kind = {inner.id: inner.number for inner in fields(one.data)}
                found.types.append((kind.get(1, 0), kind.get(2, 0)))
            elif one.id == SAMPLE and found.fits(found.samples, limits.spans):
                found.samples.append(_sample(one))
            elif one.id == LOCATION and found.fits(found.lines, limits.names):
                _location(one, found)
            elif one.id == FUNCTION and found.fits(found.functions, limits.names):
                made = {inner.id: inner.number for inner in fields(one.data)}
                found.functions[made.get(1, 0)] = (made.get(2, 0), made.get(4, 0))
            elif one.id == STRINGS and found.fits(found.strings, limits.names):
                found.strings.append(one.text)
            elif one.id == TIME_NANOS:
                found.time = known_base(one.signed)
    except BadMessage:
        found.cut_short = True
    return found


def _sample(message: Field) -> _Sample:
    found = _Sample()
    for one in fields(message.data):
        if one.id == 1:
            found.locations += numbers(one)
        elif one.id == 2:
            found.values += numbers(one)
        elif one.id == 3:
            label = {inner.id: inner.number for inner in fields(one.data)}
            found.labels.append((label.get(1, 0), label.get(2, 0)))
    return found


def _location(message: Field, found: _Message) -> None:
    number, lines = 0, list[tuple[int, int]]()
    for one in fields(message.data):
        if one.id == 1:
            number = one.number
        elif one.id == 4:
            line = {inner.id: inner.number for inner in fields(one.data)}
            lines.append((line.get(1, 0), line.get(2, 0)))
    found.lines[number] = lines


def _stack(message: _Message, sample: _Sample) -> Iterator[str]:
    for location in sample.locations[:256]:
        for function, line in message.lines.get(location, []):
            name, file = message.functions.get(function, (0, 0))
            place = f"{message.text(file)}:{line} " if message.text(file) else ""
            yield f"{place}{message.text(name)}"[:512]


def _as_profile(message: _Message, bytes_at: int, path: str) -> Profile:
    count_at = next((place for place, (_, unit) in enumerate(message.types) if message.text(unit) == "count"), None)
    stacks: dict[tuple[str, ...], int] = {}
    devices: dict[str, int] = {}
    rows: list[tuple[int, ...]] = []
    for sample in message.samples:
        size = sample.values[bytes_at] if bytes_at < len(sample.values) else 0
        if size <= 0:
            continue
        count = sample.values[count_at] if count_at is not None and count_at < len(sample.values) else 1
        labels = {message.text(key): message.text(value) for key, value in sample.labels}
        device = devices.setdefault(labels.get("device", ""), len(devices))
        stack = stacks.setdefault(tuple(_stack(message, sample)), len(stacks))
        rows.append((device, NONE, min(size, _MOST_SIZE), min(max(count, 0), _MOST_SIZE), NONE, BlockState.ALLOCATED, stack))
    check_devices(len(devices), path)
    blocks = Blocks(*integer_columns(rows, (np.int32, np.int64, np.int64, np.int64, np.int64, np.int8, np.int32)))
    snapshot = MemorySnapshot(_segments(blocks, len(devices)), blocks, _no_events(), list(stacks), [], {}, has_times=False)
    profile = profile_from_columns(ProfileBuilder().finish(), format=FORMAT.id, path=path)
    notes = [Note("info", "no_steps", "A memory profile shows one moment and has no times of operations.")]
    if message.too_many:
        notes.append(
            Note("warning", "dropped_events", "The file has more samples or names than the limit allows; the rest is skipped.")
        )
    if message.cut_short:
        notes.append(Note("warning", "truncated", "The file is corrupt or truncated; only the readable content is shown."))
    return replace(
        profile,
        base_ns=message.time,
        devices=[Device(name, "", ordinal) for name, ordinal in devices.items()],
        memory_snapshot=snapshot,
        notes=profile.notes + notes,
    )


def _segments(blocks: Blocks, devices: int) -> Segments:
    """One segment a device, as large as what is held in it: pprof knows no allocator."""
    totals = np.bincount(blocks.segment, weights=blocks.bytes, minlength=devices).astype(np.int64)
    none = np.full(devices, NONE, np.int64)
    unknown = none.astype(np.int8)
    return Segments(np.arange(devices, dtype=np.int32), none, totals, np.zeros(devices, np.int64), unknown, unknown, totals, totals)


def _no_events() -> AllocatorEvents:
    kinds = (np.int32, np.int64, np.int8, np.int64, np.int64, np.int64, np.int32, np.int64, np.int32)
    return AllocatorEvents(*integer_columns([], kinds))
