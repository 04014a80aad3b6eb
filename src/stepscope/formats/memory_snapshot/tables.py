"""Turns the plain data of a snapshot into columns; what is missing or of the wrong type is left out, not trusted."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from typing import cast

import numpy as np

from stepscope.formats.far_times import near_bounds
from stepscope.formats.integer_columns import integer_columns
from stepscope.model.memory_snapshot import AllocatorAction, AllocatorEvents, Blocks, BlockState, MemorySnapshot, Segments
from stepscope.model.profile import NONE

_STATES = {
    "active_allocated": BlockState.ALLOCATED,
    "active_awaiting_free": BlockState.AWAITING_FREE,
    "active_pending_free": BlockState.AWAITING_FREE,
    "inactive": BlockState.FREE,
}
_ACTIONS = {
    "alloc": AllocatorAction.ALLOCATE,
    "free_requested": AllocatorAction.FREE_REQUESTED,
    "free_completed": AllocatorAction.FREE_COMPLETED,
    "free": AllocatorAction.FREE_COMPLETED,
    "segment_alloc": AllocatorAction.SEGMENT_ALLOCATE,
    "segment_free": AllocatorAction.SEGMENT_FREE,
    "segment_map": AllocatorAction.SEGMENT_MAP,
    "segment_unmap": AllocatorAction.SEGMENT_UNMAP,
    "oom": AllocatorAction.OUT_OF_MEMORY,
    "snapshot": AllocatorAction.SNAPSHOT,
}
_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxdict, _SHORT.maxlist, _SHORT.maxtuple = 2, 100, 100, 100
_MOST_FRAMES = 256
_LONGEST_FRAME = 512
_INT64 = 1 << 63
_MOST_BYTES = 1 << 50
"""No machine has more: a larger number is damage, and sums of these stay whole."""
_MOST_DEVICES = 1024


class NotASnapshot(ValueError):
    """The data has not the shape of a snapshot; the text says why."""


class _Stacks:
    """Stacks, each kept once. Stacks and frames are known again by the identity of their objects, which pickles share."""

    def __init__(self, most: int) -> None:
        self.all: list[tuple[str, ...]] = []
        self._most = most
        self._by_text: dict[tuple[str, ...], int] = {}
        self._by_list: dict[int, int] = {}
        self._frames: dict[int, str] = {}

    def number(self, frames: object) -> int:
        """The stack's place in `all`, NONE when there is no stack."""
        found = _list(frames)
        if not found:
            return NONE
        known = self._by_list.get(id(found))
        if known is not None:
            return known
        text = tuple(self._frame(frame) for frame in found[:_MOST_FRAMES])
        place = self._by_text.get(text, NONE)
        if place == NONE and len(self.all) < self._most:
            place = self._by_text[text] = len(self.all)
            self.all.append(text)
        self._by_list[id(found)] = place
        return place

    def _frame(self, frame: object) -> str:
        known = self._frames.get(id(frame))
        if known is None:
            known = self._frames[id(frame)] = _frame(frame)
        return known


def snapshot_tables(data: object, most_rows: int, most_stacks: int) -> tuple[MemorySnapshot, int]:
    """The tables of what torch.cuda.memory._snapshot() returns, and how many events have times far from the others' and are left out.

    Older files are the bare list of segments. Raises NotASnapshot.
    """
    tables: dict[str, object] = {"segments": cast("object", data)} if isinstance(data, list) else _dictionary(data)
    if "segments" not in tables and "device_traces" not in tables:
        raise NotASnapshot("it has neither segments nor device_traces")
    stacks = _Stacks(most_stacks)
    segments, blocks = _segments(list(_dictionaries(tables.get("segments"))), stacks, most_rows)
    categories: dict[str, int] = {}
    events, has_times, far = _events(tables.get("device_traces"), stacks, categories, most_rows)
    settings = {_text(key)[:200]: _text(value)[:2000] for key, value in _dictionary(tables.get("allocator_settings")).items()}
    return MemorySnapshot(segments, blocks, events, stacks.all, list(categories), settings, has_times), far


def _segments(found: list[dict[str, object]], stacks: _Stacks, most_rows: int) -> tuple[Segments, Blocks]:
    rows: list[tuple[int, ...]] = []
    blocks: list[tuple[int, ...]] = []
    for segment in found[:most_rows]:
        device, address = _integer(segment.get("device"), 0), _integer(segment.get("address"))
        if not 0 <= device < _MOST_DEVICES:
            continue
        large = {"large": 1, "small": 0}.get(_text(segment.get("segment_type")), NONE)
        expandable = segment.get("is_expandable")
        inside = list(_blocks(segment, len(rows), address, stacks))
        blocks += inside
        if len(blocks) > most_rows:
            raise NotASnapshot(f"it has more than {most_rows:,} blocks")
        used = sum(block[2] for block in inside if block[5] == BlockState.ALLOCATED)
        active = sum(block[2] for block in inside if block[5] != BlockState.FREE)
        rows.append((
            device,
            address,
            _size(segment.get("total_size")),
            _integer(segment.get("stream"), 0),
            large,
            int(expandable) if isinstance(expandable, bool) else NONE,
            _size(segment.get("allocated_size"), used),
            _size(segment.get("active_size"), active),
        ))  # fmt: skip
    return (
        Segments(*integer_columns(rows, (np.int32, np.int64, np.int64, np.int64, np.int8, np.int8, np.int64, np.int64))),
        Blocks(*integer_columns(blocks, (np.int32, np.int64, np.int64, np.int64, np.int64, np.int8, np.int32))),
    )


def _blocks(segment: dict[str, object], number: int, address: int, stacks: _Stacks) -> Iterator[tuple[int, ...]]:
    place = address
    for block in _dictionaries(segment.get("blocks")):
        size = _size(block.get("size"))
        place = _integer(block.get("address"), place)
        state = _STATES.get(_text(block.get("state")), BlockState.FREE)
        yield number, place, size, 1, _integer(block.get("requested_size")), state, stacks.number(block.get("frames"))
        place = min(place + size, _INT64 - 1)


def _events(traces: object, stacks: _Stacks, categories: dict[str, int], most_rows: int) -> tuple[AllocatorEvents, bool, int]:
    rows: list[tuple[int, ...]] = []
    timed = 0
    for device, trace in enumerate(_list(traces)[:_MOST_DEVICES]):
        for event in _dictionaries(trace):
            if len(rows) >= most_rows:
                raise NotASnapshot(f"it has more than {most_rows:,} events")
            time = _integer(event.get("time_us"))
            timed += time >= 0
            category = event.get("category")
            rows.append((
                device,
                min(time, _INT64 // 1000 - 1) * 1000 if time >= 0 else NONE,
                _ACTIONS.get(_text(event.get("action")), AllocatorAction.OTHER),
                _integer(event.get("addr")),
                _size(event.get("size")),
                _integer(event.get("stream"), 0),
                stacks.number(event.get("frames")),
                _integer(event.get("device_free")),
                categories.setdefault(category[:200], len(categories)) if isinstance(category, str) else NONE,
            ))  # fmt: skip
    has_times = timed == len(rows) and timed > 0
    columns = integer_columns(rows, (np.int32, np.int64, np.int8, np.int64, np.int64, np.int64, np.int32, np.int64, np.int32))
    if not has_times:
        columns[1] = np.arange(len(rows), dtype=np.int64)
        return AllocatorEvents(*columns), False, 0
    low, high = near_bounds(columns[1])
    order = np.argsort(columns[1], kind="stable")
    order = order[(columns[1][order] >= low) & (columns[1][order] <= high)]
    return AllocatorEvents(*(column[order] for column in columns)), True, len(rows) - len(order)


def _frame(frame: object) -> str:
    if not isinstance(frame, dict):
        return _text(frame)[:_LONGEST_FRAME]
    fields = cast("dict[str, object]", frame)
    name, file, line = _text(fields.get("name", "")), _text(fields.get("filename", "")), _integer(fields.get("line"), 0)
    place = "" if file in {"", "none", "??"} else f"{file}:{line} "
    return f"{place}{name}"[:_LONGEST_FRAME]


def _text(value: object) -> str:
    """Text as it is, and a short form of anything else: lists that hold each other many times would never end."""
    return value if isinstance(value, str) else _SHORT.repr(value)


def _integer(value: object, otherwise: int = NONE) -> int:
    """The number, if it is one that fits; addresses above 2^63 keep their bits."""
    if not isinstance(value, int) or isinstance(value, bool) or not -_INT64 <= value < 2 * _INT64:
        return otherwise
    return value - 2 * _INT64 if value >= _INT64 else value


def _size(value: object, otherwise: int = 0) -> int:
    """A number of bytes that a machine may have."""
    return min(max(0, _integer(value, otherwise)), _MOST_BYTES)


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _dictionary(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _dictionaries(value: object) -> Iterator[dict[str, object]]:
    return (cast("dict[str, object]", one) for one in _list(value) if isinstance(one, dict))
