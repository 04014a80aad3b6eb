"""Sentences about memory: its peak and growth, why a request failed, what to know about the numbers, and how to record memory."""

from __future__ import annotations

from collections.abc import Iterator

from stepscope.analyses.memory.growth import LEAST_STEPS, GrowthVerdict, MemoryGrowth
from stepscope.analyses.memory.held import MemoryUse
from stepscope.analyses.memory.ledger import Ledger, MatchedBy
from stepscope.analyses.memory.pressure import Cause, OutOfMemory
from stepscope.analyses.texts import size_text
from stepscope.model.profile import NONE, Profile
from stepscope.rules.options import Shows, was_on

_FROM_START = "memory allocated before the profile is not counted"


def how_to_record(profile: Profile) -> str:
    """One sentence: which option of the capture records memory, unless it was on."""
    if profile.format == "tfprof":
        return "No allocations in this profile. Pass run metadata to the profiler: Profiler.add_step(step, run_metadata)."
    if profile.framework == "TensorFlow" and was_on(profile, Shows.MEMORY):
        return "No allocations in this profile: host_tracer_level=2 was on, but TensorFlow records memory only on accelerators."
    return {
        "PyTorch": "No allocations in this profile. Capture with profile_memory=True, and with record_shapes=True and with_stack=True "
        "to see modules, or use torch.cuda.memory._record_memory_history() and _dump_snapshot().",
        "JAX": "No allocations in this profile: JAX records memory only on GPUs. Call "
        "jax.profiler.save_device_memory_profile(file) for a snapshot of current allocations.",
        "TensorFlow": "No allocations in this profile. Capture with host_tracer_level=2 or more.",
    }.get(profile.framework, "No allocations in this profile. Turn on the profiler's memory option, such as profile_memory=True.")


def peak_text(use: MemoryUse) -> str:
    """The peak, and what allocated most of it."""
    capacity = f" of {size_text(use.ledger.capacity)}" if use.ledger.capacity else ""
    step = f" in step {use.peak_step}" if use.peak_step is not None else ""
    what = "Allocated memory" if len(use.ledger.time) == 1 else "Peak memory"
    level = f"{size_text(use.peak_bytes)}{capacity}{step}"
    peak = f"{what} is at least {level}; {_FROM_START}." if use.ledger.from_start else f"{what} is {level}."
    if not use.at_peak or use.peak_bytes <= 0:
        return peak
    first = use.at_peak[0]
    module = f" in {first.module}" if first.module and first.module != first.op else ""
    return f"{peak} Largest owner: {first.op}{module} ({first.bytes / use.peak_bytes:.0%})."


def growth_text(growth: MemoryGrowth) -> str:
    """Whether memory grows from step to step, and how fast."""
    count = len(growth.level)
    low, high = growth.bounds
    pace = f"{size_text(growth.slope)} per step (95% CI: {size_text(low)} to {size_text(high)})"
    rising = f"{100 * growth.rising:.0f}% of all pairs of {count} steps"
    return {
        GrowthVerdict.GROWS: f"Memory grows by {pace}: the later step uses more in {rising}.",
        GrowthVerdict.STEADY: f"Memory does not grow over {count} steps.",
        GrowthVerdict.CANNOT_TELL: f"Too few steps to tell growth from noise. Capture at least {LEAST_STEPS} of similar duration.",
    }[growth.verdict]


def failure_text(failed: OutOfMemory) -> str:
    """What a failed request asked for, what was free, and why that was not enough."""
    parts = [f"{size_text(failed.asked_bytes)} requested"]
    if failed.device_free_bytes != NONE:
        parts.append(f"{size_text(failed.device_free_bytes)} free on the device")
    if failed.reserved_bytes != NONE:
        unused = size_text(max(0, failed.reserved_bytes - failed.held_bytes))
        largest = failed.largest_free_bytes
        blocks = f", in blocks of at most {size_text(largest)}" if largest != NONE else ""
        parts.append(f"{unused} of the allocator's {size_text(failed.reserved_bytes)} unused{blocks}")
    why = {
        Cause.FRAGMENTED: "Enough memory was free, but in blocks that are too small.",
        Cause.FULL: "The memory was full.",
        Cause.UNKNOWN: "Free memory is not recorded in this file.",
    }[failed.cause]
    return f"{'; '.join(parts)}. {why}"


def notes_on(ledger: Ledger) -> Iterator[str]:
    """What the file does not record, and what that means for the numbers."""
    if ledger.from_start:
        yield f"The file has no totals of all memory, so bytes are a lower bound: {_FROM_START}. An allocator snapshot has all."
    if ledger.matched_by is MatchedBy.SIZE:
        yield "The file has no addresses, so each free is matched with the newest allocation of the same size."
    if ledger.matched_by is MatchedBy.SUMS:
        yield "The file has sums by category, but no single allocations."
    if ledger.kinds_by_pass:
        yield (
            "The file has no kinds of memory, so they are derived from the pass that allocated it and from its lifetime. Memory from "
            "before the profile, mostly parameters, has no kind."
        )
    if ledger.lost:
        yield f"{ledger.lost:,} frees are missing in the file: their addresses were allocated again."
    if (short := -int(ledger.unrecorded().min())) > 0:
        yield f"Frees of up to {size_text(short)} are missing in the file; the oldest allocations that it never frees count as freed."
    if not ledger.timed and len(ledger.time) > 1:
        yield "The file has the order of events, but not their times."
