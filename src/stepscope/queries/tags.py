"""The list of tags, each with a bitmap of the runs that have it; nothing is made per (run, tag) pair but one bit."""

from __future__ import annotations

import base64
import threading
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from stepscope._native import EventFile
from stepscope.model import declared as d
from stepscope.model.identity import TagId
from stepscope.model.kinds import Kind
from stepscope.model.shared_columns import Epoch, TagName
from stepscope.queries.names import NaturalKey, natural_key
from stepscope.queries.view import View, Views

MAX_TAGS = 50_000
"""Tags listed at most, those met first; a page that lists more would help nobody."""

_CELLS_AT_ONCE = 1 << 25
_TEXT_LIMIT = 10_000
_KINDS = 16


class TagRow(Struct, frozen=True):
    """One tag of one kind."""

    name: TagName
    kind: Annotated[str, d.text("What it holds, such as `scalar` or `image`; a name with several kinds has several rows.")]
    display_name: Annotated[str | None, d.text("Name to show, as logged; null when not logged.")]
    description: Annotated[str | None, d.text("Description, as logged; null when not logged.")]
    points: Annotated[int, d.count("Points or values of all its series.")]
    series: Annotated[int, d.count("Runs that have it.")]
    runs: Annotated[str, d.text("The runs that have it: a bitmap over the list of runs, least significant bit first, in base64.")]


class TagList(Struct, frozen=True):
    """All tags and the runs that have them."""

    epoch: Epoch
    runs: Annotated[list[str], d.nested("Ids of all runs.")]
    tags: Annotated[list[TagRow], d.nested("The tags by name; at most 50,000 are listed.")]
    total: Annotated[int, d.count("Number of tags, also of those that are not listed.")]


@dataclass(slots=True)
class _FileTags:
    """A file's tag ids and kinds as far as they were read; both only grow."""

    events: EventFile
    ids: NDArray[np.int32]
    kinds: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Every (run, tag) of a view, file by file, as parallel arrays."""

    rows: NDArray[np.int32]
    tags: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    starts: NDArray[np.int64]
    """Where each file begins in the arrays above."""
    files: list[EventFile]

    def counts(self) -> NDArray[np.int64]:
        """Points of each pair now."""
        lengths = np.diff(self.starts, append=len(self.tags)).tolist()
        parts = [events.counts()[:length] for events, length in zip(self.files, lengths, strict=True)]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)


class TagReader:
    """Lists tags. Keeps what it learned of each file, so that a growing folder costs only what is new."""

    def __init__(self, views: Views) -> None:
        self._views = views
        self._lock = threading.Lock()
        self._files: dict[int, _FileTags] = {}
        self._names: dict[int, tuple[NaturalKey, str]] = {}
        self._metadata: dict[int, tuple[str | None, str | None]] = {}
        self._kept: dict[bool, TagList] = {}

    def list_tags(self, folded: bool = True) -> TagList:
        """The tags of the newest snapshot."""
        view = self._views.view(folded)
        with self._lock:
            kept = self._kept.get(folded)
            if kept is None or kept.epoch != view.snapshot.epoch:
                kept = self._kept[folded] = self._make(view)
            return kept

    def pairs(self, view: View) -> Pairs:
        """Every (run, tag) of the view."""
        with self._lock:
            return self._pairs(view)

    def _pairs(self, view: View) -> Pairs:
        rows: list[NDArray[np.int32]] = []
        tags: list[NDArray[np.int32]] = []
        kinds: list[NDArray[np.uint8]] = []
        files: list[EventFile] = []
        seen: dict[int, _FileTags] = {}

        def add(row: int, events: EventFile, shown: dict[int, int] | None) -> None:
            known = seen[id(events)] = self._file_tags(events)
            ids = known.ids
            if shown is not None:
                ids = np.fromiter((shown.get(int(tag), int(tag)) for tag in ids), np.int32, len(ids))
            tags.append(ids)
            kinds.append(known.kinds)
            rows.append(np.full(len(ids), row, np.int32))
            files.append(events)

        for row, run in enumerate(view.runs):
            for file in run.record.files:
                add(row, file.events, None)
            for inside in run.inside:
                shown = {int(disk): int(tag) for tag, disk in inside.tags.items()}
                for file in inside.record.files:
                    add(row, file.events, shown)
        self._files = seen
        lengths = np.fromiter((len(ids) for ids in tags), np.int64, len(tags))
        return Pairs(
            rows=np.concatenate(rows) if rows else np.empty(0, np.int32),
            tags=np.concatenate(tags) if tags else np.empty(0, np.int32),
            kinds=np.concatenate(kinds) if kinds else np.empty(0, np.uint8),
            starts=np.cumsum(lengths) - lengths,
            files=files,
        )

    def _file_tags(self, events: EventFile) -> _FileTags:
        known = self._files.get(id(events))
        if known is None:
            ids = events.tag_ids()
            return _FileTags(events, ids, events.kinds()[: len(ids)])
        if events.series_count > len(known.ids):
            known.ids = np.concatenate([known.ids, events.tag_ids(len(known.ids))])
            known.kinds = np.concatenate([known.kinds, events.kinds(len(known.kinds))])[: len(known.ids)]
        return known

    def _make(self, view: View) -> TagList:
        pairs = self._pairs(view)
        # A tag may stand for several kinds; each pair of tag and kind is a row of its own.
        present, row_of = _rows(pairs, len(self._views.library.names))
        points = np.bincount(row_of, weights=pairs.counts(), minlength=len(present))
        first = np.zeros(len(present), np.int64)
        first[row_of[::-1]] = np.arange(len(row_of))[::-1]
        # Tags are numbered as they are met, so of too many the first ones are listed.
        order = sorted(range(min(len(present), MAX_TAGS)), key=lambda row: (self._name(int(present[row]) // _KINDS)[0], row))
        bitmaps, series = _bitmaps(row_of, pairs.rows, np.array(order, np.int64), len(present), len(view.runs))
        tags: list[TagRow] = []
        for place, row in enumerate(order):
            tag, kind = divmod(int(present[row]), _KINDS)
            display_name, description = self._texts_of(int(present[row]), int(first[row]), pairs)
            tags.append(
                TagRow(
                    name=self._name(tag)[1],
                    kind=Kind(kind).label,
                    display_name=display_name,
                    description=description,
                    points=int(points[row]),
                    series=int(series[place]),
                    runs=bitmaps[place],
                )
            )
        runs = [str(run.record.id) for run in view.runs]
        return TagList(view.snapshot.epoch, runs, tags, len(present))

    def _name(self, tag: int) -> tuple[NaturalKey, str]:
        """What a tag is sorted by, and its name."""
        known = self._names.get(tag)
        if known is None:
            name = self._views.tag_name(tag)
            known = self._names[tag] = (natural_key(name), name)
        return known

    def _texts_of(self, key: int, pair: int, pairs: Pairs) -> tuple[str | None, str | None]:
        """Display name and description of a tag and kind, from the first file that has it."""
        known = self._metadata.get(key)
        if known is None:
            file = int(np.searchsorted(pairs.starts, pair, side="right")) - 1
            metadata = pairs.files[file].metadata(pair - int(pairs.starts[file]))
            known = self._metadata[key] = (_text(metadata[1]), _text(metadata[2]))
        return known


def scalar_tags(view: View, run_id: str) -> list[TagId]:
    """The scalar tags one run shows, in order of first appearance."""
    run = view.run(run_id)
    found: dict[TagId, None] = {}
    for file in run.record.files:
        for tag, kind in zip(file.events.tag_ids().tolist(), file.events.kinds().tolist(), strict=False):
            if kind == Kind.SCALAR:
                found[TagId(tag)] = None
    for inside in run.inside:
        for shown, disk in inside.tags.items():
            for file in inside.record.files:
                if file.events.find(disk) >= 0:
                    found[shown] = None
    return list(found)


def _rows(pairs: Pairs, tag_count: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The (tag, kind) keys that occur, and for each pair which of them it is."""
    keys = pairs.tags.astype(np.int64) * _KINDS + pairs.kinds
    row = np.zeros(tag_count * _KINDS, np.int32)
    row[keys] = 1
    present = np.flatnonzero(row)
    row[present] = np.arange(len(present), dtype=np.int32)
    return present, row[keys]


def _bitmaps(
    row_of: NDArray[np.int32], run_of: NDArray[np.int32], rows: NDArray[np.int64], row_count: int, run_count: int
) -> tuple[list[str], NDArray[np.int64]]:
    """One bitmap in base64 for each of the rows, and how many bits are set in each; a bounded number of cells at a time."""
    place = np.full(row_count, -1, np.int64)
    place[rows] = np.arange(len(rows))
    wanted = place[row_of]
    texts: list[str] = []
    series = np.zeros(len(rows), np.int64)
    stride = max(1, _CELLS_AT_ONCE // max(1, run_count))
    for start in range(0, len(rows), stride):
        stop = min(start + stride, len(rows))
        inside = (wanted >= start) & (wanted < stop)
        cells = np.zeros((stop - start, run_count), np.bool_)
        cells[wanted[inside] - start, run_of[inside]] = True
        series[start:stop] = cells.sum(axis=1)
        packed = np.packbits(cells, axis=1, bitorder="little")
        texts.extend(base64.b64encode(row.tobytes()).decode("ascii") for row in packed)
    return texts, series


def _text(raw: bytes) -> str | None:
    return raw[:_TEXT_LIMIT].decode("utf-8", "replace") if raw else None
