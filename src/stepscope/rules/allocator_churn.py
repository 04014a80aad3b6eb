"""Memory is taken from the device and given back in every step."""

from __future__ import annotations

from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Pattern, Quiet, Rule, Seen, percent


def look(facts: Facts) -> Seen:
    """Calls that allocate or release device or pinned memory while the device waits."""
    if facts.cpu_only:
        return Quiet("There is no device to allocate memory of.")
    exposed = facts.share(TimeClass.ALLOC)
    if exposed <= 0:
        if len(facts.of_kind(SpanKind.RUNTIME, SpanKind.SYNC, SpanKind.ALLOC)):
            return Quiet("The device does not wait for allocations.")
        return CannotTell(
            "Calls into the device's runtime were not recorded.",
            how_to_show(facts.profile, Shows.HOST),
        )
    rows = facts.labelled(TimeClass.ALLOC)
    return Pattern(
        title="Keep memory instead of allocating it in every step",
        summary=f"{percent(exposed)} of a step, {milliseconds(float(facts.parts[TimeClass.ALLOC]))}, the device waits for allocations.",
        evidence=facts.evidence_of(rows, lambda name, ns: f"{milliseconds(ns)} of a step in {name}."),
        subject="Keeping memory",
        lever=Lever(Action.ALLOCATOR, facts.takes(TimeClass.ALLOC), rank=facts.rank),
        holds_in=facts.holds_in(TimeClass.ALLOC),
    )


RULE = Rule(
    id="allocator_churn",
    title="Memory that is allocated again and again",
    look=look,
    code=Code(
        tensorflow='os.environ["TF_GPU_ALLOCATOR"] = "cuda_malloc_async"',
        pytorch='# Pad batches to a few sizes, and:\nos.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"',
        jax='os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "true"',
    ),
    wrong_when="In the first steps, in which every allocator fills its cache, and where the cache is emptied on purpose.",
)
