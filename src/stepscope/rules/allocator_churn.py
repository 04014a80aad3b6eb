"""Memory is taken from the device and given back in every step."""

from __future__ import annotations

from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Pattern, Quiet, Rule, Seen, percent


def look(facts: Facts) -> Seen:
    """Calls that allocate or release device or pinned memory while the device waits."""
    if facts.cpu_only:
        return Quiet("This profile has no GPU or other device.")
    exposed = facts.share(TimeClass.ALLOC)
    if exposed <= 0:
        if len(facts.of_kind(SpanKind.RUNTIME, SpanKind.SYNC, SpanKind.ALLOC)):
            return Quiet("The device does not wait for allocations.")
        return CannotTell(
            "Runtime API calls (such as cudaMalloc) are not recorded in this profile.",
            how_to_show(facts.profile, Shows.HOST),
        )
    rows = facts.labelled(TimeClass.ALLOC)
    return Pattern(
        title="Reuse memory instead of allocating it in every step",
        summary=f"The device waits for memory allocation for {percent(exposed)} of a step "
        f"({milliseconds(float(facts.parts[TimeClass.ALLOC]))}).",
        evidence=facts.evidence_of(rows, lambda name, ns: f"{name}: {milliseconds(ns)} per step."),
        subject="Reusing memory",
        lever=Lever(Action.ALLOCATOR, facts.takes(TimeClass.ALLOC), rank=facts.rank),
        holds_in=facts.holds_in(TimeClass.ALLOC),
    )


RULE = Rule(
    id="allocator_churn",
    title="Allocator churn",
    look=look,
    code=Code(
        tensorflow='os.environ["TF_GPU_ALLOCATOR"] = "cuda_malloc_async"',
        pytorch='# Pad batches to a few sizes, and:\nos.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"',
        jax='os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "true"',
    ),
    wrong_when="In the first steps, while the allocator fills its cache, or when the program empties the cache on purpose.",
)
