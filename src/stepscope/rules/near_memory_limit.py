"""The device's memory does not suffice: a request failed, room has to be made, or it will be used up soon."""

from __future__ import annotations

import math

from stepscope.analyses.memory.growth import GrowthVerdict
from stepscope.analyses.memory.pressure import Cause, OutOfMemory
from stepscope.analyses.texts import milliseconds, shortened
from stepscope.analyses.time_classes import TimeClass
from stepscope.rules.facts import Facts, Held
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, counted, mebibytes, percent

_NEAR = 0.9
_NAMED = 3


def look(facts: Facts) -> Seen:
    """Nearly full memory is said only beside a failed request, growth, or memory that is given back inside steps."""
    failed = [each for each in facts.out_of_memory if each.cause is not Cause.FRAGMENTED]
    if failed:
        return _failed(failed[0])
    if facts.cpu_only:
        return Quiet("This profile has no GPU or other device.")
    held = facts.held
    if held is None or not held.capacity:
        if facts.memory_recorded:
            return CannotTell(
                "Total device memory use is not recorded in this profile, only allocations during it.",
                "Also save a memory snapshot: torch.cuda.memory._record_memory_history() and _dump_snapshot().",
            )
        return CannotTell("Device memory use is not recorded in this profile.", how_to_show(facts.profile, Shows.MEMORY))
    used = held.allocated / held.capacity
    if used < _NEAR:
        return Quiet(
            f"{percent(used)} of the memory is allocated at the peak; the rest of the reserved memory is the allocator's cache."
        )
    growing = [each for each in facts.growth if each.verdict is GrowthVerdict.GROWS and each.capacity]
    if growing:
        found = growing[0]
        steps = max(1, math.ceil((found.capacity - int(found.level[-1])) / found.slope))
        return _pattern(
            facts, held, Evidence(f"Memory grows by {mebibytes(found.slope)} per step and is full in {counted(steps, 'step')}."), True
        )
    if not len(facts.retries):
        return Quiet(f"{percent(used)} of the memory is allocated at the peak, and no step has to release memory: memory is well used.")
    row = int(facts.retries[0])
    return _pattern(facts, held, facts.evidence(f"{facts.name(row)} releases memory inside a step.", row), False)


def _pattern(facts: Facts, held: Held, why: Evidence, urgent: bool) -> Pattern:
    takes = facts.takes(TimeClass.ALLOC)
    lost = sum(takes.values())
    return Pattern(
        title="Use less device memory",
        summary=f"{percent(held.allocated / held.capacity)} of the device memory is allocated at the peak; releasing memory costs "
        f"{percent(lost / facts.step_ns)} of a step ({milliseconds(lost)}).",
        evidence=(why, Evidence(f"Peak: {mebibytes(held.allocated)} of {mebibytes(held.capacity)}.")),
        subject="Using less memory",
        lever=Lever(Action.ALLOCATOR, takes, rank=facts.rank) if takes else None,
        holds_in=None if urgent else facts.holds(facts.per_step(facts.retries)),
        urgent=urgent,
    )


def _failed(found: OutOfMemory) -> Pattern:
    free = f", and {mebibytes(found.device_free_bytes)} were free" if found.device_free_bytes >= 0 else ""
    return Pattern(
        title="Use less device memory",
        summary=f"Out of memory: an allocation of {mebibytes(found.asked_bytes)} failed while "
        f"{mebibytes(found.held_bytes)} were in use{free}.",
        evidence=(
            *(Evidence(f"{shortened(name)}: {mebibytes(size)} allocated.") for name, size in found.holders[:_NAMED]),
            Evidence(f"In use in total: {mebibytes(found.held_bytes)}."),
        ),
        urgent=True,
    )


RULE = Rule(
    id="near_memory_limit",
    on_host_alone=True,
    title="Device memory nearly full",
    look=look,
    code=Code(
        tensorflow="block = tf.recompute_grad(block)  # costs a second forward pass",
        pytorch=(
            "y = checkpoint(block, x, use_reentrant=False)  # costs time\n"
            "loss.div(parts).backward()  # or several small batches for a step"
        ),
        jax="block = jax.checkpoint(block)  # costs a second forward pass\nstep = jax.jit(step, donate_argnums=0)",
    ),
    wrong_when="When memory is only reserved: caching allocators reserve nearly all memory by design, at no cost.",
    case_of="allocator_churn",
)
