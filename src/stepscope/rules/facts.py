"""What rules look at: one session's summary, and analyses of the rank that the others wait for, each made when first asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.host.threads import HostThreads, host_threads
from stepscope.analyses.idle_causes import IdleCauses, idle_causes
from stepscope.analyses.input.pipeline import InputPipeline, input_pipeline
from stepscope.analyses.input.stages import ReadAttributes
from stepscope.analyses.intervals import union
from stepscope.analyses.launches import Launches, launches
from stepscope.analyses.memory.growth import MemoryGrowth, memory_growth
from stepscope.analyses.memory.ledger import ledgers
from stepscope.analyses.memory.pressure import OutOfMemory, out_of_memory
from stepscope.analyses.rows import names_by_kind, rows_named, rows_of_role
from stepscope.analyses.summary import Summary
from stepscope.analyses.time_classes import HIDDEN, TimeClass
from stepscope.analyses.what_if.loading import Loading, loading
from stepscope.analyses.what_if.prediction import Context, replay_context
from stepscope.analyses.work.kernel_names import short_name
from stepscope.model.errors import StepscopeError
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import NONE, CopyDirection, Float64, Int64, Profile, SpanKind, Track, TrackRole
from stepscope.rules.rule import Evidence, SpanReference, at_row

Bool: TypeAlias = NDArray[np.bool_]
ReadPrograms: TypeAlias = Callable[[int], Sequence[HloProgram]]
"""The compiled programs of the profile at a place of the session."""

_LONGEST_NAME = 64
_RELEASES = re.compile(r"Free(?!Async)|Release|Unmap")
_ALLOCATES = re.compile(r"Malloc(?!Async)|MemAlloc(?!Async)|MemCreate|MemMap")
WORTH = 0.01
"""A pattern holds in a step when it costs at least this share of it."""


@dataclass(frozen=True, slots=True)
class Held:
    """A device's memory at its fullest moment, in bytes."""

    allocated: int
    reserved: int  # by the allocator, at the same moment or before it; as much as is allocated when the file does not say
    capacity: int  # 0 when unknown


class Facts:
    """One session; `rank` is the place of the profile that single-rank rules speak of."""

    def __init__(
        self,
        summary: Summary,
        attributes: ReadAttributes | None = None,
        cores: int | None = None,
        unprofiled_ns: float | None = None,
        programs: ReadPrograms | None = None,
    ) -> None:
        self.summary = summary
        self.rank = int(np.argmax([own_ns(one) for one in summary.breakdowns]))
        self._attributes = attributes
        self._cores = cores
        self._unprofiled_ns = unprofiled_ns
        self._programs = programs
        self._rows_of_kind: dict[SpanKind, Int64] = {}

    @property
    def profile(self) -> Profile:
        """Of the rank."""
        return self.summary.profiles[self.rank]

    @property
    def breakdown(self) -> Breakdown:
        """Of the rank."""
        return self.summary.breakdowns[self.rank]

    @cached_property
    def parts(self) -> Float64:
        """Nanoseconds of the rank's typical step, per class; of a chosen range, only of work that belongs to it.

        At the edges of a range the step's time is also that of work of the steps around it, which nobody can look at there.
        """
        parts = self.breakdown.typical_parts
        if self.profile.part is None:
            return parts
        rows = self._exposed[self.breakdown.classified.label[self._exposed] >= 0]
        label = self.breakdown.classified.label[rows]
        own = np.bincount(label, self.breakdown.exposed[rows], len(parts))[: len(parts)] / max(1, len(self.breakdown.typical))
        own[TimeClass.UNTRACED] += parts.sum() - own.sum()
        return own

    @property
    def step_ns(self) -> float:
        """The rank's typical step."""
        return self.breakdown.typical_ns or 1.0

    @property
    def cpu_only(self) -> bool:
        """Whether the rank has no device but the CPU."""
        return self.breakdown.classified.cpu_only

    @cached_property
    def linked(self) -> bool:
        """Whether any device work has its launch in the file."""
        rows = rows_of_role(self.profile, TrackRole.STREAM)
        return bool((self.profile.spans.cause[rows] >= 0).any())

    @cached_property
    def launches(self) -> Launches | None:
        """How the host feeds the device."""
        return None if self.cpu_only else launches(self.profile, self.breakdown)

    @cached_property
    def idle(self) -> IdleCauses:
        """Why the device has nothing to do."""
        return idle_causes(self.profile, self.breakdown)

    @cached_property
    def input(self) -> InputPipeline:
        """The input pipeline, with its attributes where they can be read."""
        return input_pipeline(self.profile, self.breakdown, self._attributes)

    @cached_property
    def growth(self) -> tuple[MemoryGrowth, ...]:
        """Memory at the ends of steps."""
        return memory_growth(self.profile, self.breakdown)

    @cached_property
    def retries(self) -> Int64:
        """Calls that release device memory in typical steps which allocate some too: the allocator had to make room.

        A caching allocator gives memory back to the device inside a step only when it found no block that fits.
        """
        rows = self.labelled(TimeClass.ALLOC)
        freed, taken = self.named(rows, _RELEASES), self.named(rows, _ALLOCATES)
        both = (self.per_step(freed) > 0) & (self.per_step(taken) > 0)
        place = np.searchsorted(self.breakdown.steps.bounds, self.profile.spans.start[freed], side="right") - 1
        return freed[both[np.clip(place, 0, len(both) - 1)]]

    @cached_property
    def held(self) -> Held | None:
        """Of the device that is fullest, None where no total was recorded."""
        table, found = self.profile.allocations, list[Held]()
        for place, device in enumerate(self.profile.devices):
            level = np.where(table.device == place, table.allocated, NONE)
            most = int(level.max(initial=NONE))
            if most > 0:
                reserved = int(np.where(table.device == place, table.reserved, NONE).max(initial=NONE))
                found.append(Held(most, max(most, reserved), device.memory_bytes))
        return max(found, key=lambda one: one.allocated / (one.capacity or one.reserved), default=None)

    @cached_property
    def out_of_memory(self) -> tuple[OutOfMemory, ...]:
        """Requests that failed, as an allocator's snapshot tells them."""
        if self.profile.memory_snapshot is None:
            return ()
        return tuple(each for ledger in ledgers(self.profile) for each in out_of_memory(self.profile, ledger))

    @cached_property
    def on_control(self) -> Bool:
        """For every span whether it is on a thread that controls the step."""
        control = np.zeros(len(self.profile.tracks) + 1, bool)
        control[list(self.breakdown.classified.control)] = True
        return control[self.profile.spans.track]

    def within(self, around: Int64, rows: Int64) -> Int64:
        """Those of the rows that begin inside any of the spans `around`, on the same track."""
        spans = self.profile.spans
        found = [np.zeros(0, np.int64)]
        for track in np.unique(spans.track[around]).tolist():
            outer = around[spans.track[around] == track]
            start, end = union(spans.start[outer], spans.end[outer])
            mine = rows[spans.track[rows] == track]
            place = np.searchsorted(start, spans.start[mine], side="right") - 1
            found.append(mine[(place >= 0) & (spans.start[mine] < end[np.maximum(place, 0)])] if len(start) else mine[:0])
        return np.sort(np.concatenate(found))

    def inside(self, around: Int64, *classes: TimeClass) -> Int64:
        """Spans of the classes with time of their own that begin inside any of the spans `around`, on the same track."""
        return self.within(around, self.labelled(*classes))

    @cached_property
    def undirected(self) -> float:
        """Share of a step in copies of unknown direction that nothing hides."""
        copies = self.profile.copies
        rows = copies.row[copies.direction == CopyDirection.UNKNOWN]
        return self.exposed_ns(rows[self.profile.spans.kind[rows] == SpanKind.COPY].astype(np.int64)) / self.step_ns

    @cached_property
    def programs(self) -> Sequence[HloProgram]:
        """The rank's compiled programs, as far as they can be read."""
        try:
            return self._programs(self.rank) if self._programs is not None and self.profile.programs else ()
        except StepscopeError:  # the file was moved or cut since
            return ()

    @cached_property
    def threads(self) -> HostThreads:
        """The host's threads, and cores as anything tells them."""
        return host_threads(self.profile, self.breakdown, self._cores or self.input.cores)

    @cached_property
    def loading(self) -> Loading:
        """What workers beside the step would hide of its wait for input."""
        return loading(self.profile, self.breakdown, self.threads.cores)

    @cached_property
    def what_if(self) -> Context:
        """The recording, ready to be played again."""
        return replay_context(
            self.summary.profiles, self.summary.breakdowns, cores=self.threads.cores, unprofiled_ns=self._unprofiled_ns
        )

    def of_kind(self, *kinds: SpanKind) -> Int64:
        """Rows of the kinds on threads and streams; those of one kind are in the order of the table."""
        return np.concatenate([self._rows_of(each) for each in kinds])

    def _rows_of(self, kind: SpanKind) -> Int64:
        """Rows of one kind on threads and streams, looked for once."""
        if kind not in self._rows_of_kind:
            of_kind = self.profile.spans.kind == kind
            parts = [np.flatnonzero(of_kind[track.first_row : track.last_row]) + track.first_row for track in self._owning]
            self._rows_of_kind[kind] = np.concatenate([np.zeros(0, np.int64), *parts])
        return self._rows_of_kind[kind]

    @cached_property
    def _owning(self) -> list[Track]:
        """Threads and streams, in the order of the table."""
        owning = [track for track in self.profile.tracks if track.role in (TrackRole.THREAD, TrackRole.STREAM)]
        return sorted(owning, key=lambda track: track.first_row)

    def find(self, pattern: re.Pattern[str], *kinds: SpanKind) -> Int64:
        """Rows of the kinds, on threads and streams, whose name holds the pattern; every name of a kind is asked once."""
        spans, names = self.profile.spans, self.profile.names
        found = [np.zeros(0, np.int64)]
        for kind in kinds:
            hits = [name for name in self._names_of[kind] if pattern.search(names[name])]
            if hits:
                holds = np.zeros(len(names), bool)
                holds[hits] = True
                rows = self._rows_of(kind)
                found.append(rows[holds[spans.name[rows]]])
        return np.concatenate(found)

    @cached_property
    def _names_of(self) -> list[list[int]]:
        """Numbers of the names that spans on threads and streams have, for every kind."""
        return names_by_kind(self.profile, self._owning)

    def named(self, rows: Int64, pattern: re.Pattern[str]) -> Int64:
        """Those of the rows whose name holds the pattern; every name is asked once."""
        return rows_named(self.profile, rows, pattern.search)

    def attributes_of(self, row: int) -> Mapping[str, object]:
        """What the file says of one span beside the columns; nothing when it cannot be asked."""
        if self._attributes is None or row == NONE:
            return {}
        try:
            return self._attributes(self.profile, row)
        except StepscopeError:  # the file was moved or cut since
            return {}

    def exposed_ns(self, rows: Int64) -> float:
        """Time of a typical step that only these spans have."""
        return float(self.breakdown.exposed[rows].sum()) / max(1, len(self.breakdown.typical))

    def takes_of(self, rows: Int64, left: float = 0.0) -> dict[TimeClass, float]:
        """Time that nothing hides, by class, as a lever takes it that leaves a part of these spans."""
        label, steps = self.breakdown.classified.label[rows], max(1, len(self.breakdown.typical))
        counts = (label >= 0) & (label < HIDDEN)
        sums = np.bincount(label[counts], self.breakdown.exposed[rows[counts]], len(TimeClass)) * (1 - left) / steps
        return {each: float(sums[each]) for each in TimeClass if sums[each] > 0}

    def per_step(self, rows: Int64) -> Float64:
        """Nanoseconds that only these spans have in every step; zero in steps that are not typical."""
        bounds = self.breakdown.steps.bounds
        place = np.searchsorted(bounds, self.profile.spans.start[rows], side="right") - 1
        inside = np.clip(place, 0, len(self.breakdown.steps) - 1)
        return np.bincount(inside, self.breakdown.exposed[rows], len(self.breakdown.steps)).astype(np.float64)

    @property
    def first_counted(self) -> int:
        """Place of the first step that counts for shares of the recording: its very first may hold the profiler's start."""
        return 1 if len(self.breakdown.steps) > 1 and not self.breakdown.steps.before else 0

    def window_share(self, part: TimeClass) -> float:
        """What a class takes of all steps but the first, which may hold the profiler's start."""
        first = self.first_counted
        return float(self.breakdown.parts[first:, part].sum()) / max(1.0, float(self.breakdown.steps.length[first:].sum()))

    def share(self, *classes: TimeClass) -> float:
        """Of the rank's typical step."""
        return sum(float(self.parts[each]) for each in classes) / self.step_ns

    def takes(self, *classes: TimeClass) -> dict[TimeClass, float]:
        """All time of the classes that nothing hides, as a lever takes it."""
        return {each: float(self.parts[each]) for each in classes if self.parts[each] > 0}

    def holds_in(self, *classes: TimeClass) -> float:
        """Share of typical steps in which the classes cost something."""
        return self.holds(self.breakdown.parts[:, list(classes)].sum(axis=1))

    def holds(self, per_step_ns: Float64 | Int64) -> float:
        """Share of typical steps in which something that costs so much of each step is worth a word."""
        typical = list(self.breakdown.typical)
        return float((per_step_ns[typical] >= WORTH * self.breakdown.steps.length[typical]).mean()) if typical else 0.0

    def only_here(self, rows: Int64) -> tuple[Int64, ...]:
        """Rows of this rank, as levers name rows of every rank."""
        none = np.zeros(0, np.int64)
        return tuple(rows if place == self.rank else none for place in range(len(self.summary.profiles)))

    def at(self, row: int) -> SpanReference | None:
        """A reference to one span of the rank."""
        return at_row(self.rank, self.profile, row)

    def evidence(self, text: str, row: int) -> Evidence:
        """A sentence about one span of the rank."""
        return Evidence(text, self.at(row))

    def name(self, row: int) -> str:
        """Of one span of the rank, "" for none."""
        if row == NONE:
            return ""
        name = self.profile.names[int(self.profile.spans.name[row])]
        return shortened(short_name(name) if self.profile.spans.kind[row] == SpanKind.KERNEL else name)

    def labelled(self, *classes: TimeClass) -> Int64:
        """Rows of the classes that have time of their own in typical steps."""
        return self._exposed[np.isin(self.breakdown.classified.label[self._exposed], [int(each) for each in classes])]

    @cached_property
    def _exposed(self) -> Int64:
        """Rows with time of their own in typical steps."""
        return np.flatnonzero(self.breakdown.exposed > 0)

    def evidence_of(self, rows: Int64, text: Callable[[str, float], str], limit: int = 3) -> tuple[Evidence, ...]:
        """One line for each of the names with most time of their own, the first and those worth a word."""
        owned, names = self.breakdown.exposed[rows], self.profile.spans.name[rows]
        sums = np.bincount(names, owned, len(self.profile.names) + 1) / max(1, len(self.breakdown.typical))
        lines: list[Evidence] = []
        for name in map(int, np.argsort(-sums, kind="stable")[:limit]):
            if sums[name] <= 0 or (lines and sums[name] < WORTH * self.step_ns):
                break
            mine = np.flatnonzero(names == name)
            row = int(rows[mine[int(np.argmax(owned[mine]))]])
            lines.append(Evidence(text(self.name(row), float(sums[name])), self.at(row)))
        return tuple(lines)


def shortened(name: str) -> str:
    """A name that fits a sentence: the middle is left out of a long one."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME // 2]}…{name[-_LONGEST_NAME // 2 :]}"


def own_ns(breakdown: Breakdown) -> float:
    """A rank's typical step without communication, in which it may only wait for others."""
    return breakdown.typical_ns - float(breakdown.typical_parts[TimeClass.COMM])
