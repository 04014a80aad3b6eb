"""What rules look at: one session's summary, and analyses of the rank that the others wait for, each made when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TypeAlias

import numpy as np

from stepscope.analyses.attributes import ReadAttributes
from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.devices.peaks import Peaks, device_peaks
from stepscope.analyses.devices.table import DeviceTable, published_devices
from stepscope.analyses.devices.unrecorded import Unrecorded, unrecorded_device
from stepscope.analyses.host.threads import HostThreads, host_threads
from stepscope.analyses.idle_causes import IdleCauses, idle_causes
from stepscope.analyses.input.pipeline import InputPipeline, input_pipeline
from stepscope.analyses.launches import Launches, launches
from stepscope.analyses.memory.fullest import Held, allocations_recorded, fullest_device
from stepscope.analyses.memory.growth import MemoryGrowth, memory_growth
from stepscope.analyses.memory.ledger import ledgers
from stepscope.analyses.memory.pressure import OutOfMemory, out_of_memory
from stepscope.analyses.rank_spans import RankSpans, SpanReference
from stepscope.analyses.session.summary import Summary
from stepscope.analyses.texts import milliseconds, shortened
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.crowding import Crowding, crowding
from stepscope.analyses.what_if.loading import Loading, loading
from stepscope.analyses.what_if.prediction import Context, replay_context
from stepscope.model.errors import StepscopeError
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import NONE, Float64, Int64, Profile, SpanKind
from stepscope.model.span_names import NameRole
from stepscope.rules.rule import Evidence

ReadPrograms: TypeAlias = Callable[[int], Sequence[HloProgram]]
"""The compiled programs of the profile at a place of the session."""
ReadDevices: TypeAlias = Callable[[], DeviceTable]
"""What is known of devices, with the user's own rows; read when a rule asks."""

WORTH = 0.01
"""A pattern holds in a step when it costs at least this share of it."""
_OF_MEAN = 1 / 3


class Facts:
    """One session; `rank` is the place of the profile that single-rank rules speak of."""

    def __init__(
        self,
        summary: Summary,
        attributes: ReadAttributes | None = None,
        cores: int | None = None,
        unprofiled_ns: float | None = None,
        programs: ReadPrograms | None = None,
        devices: ReadDevices = published_devices,
    ) -> None:
        self.summary = summary
        damaged = summary.quality.damaged
        self.rank = int(np.argmax([-1.0 if place in damaged else own_ns(one) for place, one in enumerate(summary.breakdowns)]))
        self._attributes = attributes
        self._cores = cores
        self._unprofiled_ns = unprofiled_ns
        self._programs = programs
        self._devices = devices

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
        rows = self.rank_spans.exposed[self.breakdown.classified.label[self.rank_spans.exposed] >= 0]
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
    def peaks(self) -> Peaks | None:
        """Of the rank's device; None where it has none."""
        place = self.breakdown.classified.devices[0]
        return None if place == NONE else device_peaks(self.profile.devices[place], self._devices())

    @property
    def unrecorded(self) -> Unrecorded | None:
        """The device of the rank, where it works and its work is not in the file."""
        return unrecorded_device(self.profile, self.breakdown)

    @cached_property
    def rank_spans(self) -> RankSpans:
        """The rank's spans, for analyses that look among them."""
        return RankSpans(self.profile, self.breakdown)

    @property
    def linked(self) -> bool:
        """Whether any device work has its launch in the file."""
        return self.rank_spans.linked

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

    @property
    def retries(self) -> Int64:
        """Calls that release device memory because the allocator had to make room."""
        return self.rank_spans.retries

    @cached_property
    def held(self) -> Held | None:
        """Of the device that is fullest, None where no total was recorded."""
        return fullest_device(self.profile)

    @property
    def memory_recorded(self) -> bool:
        """Whether any allocation was."""
        return allocations_recorded(self.profile)

    @cached_property
    def out_of_memory(self) -> tuple[OutOfMemory, ...]:
        """Requests that failed, as an allocator's snapshot tells them."""
        if self.profile.memory_snapshot is None:
            return ()
        return tuple(each for ledger in ledgers(self.profile) for each in out_of_memory(self.profile, ledger))

    def inside(self, around: Int64, *classes: TimeClass) -> Int64:
        """Spans of the classes with time of their own that begin inside any of the spans `around`, on the same track."""
        return self.rank_spans.within(around, self.labelled(*classes))

    @property
    def undirected(self) -> float:
        """Share of a step in copies of unknown direction that nothing hides."""
        return self.rank_spans.undirected_ns / self.step_ns

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

    @property
    def crowding(self) -> Crowding:
        """Of the rank: loading beside the step that takes its cores."""
        return crowding(self.profile, self.breakdown, self.threads.cores)

    @cached_property
    def what_if(self) -> Context:
        """The recording, ready to be played again."""
        return replay_context(
            self.summary.profiles,
            self.summary.breakdowns,
            cores=self.threads.cores,
            typical_ns=self.summary.typical_ns,
            unprofiled_ns=self._unprofiled_ns,
        )

    def of_kind(self, *kinds: SpanKind) -> Int64:
        """Rows of the kinds on threads and streams; those of one kind are in the order of the table."""
        return self.rank_spans.of_kind(*kinds)

    def find(self, role: NameRole, *kinds: SpanKind) -> Int64:
        """Rows of the kinds, on threads and streams, whose name has the role."""
        return self.rank_spans.find(role, *kinds)

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
        return self.rank_spans.exposed_ns(rows)

    def takes_of(self, rows: Int64, left: float = 0.0) -> dict[TimeClass, float]:
        """Time that nothing hides, by class, as a lever takes it that leaves a part of these spans."""
        return {each: ns * (1 - left) for each, ns in self.rank_spans.exposed_by_class(rows).items() if ns * (1 - left) > 0}

    def per_step(self, rows: Int64) -> Float64:
        """Nanoseconds that only these spans have in every step; zero in steps that are not typical."""
        return self.rank_spans.per_step(rows)

    def running_per_step(self, rows: Int64) -> Float64:
        """Nanoseconds of every step in which any of these spans runs, whatever else does."""
        return self.rank_spans.running_per_step(rows)

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
        """Share of typical steps in which something that costs so much of each step is worth a word, and at least a third of its mean.

        A few steps in which a busy machine kept a thread waiting may cost more than all others, and are no pattern of every step.
        """
        typical = list(self.breakdown.typical)
        cost = per_step_ns[typical]
        least = np.maximum(WORTH * self.breakdown.steps.length[typical], _OF_MEAN * cost.mean()) if typical else 0.0
        return float((cost >= least).mean()) if typical else 0.0

    def only_here(self, rows: Int64) -> tuple[Int64, ...]:
        """Rows of this rank, as levers name rows of every rank."""
        none = np.zeros(0, np.int64)
        return tuple(rows if place == self.rank else none for place in range(len(self.summary.profiles)))

    def at(self, row: int) -> SpanReference | None:
        """A reference to one span of the rank."""
        return self.rank_spans.reference(self.rank, row)

    def evidence(self, text: str, row: int) -> Evidence:
        """A sentence about one span of the rank."""
        return Evidence(text, self.at(row))

    def length_text(self, row: int) -> str:
        """`73.4 ms`, or `73.4 ms, 57.7 ms of it exposed` where other work hides a part of a span in typical steps."""
        length, own = milliseconds(self.rank_spans.length_ns(row)), milliseconds(float(self.breakdown.exposed[row]))
        return length if own in (length, milliseconds(0.0)) else f"{length}, {own} of it exposed"

    def name(self, row: int) -> str:
        """Of one span of the rank, "" for none."""
        return "" if row == NONE else shortened(self.rank_spans.name(row))

    def labelled(self, *classes: TimeClass) -> Int64:
        """Rows of the classes that have time of their own in typical steps."""
        return self.rank_spans.labelled(*classes)

    def evidence_of(self, rows: Int64, text: Callable[[str, float], str], limit: int = 3) -> tuple[Evidence, ...]:
        """One line for each of the names with most time of their own, the first and those worth a word."""
        lines: list[Evidence] = []
        for own in islice(self.rank_spans.by_name(rows), limit):
            if lines and own.ns < WORTH * self.step_ns:
                break
            lines.append(Evidence(text(self.name(own.row), own.ns), self.at(own.row)))
        return tuple(lines)


def own_ns(breakdown: Breakdown) -> float:
    """A rank's typical step without communication, in which it may only wait for others."""
    return breakdown.typical_ns - float(breakdown.typical_parts[TimeClass.COMM])
