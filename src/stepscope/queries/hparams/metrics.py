"""Metrics of sessions: which tags there are, in which run of a session each is found, and its value there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stepscope.model.identity import TagId
from stepscope.model.kinds import Kind
from stepscope.queries.goals import Goal
from stepscope.queries.hparams.sessions import Session
from stepscope.queries.series import SeriesReader
from stepscope.queries.tags import Pairs
from stepscope.queries.value_columns import NAMES, ColumnReader
from stepscope.queries.view import View

Reading = Literal["last", "best", "min", "max", "mean", "at"]
"""Which value of a series stands for it: `mean` is of the last few points, `at` the newest one up to a step."""
Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_NOWHERE = -1
_OWN = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """How metrics are read."""

    reading: Reading = "last"
    mean_of: int = 10
    at: float = math.inf


@dataclass(frozen=True, slots=True)
class Found:
    """One metric of all sessions: its value, NaN where a session has none, and the row of the run where it was found, or -1."""

    values: Floats
    rows: Rows
    labels: tuple[str, ...]
    """The places it was found in, as sessions name them, in order of first appearance."""


class MetricReader:
    """Reads metrics of the sessions of one view."""

    def __init__(self, view: View, pairs: Pairs, sessions: Sequence[Session], columns: ColumnReader, series: SeriesReader) -> None:
        self._view = view
        self._columns = columns
        self._series = series
        widest = max((len(session.places) for session in sessions), default=0)
        self._rows = np.full((len(sessions), widest), _NOWHERE, np.int64)
        self._labels = np.full((len(sessions), widest), _NOWHERE, np.int64)
        self._label_codes: dict[str, int] = {"": _OWN}
        for at, session in enumerate(sessions):
            for place, known in enumerate(session.places):
                self._rows[at, place] = known.row
                self._labels[at, place] = self._label_codes.setdefault(known.label, len(self._label_codes))
        scalar = pairs.kinds == Kind.SCALAR
        self._pair_rows = pairs.rows[scalar].astype(np.int64)
        self._pair_tags = pairs.tags[scalar]
        lengths = np.diff(pairs.starts, append=len(pairs.tags))
        self._files, self._lengths, self._scalar = pairs.files, lengths, scalar
        self._points: tuple[Floats, NDArray[np.uint8]] | None = None
        parts = [columns.of_file(events)[:length] for events, length in zip(pairs.files, lengths.tolist(), strict=True)]
        cells = np.concatenate(parts) if parts else np.empty((0, len(NAMES)))
        self._cells = cells[scalar] if len(cells) == len(scalar) else _padded(parts, lengths)[scalar]
        starts = [bool(len(events.start_steps)) for events in pairs.files]
        self._restarted = np.zeros(len(view.runs), bool)
        for first, length, restarted in zip(pairs.starts.tolist(), lengths.tolist(), starts, strict=True):
            if restarted and length:
                self._restarted[pairs.rows[first]] = True

    def available(self, among: NDArray[np.bool_] | None = None) -> list[tuple[str, int]]:
        """Every (place, tag) in which sessions log scalars, those of most sessions first; the own run's place is empty.

        A tag that sessions log in their own run is not named for another place as long as no session has it in both. `among` leaves
        the other sessions out.
        """
        found: list[tuple[int, str, int]] = []
        own: set[int] = set()
        for label, code in self._label_codes.items():
            there = np.zeros(len(self._view.runs) + 1, bool)
            rows = np.where(self._labels == code, self._rows, _NOWHERE)
            there[(rows if among is None else rows[among]).reshape(-1)] = True
            there[_NOWHERE] = False
            tags, counts = np.unique(self._pair_tags[there[self._pair_rows]], return_counts=True)
            for tag, count in zip(tags.tolist(), counts.tolist(), strict=True):
                if code == _OWN:
                    own.add(tag)
                if code == _OWN or tag not in own or self._in_both(code, tag):
                    found.append((-count, label, tag))
        return [(label, tag) for _, label, tag in sorted(found, key=lambda one: one[0])]

    def _in_both(self, code: int, tag: int) -> bool:
        has = self._has(tag)
        own, other = self._rows[:, 0], np.where(self._labels == code, self._rows, _NOWHERE).max(axis=1)
        return bool((has[own] & has[other] & (other != own)).any())

    def _has(self, tag: int) -> NDArray[np.bool_]:
        """Which runs have a scalar tag; the last entry stands for no run."""
        has = np.zeros(len(self._view.runs) + 1, bool)
        has[self._pair_rows[self._pair_tags == tag]] = True
        return has

    def find(self, group: str, tag: int, first: str | None, asked: Asked, goal: Goal) -> Found:
        """A metric where each session has it: in the group's folder, or else in the first place that has the tag.

        `first` is a place that comes before the others but the own run, such as `validation`.
        """
        has = self._has(tag)
        rows = np.full(len(self._rows), _NOWHERE, np.int64)
        labels = np.full(len(self._rows), _NOWHERE, np.int64)
        names = list(self._label_codes)
        early = [_OWN, *([self._label_codes[first]] if first in self._label_codes else [])]
        for only in (early, range(len(names))):
            for place in range(self._rows.shape[1]):
                here, there = self._rows[:, place], self._labels[:, place]
                wanted = there == self._label_codes.get(group, _NOWHERE) if group else np.isin(there, only)
                chosen = (rows == _NOWHERE) & has[here] & wanted
                rows[chosen], labels[chosen] = here[chosen], there[chosen]
        found: dict[int, None] = dict.fromkeys(labels[labels != _NOWHERE].tolist())
        return Found(self._values(rows, tag, asked, goal), rows, tuple(names[code] for code in found))

    def _values(self, rows: Rows, tag: int, asked: Asked, goal: Goal) -> Floats:
        reading = goal if asked.reading == "best" else asked.reading
        per_run = np.full(len(self._view.runs) + 1, np.nan)
        wanted = np.unique(rows[rows != _NOWHERE])
        if reading == "mean" or reading == "at":
            values, plain = self._read_points(reading, asked)
            mask = self._pair_tags == tag
            at = self._pair_rows[mask]
            per_run[at] = values[mask]
            # Where a run has one file with the tag, and nothing in it was written again, that file tells it.
            once = np.bincount(at, minlength=len(self._view.runs)) == 1
            told = np.zeros(len(self._view.runs), bool)
            told[at] = plain[mask] != 0
            for row in wanted[~(once & told & ~self._restarted)[wanted]].tolist():
                per_run[row] = self._slowly(row, tag, reading, asked)
            return per_run[rows]
        column = NAMES.index(reading)
        mask = self._pair_tags == tag
        at, cells = self._pair_rows[mask], self._cells[mask, column]
        per_run[at] = cells
        counts = np.bincount(at, minlength=len(self._view.runs))
        several: list[int] = wanted[(counts[wanted] > 1) | self._restarted[wanted]].tolist()
        for row in several:
            cell = np.full(len(NAMES), np.nan)
            source = self._view.source(self._view.runs[row].record.id, tag)
            if source is not None:
                self._columns.fill(cell, source)
            per_run[row] = cell[column]
        return per_run[rows]

    def _read_points(self, reading: Literal["mean", "at"], asked: Asked) -> tuple[Floats, NDArray[np.uint8]]:
        """Of every pair what its file alone says, and whether that is right; read once for all metrics."""
        if self._points is None:
            found = [
                self._columns.means_of_file(events, asked.mean_of) if reading == "mean" else events.values_at(asked.at)
                for events in self._files
            ]
            values = _fitted([one for one, _ in found], self._lengths, np.nan)
            plain = _fitted([one for _, one in found], self._lengths, 0)
            self._points = values[self._scalar], plain[self._scalar].astype(np.uint8)
        return self._points

    def _slowly(self, row: int, tag: int, reading: Literal["mean", "at"], asked: Asked) -> float:
        """What no summary has: a look at the points."""
        source = self._view.source(self._view.runs[row].record.id, TagId(tag))
        if reading == "mean":
            return self._columns.mean(source, asked.mean_of)
        held = self._series.open(source, "latest")
        extent = None if held is None else held.series.extent("step")
        if held is None or extent is None or not extent[0] <= asked.at <= extent[1]:
            return math.nan
        over = held.series.statistics("step", 0.0, -math.inf, asked.at)
        return float(over["last"]) if over["count"] else math.nan


def _padded(parts: Sequence[Floats], lengths: NDArray[np.int64]) -> Floats:
    """Cells as long as the pairs, where a file was summarised a moment before it had all of them."""
    cells = np.full((int(lengths.sum()), len(NAMES)), np.nan)
    at = 0
    for part, length in zip(parts, lengths.tolist(), strict=True):
        cells[at : at + len(part)] = part
        at += length
    return cells


def _fitted(parts: Sequence[NDArray[np.generic]], lengths: NDArray[np.int64], otherwise: float) -> Floats:
    """Numbers of the series of each file, as long as its pairs: a file may have grown, or was looked at a moment before it did."""
    values = np.full(int(lengths.sum()), otherwise)
    at = 0
    for part, length in zip(parts, lengths.tolist(), strict=True):
        values[at : at + min(len(part), length)] = part[:length]
        at += length
    return values
