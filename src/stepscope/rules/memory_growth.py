"""Memory grows from step to step."""

from __future__ import annotations

from stepscope.analyses.memory.growth import LEAST_STEPS, STEPS_AHEAD, GrowthVerdict, MemoryGrowth
from stepscope.analyses.rank_spans import SpanReference
from stepscope.analyses.texts import shortened
from stepscope.model.profile import NONE
from stepscope.rules.facts import Facts
from stepscope.rules.options import MARK_STEPS, Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, counted, mebibytes, percent


def look(facts: Facts) -> Seen:
    """The slope of what is allocated at step ends."""
    if not facts.memory_recorded:
        return CannotTell("Allocations are not recorded in this profile.", how_to_show(facts.profile, Shows.MEMORY))
    if facts.breakdown.steps.source.guessed:
        return CannotTell("Steps are guessed, and memory also grows from layer to layer inside one step.", MARK_STEPS)
    if len(facts.breakdown.typical) < LEAST_STEPS:
        alike, steps = len(facts.breakdown.typical), len(facts.breakdown.steps)
        return CannotTell(
            "There are too few typical steps to separate growth from noise.",
            f"Capture more steps: {LEAST_STEPS} steps of similar duration are needed; this profile has {alike} of "
            f"{counted(steps, 'step')}.",
        )
    growing = [each for each in facts.growth if each.verdict is GrowthVerdict.GROWS]
    if not growing:
        return Quiet("Allocated memory at the end of each step does not grow.")
    return _growth(facts, max(growing, key=lambda each: each.slope))


def _growth(facts: Facts, found: MemoryGrowth) -> Seen:
    memory = (
        "The host's memory" if found.device == NONE else f"The memory of {facts.profile.devices[found.device].name or 'the device'}"
    )
    steps = facts.breakdown.steps
    window = SpanReference(facts.rank, max(0, steps.source.track), NONE, NONE, int(steps.bounds[0]), int(steps.bounds[-1]))
    until = f", {percent(found.slope * STEPS_AHEAD / found.capacity)} of it in 1,000 steps" if found.capacity else ""
    return Pattern(
        title="Find what keeps memory allocated between steps",
        summary=f"{memory} grows by {mebibytes(found.slope)} per step{until}.",
        evidence=(
            Evidence(
                f"Memory is higher after the later step in {percent(found.rising)} of all pairs of {len(found.level)} steps.", window
            ),
            *(
                Evidence(f"{shortened(name)}: {mebibytes(size)} allocated in these steps and not released.")
                for name, size in found.grows
            ),
        ),
        urgent=True,
    )


RULE = Rule(
    id="memory_growth",
    on_host_alone=True,
    title="Memory growth",
    look=look,
    code=Code(
        tensorflow="losses.append(float(loss))  # a number, not the tensor\nstep(tf.constant(n))  # each new Python number is a trace",
        pytorch="losses.append(loss.detach().cpu())  # without the graph that made it\noptimizer.zero_grad(set_to_none=True)",
        jax="losses.append(float(loss))  # the array would keep its buffer\nstep = jax.jit(step, donate_argnums=0)",
    ),
    wrong_when="In the first steps, while caches and optimizer state are created. A caching allocator that reserves nearly all memory "
    "is not a sign of growth.",
)
