"""What the memory route takes and answers, and how it is made of the analyses; `stepscope profile memory` prints the same objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, Struct, structs

from stepscope.analyses.breakdown import break_down
from stepscope.analyses.memory.growth import GrowthVerdict, MemoryGrowth, memory_growth
from stepscope.analyses.memory.held import Held, MemoryUse, Spike, Tensor, largest, lifetimes, memory, spikes
from stepscope.analyses.memory.ledger import MatchedBy
from stepscope.analyses.memory.pressure import Cause, OutOfMemory
from stepscope.analyses.memory.timeline import StackedBy, memory_timeline, possible_stacks
from stepscope.analyses.steps import find_steps
from stepscope.dashboards.profile.messages import RangeText, ReadingRow, SessionText, StepsText, WorkerText
from stepscope.model.profile import NONE, Profile
from stepscope.queries.profiles import Opened
from stepscope.rules.options import Shows, was_on

MOST_HELD = 2_000
MOST_LARGEST = 100
MOST_SPIKES = 20
_MS = 1e6
_FROM_START = "counted from the start of the recording; what was allocated before is not in it"


class MemoryRequest(Struct, frozen=True):
    """Which session and worker (none: the first), what makes a layer (none: the best there is), and which rows are wanted."""

    session: SessionText
    worker: WorkerText = ""
    steps: StepsText = ""
    range: RangeText = ""
    by: StackedBy | None = None
    scope: Annotated[str, Meta(max_length=1_000)] = ""
    min_bytes: Annotated[int, Meta(ge=0)] = 0


class HeldRow(Struct, frozen=True):
    """Allocations alike that were held at the peak; `module` is a name scope, or the user's own line, where there are no modules."""

    op: str
    bytes: int
    share: float
    count: int
    module: str
    kind: str
    shape: str
    dtype: str
    first_step: int | None


class TensorRow(Struct, frozen=True):
    """Allocations of one size that are alike; times are those of the one that lived longest, null when it was there before the
    recording, or still at its end."""

    op: str
    bytes: int
    count: int
    module: str
    kind: str
    shape: str
    dtype: str
    step: int | None
    from_ms: float | None
    until_ms: float | None
    at_peak: bool


class LifetimeLine(Struct, frozen=True):
    """Allocations that lived alike: `within_a_step`, `across_steps`, `to_the_end` or `from_before`."""

    lifetime: str
    count: int
    bytes: int
    median_ms: float | None


class SpikeRow(Struct, frozen=True):
    """An operation that takes memory and gives it back: the most that one call held, when, and how many calls did so."""

    op: str
    bytes: int
    count: int
    ms: float
    step: int | None


class KeptRow(Struct, frozen=True):
    """An operation and bytes of it that stay."""

    op: str
    bytes: int


class GrowthRow(Struct, frozen=True):
    """From step to step: the slope with its bounds of 95 %; `rising` is the share of pairs of steps in which the later one has more."""

    verdict: str
    sentence: str
    bytes_per_step: float
    bytes_per_step_low: float
    bytes_per_step_high: float
    rising: float
    steps: int
    stays: list[KeptRow]


class PiecesRow(Struct, frozen=True):
    """Free blocks inside of what the allocator holds."""

    reserved_bytes: int
    active_bytes: int
    free_bytes: int
    largest_free_bytes: int
    free_blocks: int


class OutOfMemoryRow(Struct, frozen=True):
    """A request that failed: `cause` is fragmented, full or unknown."""

    ms: float
    sentence: str
    cause: str
    asked_bytes: int
    device_free_bytes: int | None
    held_bytes: int
    reserved_bytes: int | None
    largest_free_bytes: int | None
    holders: list[KeptRow]


class LayerRow(Struct, frozen=True):
    """One layer of the timeline."""

    name: str
    bytes: list[int]


class TimelineRow(Struct, frozen=True):
    """Points in time order, each valid until the next; the layers sum to `bytes`. `peak` is the place of the peak."""

    by: str
    ms: list[float]
    bytes: list[int]
    reserved: list[int] | None
    layers: list[LayerRow]
    peak: int


class StepStart(Struct, frozen=True):
    """When a step begins, on the timeline."""

    step: int
    ms: float


class MemoryRow(Struct, frozen=True):
    """One memory: a device's or the host's."""

    name: str
    allocator: str
    sentence: str
    peak_bytes: int
    peak_ms: float
    peak_step: int | None
    capacity_bytes: int | None
    reserved_bytes: int | None
    fragmentation: float | None
    matched_by: str
    timed: bool
    from_start: bool  # bytes are at least what was held: what was allocated before the recording is not in them
    at_peak: list[HeldRow]
    at_peak_left_out_bytes: int
    largest: list[TensorRow]
    lifetimes: list[LifetimeLine]
    spikes: list[SpikeRow]
    growth: GrowthRow | None
    pieces: PiecesRow | None
    out_of_memory: list[OutOfMemoryRow]
    stacked_by: list[str]
    timeline: TimelineRow
    steps: list[StepStart]
    notes: list[str]


class MemoryAnswer(Struct, frozen=True):
    """The memories of a worker, devices first, or how far reading has come; no memory: `notes` say how to record it."""

    epoch: int
    reading: ReadingRow | None
    devices: list[MemoryRow] | None
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows and which layers."""

    by: StackedBy | None = None
    scope: str = ""
    min_bytes: int = 0
    stretches: int = 600

    def holds(self, row: Held | Tensor) -> bool:
        """Whether a row is of the scope, by operation or module, and large enough."""
        return abs(row.bytes) >= self.min_bytes and (row.op.startswith(self.scope) or row.module.startswith(self.scope))

    def holds_spike(self, row: Spike) -> bool:
        """The same of a spike."""
        return row.bytes >= self.min_bytes and row.op.startswith(self.scope)


def memory_rows(profile: Profile, steps_by: str | None, wanted: Wanted) -> list[MemoryRow]:
    """The memories of a profile; without spans there are no steps. Raises BadInput."""
    if not len(profile.spans):
        return [_memory_row(profile, use, None, wanted) for use in memory(profile, None)]
    steps = find_steps(profile, steps_by)
    uses = memory(profile, steps)
    several = bool(uses) and len(steps) > 1
    growths = {each.name: each for each in memory_growth(profile, break_down(profile, steps))} if several else {}
    return [_memory_row(profile, use, growths.get(use.ledger.name), wanted) for use in uses]


def memory_of_session(opened: Opened, steps_by: str, wanted: Wanted) -> tuple[list[MemoryRow], list[str]]:
    """The memories of all profiles, with the file's name before those of several, and what to do when there are none."""
    rows: list[MemoryRow] = []
    for file, profile in zip(opened.files, opened.profiles, strict=True):
        found = memory_rows(profile, (steps_by or None) if len(profile.spans) else None, wanted)
        named = len(opened.profiles) > 1 and not file.has_steps
        rows += [structs.replace(row, name=f"{file.worker}: {row.name}") for row in found] if named else found
    return rows, [] if rows else [how_to_record(profile) for profile in opened.profiles[:1]]


def how_to_record(profile: Profile) -> str:
    """One sentence: which option of the capture records memory, unless it was on."""
    if profile.framework == "TensorFlow" and was_on(profile, Shows.MEMORY):
        return "No allocation was recorded: host_tracer_level=2 was on, and TensorFlow tells of memory on accelerators only."
    return {
        "PyTorch": "No allocation was recorded: profile with profile_memory=True, and with record_shapes=True and with_stack=True "
        "to see modules, or take torch.cuda.memory._record_memory_history() and _dump_snapshot().",
        "JAX": "No allocation was recorded: JAX tells of memory on GPUs only; call "
        "jax.profiler.save_device_memory_profile(file) for who holds it at one moment.",
        "TensorFlow": "No allocation was recorded: profile with host_tracer_level=2 or more.",
    }.get(profile.framework, "No allocation was recorded: turn on the profiler's option for memory, such as profile_memory=True.")


def size_text(size: float) -> str:
    """Bytes in the unit that fits, three digits."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < 999.5:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TiB" if abs(size) < 999.5 else f"{size:,.0f} TiB"


def _memory_row(profile: Profile, use: MemoryUse, growth: MemoryGrowth | None, wanted: Wanted) -> MemoryRow:
    ledger = use.ledger
    at_peak = [row for row in use.at_peak if wanted.holds(row)][:MOST_HELD]
    return MemoryRow(
        name=ledger.name,
        allocator=ledger.allocator,
        sentence=_sentence(use),
        peak_bytes=use.peak_bytes,
        peak_ms=_ms(profile, use.peak_ns),
        peak_step=use.peak_step,
        capacity_bytes=ledger.capacity or None,
        reserved_bytes=_known(int(ledger.reserved[use.peak])),
        fragmentation=use.fragmentation,
        matched_by=ledger.matched_by.value,
        timed=ledger.timed,
        from_start=ledger.from_start,
        at_peak=[_held_row(row, use.peak_bytes) for row in at_peak],
        at_peak_left_out_bytes=use.peak_bytes - sum(row.bytes for row in at_peak),
        largest=[_tensor_row(profile, row) for row in _largest(use, wanted)],
        lifetimes=[
            LifetimeLine(row.lifetime.value, row.count, row.bytes, None if row.median_ns is None else row.median_ns / _MS)
            for row in lifetimes(use)
        ],
        spikes=[
            SpikeRow(row.op, row.bytes, row.count, _ms(profile, row.time_ns), row.step)
            for row in spikes(profile, use, MOST_SPIKES)
            if wanted.holds_spike(row)
        ],
        growth=None if growth is None else _growth_row(growth),
        pieces=None
        if use.pieces is None
        else PiecesRow(
            use.pieces.reserved_bytes,
            use.pieces.active_bytes,
            use.pieces.free_bytes,
            use.pieces.largest_free_bytes,
            use.pieces.free_blocks,
        ),
        out_of_memory=[_failed_row(profile, use, each) for each in use.out_of_memory],
        stacked_by=[by.value for by in possible_stacks(ledger)],
        timeline=_timeline_row(profile, use, wanted),
        steps=_step_starts(profile, use),
        notes=_notes(use),
    )


def _largest(use: MemoryUse, wanted: Wanted) -> list[Tensor]:
    every = len(use.ledger.holdings) if wanted.scope else MOST_LARGEST
    return [row for row in largest(use, every) if wanted.holds(row)][:MOST_LARGEST]


def _sentence(use: MemoryUse) -> str:
    capacity = f" of {size_text(use.ledger.capacity)}" if use.ledger.capacity else ""
    step = f" in step {use.peak_step}" if use.peak_step is not None else ""
    one_moment = len(use.ledger.time) == 1
    level = f"{size_text(use.peak_bytes)}{capacity} {'are held' if one_moment else 'at the peak'}{step}"
    peak = f"At least {level}, {_FROM_START}." if use.ledger.from_start else f"{level}."
    if not use.at_peak or use.peak_bytes <= 0:
        return peak
    first = use.at_peak[0]
    share = f"{first.bytes / use.peak_bytes:.0%}".replace("%", " %")
    return f"{peak} {share} of it: {first.op}{f' in {first.module}' if first.module and first.module != first.op else ''}."


def _held_row(row: Held, peak: int) -> HeldRow:
    share = row.bytes / peak if peak else 0.0
    return HeldRow(row.op, row.bytes, share, row.count, row.module, row.kind, row.shape, row.dtype, row.first_step)


def _tensor_row(profile: Profile, row: Tensor) -> TensorRow:
    began, ended = (None if at is None else _ms(profile, at) for at in (row.from_ns, row.until_ns))
    texts = (row.module, row.kind, row.shape, row.dtype)
    return TensorRow(row.op, row.bytes, row.count, *texts, row.step, began, ended, row.at_peak)


def _growth_row(growth: MemoryGrowth) -> GrowthRow:
    count = len(growth.level)
    low, high = growth.bounds
    pace = f"{size_text(growth.slope)} a step (95 %: {size_text(low)} to {size_text(high)})"
    rising = f"{100 * growth.rising:.0f} % of all pairs of {count} steps"
    sentence = {
        GrowthVerdict.GROWS: f"It grows by {pace}: more is held after the later one in {rising}.",
        GrowthVerdict.STEADY: f"It does not grow from step to step, over {count} steps.",
        GrowthVerdict.CANNOT_TELL: "There are too few steps alike to tell growth from noise; record at least six.",
    }[growth.verdict]
    stays = [KeptRow(op, size) for op, size in growth.grows]
    return GrowthRow(growth.verdict.value, sentence, growth.slope, low, high, growth.rising, count, stays)


def _failed_row(profile: Profile, use: MemoryUse, failed: OutOfMemory) -> OutOfMemoryRow:
    free = _known(failed.device_free_bytes)
    reserved = _known(failed.reserved_bytes)
    largest_free = _known(failed.largest_free_bytes)
    parts = [f"{size_text(failed.asked_bytes)} were asked for"]
    if free is not None:
        parts.append(f"{size_text(free)} were free on the device")
    if reserved is not None:
        unused = size_text(max(0, reserved - failed.held_bytes))
        pieces = f", in pieces of at most {size_text(largest_free)}" if largest_free is not None else ""
        parts.append(f"{unused} of the allocator's {size_text(reserved)} were unused{pieces}")
    why = {
        Cause.FRAGMENTED: "enough was free, but in too small pieces",
        Cause.FULL: "the memory was full",
        Cause.UNKNOWN: "what was free is not in the file",
    }[failed.cause]
    return OutOfMemoryRow(
        ms=_ms(profile, int(use.ledger.time[failed.event])),
        sentence=f"{'; '.join(parts)}: {why}.",
        cause=failed.cause.value,
        asked_bytes=failed.asked_bytes,
        device_free_bytes=free,
        held_bytes=failed.held_bytes,
        reserved_bytes=reserved,
        largest_free_bytes=largest_free,
        holders=[KeptRow(op, size) for op, size in failed.holders],
    )


def _timeline_row(profile: Profile, use: MemoryUse, wanted: Wanted) -> TimelineRow:
    possible = possible_stacks(use.ledger)
    best = StackedBy.KIND if StackedBy.KIND in possible and not use.ledger.kinds_by_pass else StackedBy.OP
    by = wanted.by if wanted.by is not None and wanted.by in possible else best
    line = memory_timeline(use.ledger, by, stretches=wanted.stretches)
    known = bool((line.reserved != NONE).all())
    return TimelineRow(
        by=by.value,
        ms=[_ms(profile, at) for at in line.time.tolist()],
        bytes=line.level.tolist(),
        reserved=line.reserved.tolist() if known else None,
        layers=[LayerRow(layer.name, layer.bytes.tolist()) for layer in line.layers],
        peak=line.peak,
    )


def _step_starts(profile: Profile, use: MemoryUse) -> list[StepStart]:
    if use.steps is None:
        return []
    pairs = zip(use.steps.number.tolist(), use.steps.marker.tolist(), strict=True)
    return [StepStart(number, _ms(profile, start)) for number, start in pairs]


def _notes(use: MemoryUse) -> list[str]:
    ledger = use.ledger
    notes: list[str] = []
    if ledger.from_start:
        notes.append(
            f"The file has no totals: bytes are what was held at least, {_FROM_START}. A snapshot of the allocator has all of it."
        )
    if ledger.matched_by is MatchedBy.SIZE:
        notes.append("The file has no addresses: a release is taken for that of the newest allocation of the same size.")
    if ledger.matched_by is MatchedBy.SUMS:
        notes.append("The file has sums by category, and no single allocations.")
    if ledger.kinds_by_pass:
        notes.append(
            "The file tells no kinds: they follow from the pass in which memory was taken, and from what it outlived. What was there "
            "before, parameters above all, has none."
        )
    if ledger.lost:
        notes.append(f"{ledger.lost:,} releases are missing in the file: their addresses were handed out again.")
    if not ledger.timed and len(ledger.time) > 1:
        notes.append("The file tells the order of events, not their times.")
    return notes


def _ms(profile: Profile, time: int) -> float:
    return (time - profile.window[0]) / _MS


def _known(size: int) -> int | None:
    return None if size == NONE else size
