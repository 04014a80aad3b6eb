"""Memory grows from step to step, or is taken from the device and given back in every step."""

from __future__ import annotations

from stepscope.analyses.memory_growth import LEAST_STEPS, STEPS_AHEAD, GrowthVerdict, MemoryGrowth, memory_growth
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE
from stepscope.rules.facts import Facts, shortened
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, SpanReference, percent

_CHURN = Code(
    tensorflow='os.environ["TF_GPU_ALLOCATOR"] = "cuda_malloc_async"',
    pytorch='# Pad batches to a few sizes, and:\nos.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"',
    jax='os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "true"',
)


def look(facts: Facts) -> Seen:
    """The slope of what is allocated at step ends; then calls that allocate on the device while it waits."""
    exposed = facts.share(TimeClass.ALLOC)
    if not len(facts.profile.allocations.time):
        if exposed > 0:
            return _churn(facts, exposed)
        return CannotTell("Allocations were not recorded.", "Record memory: profile_memory=True in PyTorch.")
    if len(facts.breakdown.typical) < LEAST_STEPS:
        return CannotTell("There are too few typical steps to tell growth from noise.", "Record at least six steps.")
    growing = [each for each in memory_growth(facts.profile, facts.breakdown) if each.verdict is GrowthVerdict.GROWS]
    if growing:
        return _growth(facts, max(growing, key=lambda each: each.slope))
    return _churn(facts, exposed) if exposed > 0 else Quiet("What is allocated at the ends of steps does not grow.")


def _growth(facts: Facts, found: MemoryGrowth) -> Seen:
    memory = (
        "The host's memory" if found.device == NONE else f"The memory of {facts.profile.devices[found.device].name or 'the device'}"
    )
    steps = facts.breakdown.steps
    window = SpanReference(facts.rank, max(0, steps.source.track), NONE, NONE, int(steps.bounds[0]), int(steps.bounds[-1]))
    until = f", {percent(found.slope * STEPS_AHEAD / found.capacity)} of it in 1,000 steps" if found.capacity else ""
    return Pattern(
        title="Find what keeps memory from step to step",
        summary=f"{memory} grows by {_mib(found.slope)} a step{until}.",
        evidence=(
            Evidence(f"It is higher after the later step in {percent(found.rising)} of all pairs of {len(found.level)} steps.", window),
            *(Evidence(f"{_mib(size)} that {shortened(name)} allocated in these steps are still there.") for name, size in found.grows),
        ),
        urgent=True,
    )


def _churn(facts: Facts, exposed: float) -> Seen:
    return Pattern(
        title="Keep memory instead of allocating it in every step",
        summary=f"{percent(exposed)} of a step, {milliseconds(float(facts.parts[TimeClass.ALLOC]))}, the device waits for allocations.",
        evidence=facts.evidence_of(facts.labelled(TimeClass.ALLOC), lambda name, ns: f"{milliseconds(ns)} of a step in {name}."),
        subject="Keeping memory",
        lever=Lever(Action.ALLOCATOR, facts.takes(TimeClass.ALLOC), rank=facts.rank),
        holds_in=facts.holds_in(TimeClass.ALLOC),
        code=_CHURN,
    )


def _mib(size: float) -> str:
    return f"{size / (1 << 20):,.3g} MiB" if size >= 1 << 20 else f"{size / 1024:,.3g} KiB"


RULE = Rule(
    id="memory_growth",
    title="Memory that grows or is allocated again and again",
    look=look,
    code=Code(
        tensorflow="losses.append(float(loss))  # a number, not the tensor\nstep(tf.constant(n))  # each new Python number is a trace",
        pytorch="losses.append(loss.detach().cpu())  # without the graph that made it\noptimizer.zero_grad(set_to_none=True)",
        jax="losses.append(float(loss))  # the array would keep its buffer\nstep = jax.jit(step, donate_argnums=0)",
    ),
    wrong_when="In the first steps, in which caches and optimizer states are made. That a caching allocator holds nearly all memory is "
    "no sign of anything.",
)
