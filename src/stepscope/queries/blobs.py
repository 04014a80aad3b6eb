"""Everything that is no scalar: which runs have it and at which steps, and one value's bytes, read from its log file when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from stepscope._native import WIRE
from stepscope.model import declared as d
from stepscope.model.errors import NotThere, TooMuch
from stepscope.model.identity import TagId
from stepscope.model.kinds import Kind
from stepscope.model.protobuf_fields import BadMessage, Field, fields, places
from stepscope.model.shared_columns import TagName
from stepscope.queries.names import natural_key
from stepscope.queries.tags import TagReader
from stepscope.queries.view import View, Views
from stepscope.sources.files import read_range, stat
from stepscope.store.kept import Kept
from stepscope.store.library import FileRecord

MAX_LISTED = 200_000
"""Series listed at most, those of the first tags."""
MOST_STRINGS = 4_000
"""Strings of one value that are counted: more images or sounds of one step can be read, but are not offered."""
MAX_VALUE_BYTES = 64 << 20
"""The largest value that is read for a page."""

_KEPT_BYTES = 32 << 20
_WINDOW = 4 << 10
_CHANGED = "The log file was replaced or truncated after it was read; reload the log folder."


class LoggedTagRow(Struct, frozen=True):
    """A tag and the runs that have it."""

    name: TagName
    runs: Annotated[list[int], d.number("The runs that have it, as places in the list of all runs.", "index")]
    values: Annotated[list[int], d.count("Number of values logged in each of these runs.")]


@dataclass(frozen=True, slots=True)
class BlobSeries:
    """Every step of one run and tag; of several values at one step the one that was logged last."""

    tag: bytes
    step: NDArray[np.int64]
    wall: NDArray[np.float64]
    file: NDArray[np.int32]
    offset: NDArray[np.uint64]
    length: NDArray[np.uint64]
    files: tuple[FileRecord, ...]

    def __len__(self) -> int:
        return len(self.step)

    def find(self, step: float, wall: float | None) -> int:
        """The place of the value at that step, logged at that time when one is given. Raises NotThere."""
        steps = self.step.astype(np.float64)
        for place in range(int(np.searchsorted(steps, step, side="right")) - 1, -1, -1):
            if steps[place] != step:
                break
            if wall is None or self.wall[place] == wall:
                return place
        raise NotThere("This step no longer has a value; fetch the steps again.", "unknown_step")


@dataclass(frozen=True, slots=True)
class Payload:
    """What a value carries: its own message, or a tensor's strings and shape."""

    message: Field | None
    strings: tuple[bytes, ...]
    shape: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """What a value has inside, without its content: a message of its own, or how many strings and which shape."""

    length: int
    has_message: bool
    strings: int
    """At most MOST_STRINGS."""
    shape: tuple[int, ...]


class BlobReader:
    """Lists series of one kind and reads their values; keeps steps, never values."""

    def __init__(self, views: Views, tags: TagReader) -> None:
        self._views = views
        self._tags = tags
        self._series: Kept[BlobSeries] = Kept(_KEPT_BYTES)

    def list_tags(self, view: View, kind: Kind) -> tuple[list[LoggedTagRow], int]:
        """The tags of that kind with the runs that have them, and how many series there are in all."""
        pairs = self._tags.pairs(view)
        wanted = pairs.kinds == kind
        if not wanted.any():
            return [], 0
        rows, values = pairs.rows[wanted].astype(np.int64), pairs.counts()[wanted]
        runs = len(view.runs)
        keys, place = np.unique(pairs.tags[wanted].astype(np.int64) * runs + rows, return_inverse=True)
        sums = np.bincount(place, values, len(keys)).astype(np.int64)
        tag_of, run_of = keys // runs, keys % runs
        found: list[LoggedTagRow] = []
        for tag in np.unique(tag_of).tolist():
            first, last = np.searchsorted(tag_of, [tag, tag + 1])
            found.append(LoggedTagRow(self._views.tag_name(tag), run_of[first:last].tolist(), sums[first:last].tolist()))
        found.sort(key=lambda one: natural_key(one.name))
        return list(_first(found)), len(keys)

    def open(self, view: View, run_id: str, tag_name: str, kind: Kind) -> BlobSeries:
        """The steps of one series. Raises NotThere."""
        tag = self._views.tag_id(tag_name)
        parts = list(_parts(view, run_id, tag, kind))
        if not parts:
            raise NotThere("This run does not have the tag; fetch the tags again.", "unknown_tag")
        key = (run_id, tag, kind, tuple((id(file.events), index, file.events.records) for file, index, _ in parts))

        def make() -> tuple[BlobSeries, int]:
            series = _joined([(file, index) for file, index, _ in parts], self._views.library.names.name(parts[0][2]))
            return series, 500 + 36 * len(series)

        return self._series.get(key, make)

    def read(self, series: BlobSeries, place: int) -> Payload:
        """What one value carries. Raises as `read_value` does."""
        return _payload(self.read_value(series, place), series.tag)

    def outline(self, series: BlobSeries, place: int) -> Outline:
        """What one value has inside, by a few small reads, whatever its size. Checks no checksum. Raises as `read_value` does."""
        file, length = _shown(series, place)
        check_file(file)
        try:
            return _outline(_windowed(file.path, int(series.offset[place])), length, series.tag)
        except (OSError, BadMessage) as problem:
            raise NotThere(_CHANGED, "unreadable_value") from problem

    def read_value(self, series: BlobSeries, place: int) -> bytes:
        """One value from its log file. Raises NotThere when the file does not hold it any more, TooMuch when it is too large."""
        file, length = _shown(series, place)
        check_file(file)
        try:
            data = file.events.read_blob(int(series.offset[place]), length)
        except (OSError, RuntimeError) as problem:
            said = str(problem) if isinstance(problem, RuntimeError) and "checksum" in str(problem) else _CHANGED
            raise NotThere(said, "unreadable_value") from problem
        check_file(file)
        return data


def _shown(series: BlobSeries, place: int) -> tuple[FileRecord, int]:
    """The file and length of a value that is small enough to be shown. Raises TooMuch."""
    length = int(series.length[place])
    if length > MAX_VALUE_BYTES:
        raise TooMuch(f"This value has {length >> 20} MiB; values up to {MAX_VALUE_BYTES >> 20} MiB can be shown.", "value_too_large")
    return series.files[int(series.file[place])], length


def _first(tags: list[LoggedTagRow]) -> Iterator[LoggedTagRow]:
    """As many tags as their series may be listed."""
    left = MAX_LISTED
    for tag in tags:
        left -= len(tag.runs)
        if left < 0:
            return
        yield tag


def _parts(view: View, run_id: str, tag: TagId, kind: Kind) -> Iterator[tuple[FileRecord, int, TagId]]:
    """The files that have the series, its place in them and the tag's id there, oldest first."""
    if tag < 0:
        return
    run = view.run(run_id)
    records = [(run.record, tag), *((inside.record, inside.tags[tag]) for inside in run.inside if tag in inside.tags)]
    for record, disk in records:
        for file in record.files:
            index = file.events.find(disk, kind)
            if index >= 0:
                yield file, index, disk


def _joined(parts: list[tuple[FileRecord, int]], tag: bytes) -> BlobSeries:
    columns = [file.events.blobs(index) for file, index in parts]
    step, wall = np.concatenate([part[0] for part in columns]), np.concatenate([part[1] for part in columns])
    offset, length = np.concatenate([part[2] for part in columns]), np.concatenate([part[3] for part in columns])
    file = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part[0]) for part in columns])
    order = np.argsort(step, kind="stable")
    kept = order[np.append(step[order][1:] != step[order][:-1], True)] if len(order) else order
    return BlobSeries(tag, step[kept], wall[kept], file[kept], offset[kept], length[kept], tuple(file for file, _ in parts))


def check_file(file: FileRecord) -> None:
    """Raises NotThere when another file has taken the place of the one that was scanned."""
    try:
        now = stat(file.path)
    except OSError as problem:
        raise NotThere("The log file no longer exists; reload the log folder.", "unreadable_value") from problem
    if (file.inode and now.inode != file.inode) or now.size < file.events.offset:
        raise NotThere(_CHANGED, "unreadable_value")


def _payload(data: bytes, tag: bytes) -> Payload:
    value, tensor = WIRE["Value"], WIRE["TensorProto"]
    message: Field | None = None
    strings: list[bytes] = []
    shape: tuple[int, ...] = ()
    names: list[bytes] = []
    try:
        for field in fields(data):
            if field.id in (value["tag"], value["node_name"]):
                names.append(field.data)
            elif field.id == value["tensor"]:
                for part in fields(field.data):
                    if part.id == tensor["string_val"] and part.is_bytes:
                        strings.append(part.data)
                    elif part.id == tensor["tensor_shape"]:
                        shape = _shape(part.data)
            elif field.id in (value["image"], value["audio"], value["histo"]):
                message = field
    except BadMessage as problem:
        raise NotThere(_CHANGED, "unreadable_value") from problem
    # Bytes that were overwritten in place may still look like a value, but of this tag only by the writer's doing.
    if tag not in names:
        raise NotThere(_CHANGED, "unreadable_value")
    return Payload(message, tuple(strings), shape)


def _windowed(path: str, start: int) -> Callable[[int, int], bytes]:
    """Reads from a place in the file, some kilobytes at once."""
    kept = (0, b"")

    def read(place: int, size: int) -> bytes:
        nonlocal kept
        if not kept[0] <= place <= place + size <= kept[0] + len(kept[1]):
            kept = (place, read_range(path, start + place, max(size, _WINDOW)))
        return kept[1][place - kept[0] : place - kept[0] + size]

    return read


def _outline(read: Callable[[int, int], bytes], length: int, tag: bytes) -> Outline:
    value, tensor = WIRE["Value"], WIRE["TensorProto"]
    has_message, strings, shape, is_named = False, 0, (), False
    for field in places(read, 0, length):
        if field.id in (value["tag"], value["node_name"]) and field.size == len(tag):
            is_named |= read(field.start, field.size) == tag
        elif field.id == value["tensor"]:
            for part in places(read, field.start, field.start + field.size):
                if part.id == tensor["string_val"] and part.is_bytes:
                    strings += 1
                    if strings == MOST_STRINGS:
                        break
                elif part.id == tensor["tensor_shape"] and part.size <= _WINDOW:
                    shape = _shape(read(part.start, part.size))
        elif field.id in (value["image"], value["audio"], value["histo"]):
            has_message = True
    if not is_named:
        raise BadMessage("the value is of another tag")
    return Outline(length, has_message, strings, shape)


def _shape(message: bytes) -> tuple[int, ...]:
    """The sizes of a tensor's dimensions; an unknown one is -1."""
    known, dimension = WIRE["TensorShape"]["dim"], WIRE["Dim"]["size"]
    sizes = [[part.signed for part in fields(each.data) if part.id == dimension] for each in fields(message) if each.id == known]
    return tuple(size[-1] if size else 0 for size in sizes)
