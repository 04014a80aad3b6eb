"""The part of a recording that belongs to chosen steps, as a profile of its own on which every analysis runs.

Host work belongs to the step in which it starts, device work to the step that launched it. What a thread does when the range begins or
ends is cut there, so that the times of ranges that touch add up to the whole's.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TypeVar

import numpy as np

from stepscope.analyses.ranges.part_memory import allocations_of_part
from stepscope.analyses.rows import rows_of_role
from stepscope.analyses.steps import step_of_spans
from stepscope.model.profile import (
    NONE,
    Aggregates,
    Collectives,
    Copies,
    Counters,
    Flows,
    Int32,
    Int64,
    Kernels,
    Markers,
    Part,
    Profile,
    Spans,
    Track,
    TrackRole,
)
from stepscope.model.steps import Steps

_Table = TypeVar("_Table", Markers, Kernels, Copies, Collectives, Flows, Counters)


def part_of(profile: Profile, steps: Steps, places: tuple[int, int], all_steps: Steps, text: str) -> Profile:
    """What belongs to steps from the first place up to the second; times stay as they are.

    `all_steps` are the recording's own where `steps` is a chosen time, and `text` says to users what was chosen.
    """
    first, last = places
    begin = int(steps.marker[first])
    end = int(steps.marker[last]) if last < len(steps) else max(steps.last_end, int(steps.bounds[-1]))
    rows = _chosen_rows(profile, steps, places, (begin, end))
    start, until = _cut_times(profile, rows, begin, end)
    new = np.full(len(profile.spans) + 1, NONE, np.int32)  # the last one is what NONE leads to
    new[rows] = np.arange(len(rows), dtype=np.int32)
    spans = _spans(profile.spans, rows, start, until, new)
    counters = profile.counters
    return replace(
        profile,
        tracks=_tracks(profile.tracks, spans.track),
        spans=spans,
        markers=_of_rows(profile.markers, new),
        kernels=_of_rows(profile.kernels, new),
        copies=_of_rows(profile.copies, new),
        collectives=_of_rows(profile.collectives, new),
        allocations=allocations_of_part(profile, begin, end, new),
        flows=_flows(profile.flows, new),
        counters=_kept(counters, (counters.time >= begin) & (counters.time < end)),
        aggregates=_no_aggregates(),
        part=Part(profile, rows, _chosen_steps(steps, first, last), all_steps, text),
    )


def _chosen_steps(steps: Steps, first: int, last: int) -> Steps:
    return Steps(
        source=replace(steps.source, count=last - first),
        alternatives=steps.alternatives,
        number=steps.number[first:last],
        marker=steps.marker[first:last],
        last_end=int(steps.marker[last]) if last < len(steps) else steps.last_end,
        bounds=steps.bounds[first : last + 1],
        before=steps.before + first,
    )


def _chosen_rows(profile: Profile, steps: Steps, places: tuple[int, int], time: tuple[int, int]) -> Int64:
    """Rows by their step; on threads also what has begun before and goes on, and of lines beside them all that is drawn in the time."""
    spans, (begin, end) = profile.spans, time
    step = step_of_spans(profile, steps)
    kept = (step >= places[0]) & (step < places[1])
    threads = rows_of_role(profile, TrackRole.THREAD)
    kept[threads] |= (spans.start[threads] < begin) & (spans.end[threads] > begin)
    for role in (TrackRole.DERIVED, TrackRole.MARKER, TrackRole.COUNTER):
        rows = rows_of_role(profile, role)
        kept[rows] = (spans.start[rows] < end) & (spans.end[rows] > begin)
    return np.flatnonzero(kept)


def _cut_times(profile: Profile, rows: Int64, begin: int, end: int) -> tuple[Int64, Int64]:
    spans = profile.spans
    is_thread = np.array([track.role == TrackRole.THREAD for track in profile.tracks] or [False])
    on_thread = is_thread[spans.track[rows]]
    start = np.where(on_thread, np.maximum(spans.start[rows], begin), spans.start[rows])
    return start, np.where(on_thread, np.minimum(spans.end[rows], end), spans.end[rows])


def _spans(spans: Spans, rows: Int64, start: Int64, end: Int64, new: Int32) -> Spans:
    return Spans(
        track=spans.track[rows],
        start=start,
        end=end,
        name=spans.name[rows],
        kind=spans.kind[rows],
        depth=spans.depth[rows],
        parent=new[spans.parent[rows]],
        cause=new[spans.cause[rows]],
        op=spans.op[rows],
        shape=spans.shape[rows],
        step=spans.step[rows],
        source=spans.source[rows],
    )


def _tracks(tracks: list[Track], track: Int32) -> list[Track]:
    """The same tracks in the same order; some may have nothing in the part."""
    edges: list[int] = np.searchsorted(track, np.arange(len(tracks) + 1)).tolist()
    return [replace(one, first_row=edges[place], last_row=edges[place + 1]) for place, one in enumerate(tracks)]


def _kept(table: _Table, kept: np.ndarray) -> _Table:
    return replace(table, **{column.name: getattr(table, column.name)[kept] for column in fields(table)})


def _of_rows(table: _Table, new: Int32) -> _Table:
    """Rows of a table that hangs on spans, as far as these are in the part."""
    assert not isinstance(table, Flows | Counters)
    found = _kept(table, new[table.row] >= 0)
    assert not isinstance(found, Flows | Counters)
    return replace(found, row=new[found.row])


def _flows(flows: Flows, new: Int32) -> Flows:
    found = _kept(flows, (new[flows.source] >= 0) & (new[flows.target] >= 0))
    return replace(found, source=new[found.source], target=new[found.target])


def _no_aggregates() -> Aggregates:
    """What was only counted belongs to no step."""
    none = np.zeros(0, np.int32)
    return Aggregates(none, none, np.zeros(0, np.int64), np.zeros(0, np.int64))
