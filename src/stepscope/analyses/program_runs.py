"""When compiled programs run on threads of XLA, from the call that hands one over; a thread that waits for one does no work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.rows import names_with
from stepscope.model.profile import NONE, Int8, Int32, Int64, Profile
from stepscope.model.span_names import NameRole

Runs: TypeAlias = tuple[Int64, Int64, Int64]
"""Start, end and a row of each stretch in which programs run; stretches do not overlap and are in the order of time."""
_Cut: TypeAlias = tuple[Int64, Int64, Int32, Int8]


def program_runs(profile: Profile, control: Sequence[int]) -> Runs:
    """From the end of the control thread's call to the end of the program; none in other recordings.

    Tasks of the pools around programs are not looked at: some stay open while their thread has nothing to do.
    """
    spans = profile.spans
    runs = np.flatnonzero(names_with(profile, NameRole.PROGRAM_RUN)[spans.name]).astype(np.int64)
    runs = runs[~np.isin(spans.track[runs], control)]
    if not len(runs):
        return runs, runs, runs
    runs = runs[np.argsort(spans.start[runs], kind="stable")]
    called = names_with(profile, NameRole.SINGLE_CALL)[spans.name] & np.isin(spans.track, control)
    calls = np.flatnonzero(called & ~_inside_another(profile, called))
    calls = calls[np.argsort(spans.start[calls], kind="stable")]
    start, end = spans.start[runs], np.maximum.accumulate(spans.end[runs])
    if len(calls):
        last = np.searchsorted(spans.start[calls], start, side="right") - 1
        start = np.where(last >= 0, np.minimum(start, spans.end[calls[np.maximum(last, 0)]]), start)
    first = np.concatenate([[True], start[1:] > end[:-1]])
    return start[first], end[np.concatenate([first[1:], [True]])], runs[first]


def without_waiting(segments: _Cut, runs: Runs, python: int, waiting: int) -> _Cut:
    """A track's segments in which time of Python functions while a program runs is the program's: the thread waits for it, or works
    beside it and costs nothing."""
    start, end, row, label = segments
    edges = np.stack(runs[:2], axis=1).ravel()
    first, last = np.searchsorted(edges, start, side="right"), np.searchsorted(edges, end, side="left")
    pieces = np.where(label == python, np.maximum(last - first, 0), 0) + 1
    owner = np.repeat(np.arange(len(start)), pieces)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    edge = first[owner] + number
    cut_start = np.where(number > 0, edges[np.clip(edge - 1, 0, len(edges) - 1)], start[owner])
    cut_end = np.where(number < pieces[owner] - 1, edges[np.clip(edge, 0, len(edges) - 1)], end[owner])
    inside = (label[owner] == python) & (edge % 2 == 1)
    program = runs[2][np.minimum(edge // 2, len(runs[2]) - 1)]
    return (
        cut_start,
        cut_end,
        np.where(inside, program, row[owner]).astype(row.dtype),
        np.where(inside, np.int8(waiting), label[owner]).astype(label.dtype),
    )


def _inside_another(profile: Profile, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the span right above each is one of the chosen: a call of a compiled function is recorded twice."""
    parent = profile.spans.parent
    return (parent != NONE) & chosen[np.maximum(parent, 0)]
