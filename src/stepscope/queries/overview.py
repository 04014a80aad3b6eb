"""The overview: what is being served, in a few numbers, and how far loading has come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.kinds import Kind
from stepscope.queries.run_facts import run_facts
from stepscope.queries.run_status import status_of
from stepscope.queries.tags import Pairs, TagReader
from stepscope.queries.view import ShownRun, View, Views
from stepscope.store.library import LoadState, Progress

_SECONDS_KEPT = 1.0
_COSTLY_SECONDS = 0.02
_COST_SHARE = 20
"""A hurried reader may get an overview that is this many times older than it took to make, when it is costly to make."""


class Loading(Struct, frozen=True):
    """Progress of loading."""

    state: Annotated[LoadState, d.text("Listing folders, loading, up to date and watching, or up to date and not watching.")]
    files_done: Annotated[int, d.count("Files read.")]
    files: Annotated[int, d.count("Files to read.")]
    bytes_done: Annotated[int, d.size("Bytes read.")]
    bytes: Annotated[int, d.size("Bytes to read.")]


class Overview(Struct, frozen=True):
    """Sums over everything that is served."""

    epoch: int
    runs: int
    live_runs: int
    series: int
    tags: int
    points: int
    files: int
    bytes: int
    skipped_records: int
    newest: float | None
    kinds: frozenset[Kind]
    profiles: int


def loading(progress: Progress) -> Loading:
    """Progress as the API answers it."""
    return d.fill(Loading, progress)


@dataclass(frozen=True, slots=True)
class _Structure:
    runs: tuple[ShownRun, ...]
    file_series: int
    series: int
    tags: int
    kinds: frozenset[Kind]


class OverviewReader:
    """Adds up the overview and keeps it for a moment, since every connected page asks for it."""

    def __init__(self, views: Views, tags: TagReader, clock: Callable[[], float] = time.time) -> None:
        self._views = views
        self._tags = tags
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: Overview | None = None
        self._made = 0.0
        self._cost = 0.0
        self._structure: _Structure | None = None

    def read(self, hurried: bool = False) -> Overview:
        """The overview of the newest snapshot, folded; when hurried, perhaps one a little older (its epoch tells)."""
        with self._lock:
            now = self._clock()
            kept = self._kept
            if kept is not None:
                age = now - self._made
                current = kept.epoch == self._views.library.snapshot.epoch
                if 0 <= age < (_SECONDS_KEPT if current else 0.0) or (hurried and 0 <= age < self._may_be_old()):
                    return kept
            began = time.perf_counter()
            kept = self._kept = self._make(now)
            self._made, self._cost = now, time.perf_counter() - began
            return kept

    def _may_be_old(self) -> float:
        return _COST_SHARE * self._cost if self._cost > _COSTLY_SECONDS else 0.0

    def _make(self, now: float) -> Overview:
        view = self._views.view(True)
        live = points = files = size = skipped = series = 0
        newest: float | None = None
        for run in view.runs:
            facts = run_facts(run)
            live += status_of(run, facts, now)[0] == "live"
            points += facts.points
            files += facts.files
            size += facts.bytes
            skipped += facts.skipped
            series += facts.file_series
            if facts.last_point is not None:
                newest = facts.last_point if newest is None else max(newest, facts.last_point)
        structure = self._structure_of(view, series)
        return Overview(
            epoch=view.snapshot.epoch,
            runs=len(view.runs),
            live_runs=live,
            series=structure.series,
            tags=structure.tags,
            points=points,
            files=files,
            bytes=size,
            skipped_records=skipped,
            newest=newest,
            kinds=structure.kinds,
            profiles=sum(len(run.profiles) for run in view.snapshot.runs),
        )

    def _structure_of(self, view: View, file_series: int) -> _Structure:
        """What only changes with the runs and the number of series in their files."""
        known = self._structure
        if known is None or known.runs is not view.runs or known.file_series != file_series:
            pairs = self._tags.pairs(view)
            kinds = frozenset(Kind(kind) for kind in np.flatnonzero(np.bincount(pairs.kinds, minlength=1)).tolist())
            tags = int(np.count_nonzero(np.bincount(pairs.tags, minlength=1)))
            known = self._structure = _Structure(view.runs, file_series, _series(pairs), tags, kinds)
        return known


def _series(pairs: Pairs) -> int:
    """Distinct series of runs; only runs of several files can name one twice, so only those are sorted."""
    row_of_file = pairs.rows[pairs.starts[pairs.starts < len(pairs.rows)]]
    several = np.bincount(row_of_file, minlength=1) > 1
    repeated = several[pairs.rows] if len(pairs.rows) else np.zeros(0, np.bool_)
    rows = pairs.rows[repeated].astype(np.int64)
    tags = pairs.tags[repeated].astype(np.int64) * len(Kind) + pairs.kinds[repeated]
    distinct = len(np.unique(rows * (int(tags.max(initial=0)) + 1) + tags))
    return len(pairs.rows) - len(rows) + distinct
