"""The spans of one rank as questions about a step ask for them: by kind, class, name and place, with the time that only they have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.intervals import lengths_between, union
from stepscope.analyses.rows import names_by_kind, rows_named, rows_of_role
from stepscope.analyses.time_classes import HIDDEN, TimeClass
from stepscope.model.profile import NONE, CopyDirection, Float64, Int64, Profile, SpanKind, Track, TrackRole
from stepscope.model.span_names import NameRole


@dataclass(frozen=True, slots=True)
class SpanReference:
    """Where to look: rows of one track and the time they cover, or a stretch of time on it."""

    rank: int  # place of the profile in its session
    track: int
    first_row: int  # NONE for a stretch of time
    last_row: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class OwnTime:
    """Spans that go by one name or operation; nanoseconds of a typical step that only they have."""

    key: int  # number of the name or of the operation
    ns: float
    count: int
    row: int  # the span with most time of its own, or the longest where they were counted
    first: int


class RankSpans:
    """Rows of one profile's table of spans; found when first asked for, and kept."""

    def __init__(self, profile: Profile, breakdown: Breakdown) -> None:
        self._profile = profile
        self._breakdown = breakdown
        self._rows_of_kind: dict[SpanKind, Int64] = {}
        self._steps = max(1, len(breakdown.typical))

    @cached_property
    def exposed(self) -> Int64:
        """Rows with time of their own in typical steps."""
        return np.flatnonzero(self._breakdown.exposed > 0)

    @cached_property
    def on_control(self) -> Int64:
        """Rows on threads that control the step."""
        control = np.zeros(len(self._profile.tracks) + 1, bool)
        control[list(self._breakdown.classified.control)] = True
        return np.flatnonzero(control[self._profile.spans.track])

    @cached_property
    def linked(self) -> bool:
        """Whether any device work has its launch in the file."""
        rows = rows_of_role(self._profile, TrackRole.STREAM)
        return bool((self._profile.spans.cause[rows] >= 0).any())

    @cached_property
    def undirected_ns(self) -> float:
        """Time of a typical step in copies of unknown direction that nothing hides."""
        copies = self._profile.copies
        rows = copies.row[copies.direction == CopyDirection.UNKNOWN]
        return self.exposed_ns(rows[self._profile.spans.kind[rows] == SpanKind.COPY].astype(np.int64))

    @cached_property
    def retries(self) -> Int64:
        """Calls that release device memory in typical steps which allocate some too: the allocator had to make room.

        A caching allocator gives memory back to the device inside a step only when it found no block that fits.
        """
        rows = self.labelled(TimeClass.ALLOC)
        freed, taken = self.named(rows, NameRole.DRIVER_FREE), self.named(rows, NameRole.DRIVER_ALLOCATE)
        both = (self.per_step(freed) > 0) & (self.per_step(taken) > 0)
        place = np.searchsorted(self._breakdown.steps.bounds, self._profile.spans.start[freed], side="right") - 1
        return freed[both[np.clip(place, 0, len(both) - 1)]]

    def of_kind(self, *kinds: SpanKind) -> Int64:
        """Rows of the kinds on threads and streams; those of one kind are in the order of the table."""
        return np.concatenate([self._rows_of(each) for each in kinds])

    def find(self, role: NameRole, *kinds: SpanKind) -> Int64:
        """Rows of the kinds, on threads and streams, whose name has the role; every name of a kind is asked once."""
        profile, found = self._profile, [np.zeros(0, np.int64)]
        for kind in kinds:
            hits = [name for name in self._names_of[kind] if profile.name_rules.fits(role, profile.names[name])]
            if hits:
                holds = np.zeros(len(profile.names), bool)
                holds[hits] = True
                rows = self._rows_of(kind)
                found.append(rows[holds[profile.spans.name[rows]]])
        return np.concatenate(found)

    def named(self, rows: Int64, role: NameRole) -> Int64:
        """Those of the rows whose name has the role."""
        return rows_named(self._profile, rows, role)

    def labelled(self, *classes: TimeClass) -> Int64:
        """Rows of the classes that have time of their own in typical steps."""
        return self.exposed[np.isin(self._breakdown.classified.label[self.exposed], [int(each) for each in classes])]

    def of_operations(self, ops: Iterable[int]) -> Int64:
        """Rows of the operations that have time of their own in typical steps."""
        return self.exposed[np.isin(self._profile.spans.op[self.exposed], list(ops))]

    def within(self, around: Int64, rows: Int64) -> Int64:
        """Those of the rows that begin inside any of the spans `around`, on the same track."""
        spans = self._profile.spans
        found = [np.zeros(0, np.int64)]
        for track in np.unique(spans.track[around]).tolist():
            outer = around[spans.track[around] == track]
            start, end = union(spans.start[outer], spans.end[outer])
            mine = rows[spans.track[rows] == track]
            place = np.searchsorted(start, spans.start[mine], side="right") - 1
            found.append(mine[(place >= 0) & (spans.start[mine] < end[np.maximum(place, 0)])] if len(start) else mine[:0])
        return np.sort(np.concatenate(found))

    def exposed_ns(self, rows: Int64) -> float:
        """Time of a typical step that only these spans have."""
        return float(self._breakdown.exposed[rows].sum()) / self._steps

    def exposed_by_class(self, rows: Int64) -> dict[TimeClass, float]:
        """The same by class."""
        label = self._breakdown.classified.label[rows]
        counts = (label >= 0) & (label < HIDDEN)
        sums = np.bincount(label[counts], self._breakdown.exposed[rows[counts]], len(TimeClass)) / self._steps
        return {each: float(sums[each]) for each in TimeClass if sums[each] > 0}

    def per_step(self, rows: Int64) -> Float64:
        """Nanoseconds that only these spans have in every step; zero in steps that are not typical."""
        bounds = self._breakdown.steps.bounds
        place = np.searchsorted(bounds, self._profile.spans.start[rows], side="right") - 1
        inside = np.clip(place, 0, len(self._breakdown.steps) - 1)
        return np.bincount(inside, self._breakdown.exposed[rows], len(self._breakdown.steps)).astype(np.float64)

    def running_per_step(self, rows: Int64) -> Float64:
        """Nanoseconds of every step in which any of these spans runs, whatever else does."""
        running = union(self._profile.spans.start[rows], self._profile.spans.end[rows])
        return lengths_between(running, self._breakdown.steps.bounds).astype(np.float64)

    def by_name(self, rows: Int64) -> Iterator[OwnTime]:
        """Most time of their own first."""
        return self._own_times(rows, self._profile.spans.name[rows], len(self._profile.names) + 1)

    def by_operation(self, rows: Int64) -> Iterator[OwnTime]:
        """Most time of their own first; rows must belong to operations."""
        return self._own_times(rows, self._profile.spans.op[rows], len(self._profile.ops))

    def counted_by_name(self, rows: Int64) -> list[OwnTime]:
        """The most frequent first, each with its longest span."""
        names = self._profile.spans.name[rows]
        _, first, counts = np.unique(names, return_index=True, return_counts=True)
        members = np.split(rows[np.argsort(names, kind="stable")], np.cumsum(counts)[:-1])
        order: list[int] = np.lexsort((first, -counts)).tolist()
        ordered: list[Int64] = [members[place] for place in order]
        name_of = self._profile.spans.name
        return [OwnTime(int(name_of[mine[0]]), self.exposed_ns(mine), len(mine), self.longest(mine), int(mine[0])) for mine in ordered]

    def name(self, row: int) -> str:
        """A kernel's short name, and of any other span the whole."""
        name = self._profile.names[int(self._profile.spans.name[row])]
        return self._profile.name_rules.short_name(name) if self._profile.spans.kind[row] == SpanKind.KERNEL else name

    def length_ns(self, row: int) -> int:
        """Of one span."""
        return int(self._profile.spans.end[row] - self._profile.spans.start[row])

    def longest(self, rows: Int64) -> int:
        """The longest of the rows, which must be there."""
        return int(rows[int(np.argmax(self._profile.spans.end[rows] - self._profile.spans.start[rows]))])

    def longest_in_step(self, place: int, part: TimeClass) -> int:
        """The longest span of a class that touches a step, NONE when there is none."""
        bounds, spans = self._breakdown.steps.bounds, self._profile.spans
        inside = (spans.start < int(bounds[place + 1])) & (spans.end > int(bounds[place]))
        rows = np.flatnonzero((self._breakdown.classified.label == part) & inside)
        return self.longest(rows) if len(rows) else NONE

    def reference(self, rank: int, row: int) -> SpanReference | None:
        """To one span; none without a row."""
        if row == NONE:
            return None
        spans = self._profile.spans
        return SpanReference(rank, int(spans.track[row]), row, row + 1, int(spans.start[row]), int(spans.end[row]))

    def callers(self, row: int) -> list[int]:
        """The span, the operation around it, and the Python function around that, as far as they were recorded."""
        spans, found, wanted = self._profile.spans, [row], [SpanKind.OP, SpanKind.PYTHON]
        above = int(spans.parent[row])
        while above != NONE and wanted:
            kind = int(spans.kind[above])
            if kind in wanted:
                found.append(above)
                wanted = wanted[wanted.index(SpanKind(kind)) + 1 :]
            above = int(spans.parent[above])
        return found

    def _own_times(self, rows: Int64, keys: np.ndarray, space: int) -> Iterator[OwnTime]:
        owned = self._breakdown.exposed[rows]
        sums, counts = np.bincount(keys, owned, space) / self._steps, np.bincount(keys, minlength=space)
        grouped, ends = np.argsort(keys, kind="stable"), np.cumsum(counts)
        for key in map(int, np.argsort(-sums, kind="stable")):
            if sums[key] <= 0:
                break
            mine = grouped[ends[key] - counts[key] : ends[key]]
            most = mine[int(np.argmax(owned[mine]))]
            yield OwnTime(key, float(sums[key]), int(counts[key]), int(rows[most]), int(rows[mine[0]]))

    def _rows_of(self, kind: SpanKind) -> Int64:
        """Rows of one kind on threads and streams, looked for once."""
        if kind not in self._rows_of_kind:
            of_kind = self._profile.spans.kind == kind
            parts = [np.flatnonzero(of_kind[track.first_row : track.last_row]) + track.first_row for track in self._owning]
            self._rows_of_kind[kind] = np.concatenate([np.zeros(0, np.int64), *parts])
        return self._rows_of_kind[kind]

    @cached_property
    def _owning(self) -> list[Track]:
        """Threads and streams, in the order of the table."""
        owning = [track for track in self._profile.tracks if track.role in (TrackRole.THREAD, TrackRole.STREAM)]
        return sorted(owning, key=lambda track: track.first_row)

    @cached_property
    def _names_of(self) -> list[list[int]]:
        """Numbers of the names that spans on threads and streams have, for every kind."""
        return names_by_kind(self._profile, self._owning)
