"""The memory of one device or of the host: what is declared about it, and how it is made from the analyses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Struct

from stepscope.analyses.memory.growth import GrowthVerdict, MemoryGrowth
from stepscope.analyses.memory.held import Held, Lifetime, MemoryUse, Spike, Tensor, largest, lifetimes, spikes
from stepscope.analyses.memory.ledger import MatchedBy
from stepscope.analyses.memory.pressure import Cause, OutOfMemory
from stepscope.analyses.memory.timeline import StackedBy, memory_timeline, possible_stacks
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.model.profile import NONE, Profile
from stepscope.session.limits import Host, Rank, Worker, limited
from stepscope.session.parts.memory_texts import failure_text, growth_text, notes_on, peak_text

MOST_LARGEST = 100
MOST_SPIKES = 20
_MS = 1e6


class HeldRow(Struct, frozen=True, kw_only=True):
    """Similar allocations that were held at the peak."""

    op: Annotated[str, d.text("Operation that allocated them.")]
    bytes: Annotated[int, d.size("Total size.")]
    share: Annotated[float, d.fraction("Share of the peak.")]
    count: Annotated[int, d.count("Number of allocations; 0 when unknown.")]
    module: Annotated[str, d.text("Module; the name scope, or the user's own line of code, where there are no modules.")]
    kind: Annotated[str, d.text("Kind, such as parameter, gradient or activation; empty when unknown.")]
    shape: Annotated[str, d.text("Shape; empty when unknown.")]
    dtype: Annotated[str, d.text("Data type; empty when unknown.")]
    first_step: Annotated[int | None, d.number("Step that allocated the oldest; null when allocated before the profile.", "step")]


class TensorRow(Struct, frozen=True, kw_only=True):
    """Similar allocations of one size; times are those of the one that lived longest."""

    op: Annotated[str, d.text("Operation that allocated them.")]
    bytes: Annotated[int, d.size("Size of one.")]
    count: Annotated[int, d.count("Number of allocations.")]
    module: Annotated[str, d.text("Module; the name scope, or the user's own line of code, where there are no modules.")]
    kind: Annotated[str, d.text("Kind, such as parameter, gradient or activation; empty when unknown.")]
    shape: Annotated[str, d.text("Shape; empty when unknown.")]
    dtype: Annotated[str, d.text("Data type; empty when unknown.")]
    step: Annotated[int | None, d.number("Step that allocated it; null when unknown.", "step")]
    from_ms: Annotated[float | None, d.ms("Time of allocation since the start; null when allocated before the profile.")]
    until_ms: Annotated[float | None, d.ms("Time of release since the start; null when still held at the end.")]
    at_peak: Annotated[bool, d.flag("Whether any of them was held at the peak.")]


class LifetimeRow(Struct, frozen=True, kw_only=True):
    """Allocations that lived about as long."""

    lifetime: Annotated[Lifetime, d.text("How long they lived.")]
    count: Annotated[int, d.count("Number of allocations.")]
    bytes: Annotated[int, d.size("Total size.")]
    median_ms: Annotated[float | None, d.ms("Median lifetime; null when one end is not in the profile.")]


class SpikeRow(Struct, frozen=True, kw_only=True):
    """An operation that allocates memory and releases it before it ends."""

    op: Annotated[str, d.text("Operation.")]
    bytes: Annotated[int, d.size("Most that one call held, above what was held before and after.")]
    count: Annotated[int, d.count("Number of calls that did so.")]
    ms: Annotated[float, d.ms("Time of the largest one since the start.")]
    step: Annotated[int | None, d.number("Step of the largest one; null when unknown.", "step")]


class HolderRow(Struct, frozen=True):
    """An operation and memory that it holds."""

    op: Annotated[str, d.text("Operation that allocated it.")]
    bytes: Annotated[int, d.size("Total size.")]


class GrowthRow(Struct, frozen=True, kw_only=True):
    """Whether memory grows from step to step."""

    verdict: Annotated[GrowthVerdict, d.text("Whether it grows.")]
    sentence: Annotated[str, d.text("The same in one sentence.")]
    bytes_per_step: Annotated[float, d.number("Median growth.", "B/step")]
    bytes_per_step_low: Annotated[float, d.number("Lower bound of the growth (95%).", "B/step")]
    bytes_per_step_high: Annotated[float, d.number("Upper bound of the growth (95%).", "B/step")]
    rising: Annotated[float, d.fraction("Share of pairs of steps in which the later one uses more memory.")]
    steps: Annotated[int, d.count("Number of steps it follows from.")]
    stays: Annotated[list[HolderRow], d.nested("Operations with memory still allocated after the last step, most first.")]


class PiecesRow(Struct, frozen=True, kw_only=True):
    """Free blocks inside the memory that the allocator reserves."""

    reserved_bytes: Annotated[int, d.size("Memory that the allocator reserves.")]
    active_bytes: Annotated[int, d.size("Memory in use.")]
    free_bytes: Annotated[int, d.size("Memory in free blocks.")]
    largest_free_bytes: Annotated[int, d.size("Largest free block.")]
    free_blocks: Annotated[int, d.count("Number of free blocks.")]


class OutOfMemoryRow(Struct, frozen=True, kw_only=True):
    """A request for memory that failed."""

    ms: Annotated[float, d.ms("Time since the start.")]
    sentence: Annotated[str, d.text("What was requested, what was free and why it failed, in one sentence.")]
    cause: Annotated[Cause, d.text("Why it failed.")]
    asked_bytes: Annotated[int, d.size("Requested size.")]
    device_free_bytes: Annotated[int | None, d.size("Memory free on the device; null when not recorded.")]
    held_bytes: Annotated[int, d.size("Memory in use.")]
    reserved_bytes: Annotated[int | None, d.size("Memory that the allocator reserved; null when not recorded.")]
    largest_free_bytes: Annotated[int | None, d.size("Largest free block; null when unknown for that moment.")]
    holders: Annotated[list[HolderRow], d.nested("Operations that held most.")]


class LayerRow(Struct, frozen=True):
    """One layer of the timeline."""

    name: Annotated[str, d.text("Operation, module or kind.")]
    bytes: Annotated[list[int], d.size("Size at each point.")]


class TimelineRow(Struct, frozen=True, kw_only=True):
    """Memory over time. Each point is valid until the next; the layers sum to `bytes`."""

    by: Annotated[StackedBy, d.text("What makes a layer.")]
    ms: Annotated[list[float], d.ms("Time of each point since the start.")]
    bytes: Annotated[list[int], d.size("Memory in use at each point.")]
    reserved_bytes: Annotated[list[int] | None, d.size("Memory that the allocator reserved at each point; null when not recorded.")]
    layers: Annotated[list[LayerRow], d.nested("The layers, from the lowest.")]
    peak: Annotated[int, d.number("Place of the peak among the points.", "place")]


class StepStart(Struct, frozen=True):
    """Where a step begins on the timeline."""

    step: Annotated[int, d.number("Step number.", "step")]
    ms: Annotated[float, d.ms("Time since the start.")]


class DeviceMemory(Struct, frozen=True, kw_only=True):
    """The memory of one device or of the host."""

    name: Annotated[str, d.text("Device, such as `GPU 0 (A100)`, or `host`.")]
    worker: Worker
    host: Host
    rank: Rank
    allocator: Annotated[str, d.text("Allocator; empty when unknown.")]
    sentence: Annotated[str, d.text("The peak and what held most of it, in one or two sentences.")]
    peak_bytes: Annotated[int, d.size("Most memory in use.")]
    peak_ms: Annotated[float, d.ms("Time of the peak since the start.")]
    peak_step: Annotated[int | None, d.number("Step of the peak; null when unknown.", "step")]
    capacity_bytes: Annotated[int | None, d.size("Size of the memory; null when not recorded.")]
    reserved_bytes: Annotated[int | None, d.size("Memory that the allocator reserved at the peak; null when not recorded.")]
    fragmentation: Annotated[
        float | None,
        d.fraction(
            "Of a snapshot: share of free memory outside the largest free block; else: share of reserved memory unused at peak."
        ),
    ]
    matched_by: Annotated[MatchedBy, d.text("How releases were matched with allocations.")]
    timed: Annotated[bool, d.flag("Whether the file records times, not only the order of events.")]
    from_start: Annotated[bool, d.flag("Whether bytes are a lower bound: memory allocated before the profile is not counted.")]
    at_peak: Annotated[list[HeldRow], d.nested("What was held at the peak, most first.")]
    at_peak_left_out_bytes: Annotated[int, d.size("Part of the peak that `at_peak` does not list.")]
    largest: Annotated[list[TensorRow], d.nested("The largest allocations in the whole profile, at most 100 rows.")]
    lifetimes: Annotated[list[LifetimeRow], d.nested("How long allocations lived.")]
    spikes: Annotated[list[SpikeRow], d.nested("Memory allocated and released inside one operation, at most 20 rows.")]
    growth: Annotated[GrowthRow | None, d.nested("Whether it grows from step to step; null without several steps.")]
    pieces: Annotated[PiecesRow | None, d.nested("Free blocks; null without a snapshot of the allocator.")]
    out_of_memory: Annotated[list[OutOfMemoryRow], d.nested("Requests that failed.")]
    stacked_by: Annotated[list[StackedBy], d.nested("What can make a layer of the timeline.")]
    timeline: Annotated[TimelineRow, d.nested("Memory over time.")]
    steps: Annotated[list[StepStart], d.nested("Where steps begin.")]
    notes: Annotated[list[str], d.nested("What to know about these numbers.")]


@dataclass(frozen=True, slots=True)
class Rows:
    """Which rows are listed, and how the timeline is drawn."""

    by: StackedBy | None = None
    scope: str = ""
    min_bytes: int = 0
    limit: int = 0
    points: int = 600

    def holds(self, row: Held | Tensor) -> bool:
        """Whether a row belongs to the scope, by operation or module, and is large enough."""
        return abs(row.bytes) >= self.min_bytes and (row.op.startswith(self.scope) or row.module.startswith(self.scope))

    def holds_spike(self, row: Spike) -> bool:
        """The same for a spike."""
        return row.bytes >= self.min_bytes and row.op.startswith(self.scope)


def device_memory(profile: Profile, use: MemoryUse, growth: MemoryGrowth | None, rows: Rows, whose: dict[str, object]) -> DeviceMemory:
    """Everything about one memory."""
    ledger = use.ledger
    at_peak = limited([row for row in use.at_peak if rows.holds(row)], rows.limit)
    return fill(
        DeviceMemory,
        use,
        **whose,
        name=ledger.name,
        allocator=ledger.allocator,
        sentence=peak_text(use),
        peak_ms=_ms(profile, use.peak_ns),
        capacity_bytes=ledger.capacity or None,
        reserved_bytes=_known(int(ledger.reserved[use.peak])),
        matched_by=ledger.matched_by,
        timed=ledger.timed,
        from_start=ledger.from_start,
        at_peak=[fill(HeldRow, row, share=row.bytes / use.peak_bytes if use.peak_bytes else 0.0) for row in at_peak],
        at_peak_left_out_bytes=use.peak_bytes - sum(row.bytes for row in at_peak),
        largest=[_tensor(profile, row) for row in _largest(use, rows)],
        lifetimes=[fill(LifetimeRow, row, lifetime=row.lifetime) for row in lifetimes(use)],
        spikes=[
            fill(SpikeRow, row, ms=_ms(profile, row.time_ns)) for row in spikes(profile, use, MOST_SPIKES) if rows.holds_spike(row)
        ],
        growth=None if growth is None else _growth(growth),
        out_of_memory=[_failed(profile, use, each) for each in use.out_of_memory],
        stacked_by=list(possible_stacks(ledger)),
        timeline=_timeline(profile, use, rows),
        steps=_step_starts(profile, use),
        notes=list(notes_on(ledger)),
    )


def _largest(use: MemoryUse, rows: Rows) -> list[Tensor]:
    every = len(use.ledger.holdings) if rows.scope else MOST_LARGEST
    return [row for row in largest(use, every) if rows.holds(row)][:MOST_LARGEST]


def _tensor(profile: Profile, row: Tensor) -> TensorRow:
    began, ended = (None if at is None else _ms(profile, at) for at in (row.from_ns, row.until_ns))
    return fill(TensorRow, row, from_ms=began, until_ms=ended)


def _growth(growth: MemoryGrowth) -> GrowthRow:
    low, high = growth.bounds
    return fill(
        GrowthRow,
        growth,
        verdict=growth.verdict,
        sentence=growth_text(growth),
        bytes_per_step=growth.slope,
        bytes_per_step_low=low,
        bytes_per_step_high=high,
        steps=len(growth.level),
        stays=[HolderRow(op, size) for op, size in growth.grows],
    )


def _failed(profile: Profile, use: MemoryUse, failed: OutOfMemory) -> OutOfMemoryRow:
    return fill(
        OutOfMemoryRow,
        failed,
        ms=_ms(profile, int(use.ledger.time[failed.event])),
        sentence=failure_text(failed),
        cause=failed.cause,
        holders=[HolderRow(op, size) for op, size in failed.holders],
    )


def _timeline(profile: Profile, use: MemoryUse, rows: Rows) -> TimelineRow:
    possible = possible_stacks(use.ledger)
    best = StackedBy.KIND if StackedBy.KIND in possible and not use.ledger.kinds_by_pass else StackedBy.OP
    by = rows.by if rows.by is not None and rows.by in possible else best
    line = memory_timeline(use.ledger, by, stretches=rows.points)
    known = bool((line.reserved != NONE).all())
    return TimelineRow(
        by=by,
        ms=[_ms(profile, at) for at in line.time.tolist()],
        bytes=line.level.tolist(),
        reserved_bytes=line.reserved.tolist() if known else None,
        layers=[LayerRow(layer.name, layer.bytes.tolist()) for layer in line.layers],
        peak=line.peak,
    )


def _step_starts(profile: Profile, use: MemoryUse) -> list[StepStart]:
    if use.steps is None:
        return []
    pairs = zip(use.steps.number.tolist(), use.steps.marker.tolist(), strict=True)
    return [StepStart(number, _ms(profile, start)) for number, start in pairs]


def _ms(profile: Profile, time: int) -> float:
    return (time - profile.window[0]) / _MS


def _known(size: int) -> int | None:
    return None if size == NONE else size
