"""Enough memory is free, but in pieces that are too small, so the allocator has to make room."""

from __future__ import annotations

from stepscope.analyses.memory.pressure import Cause
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, mebibytes, percent

_IN_PIECES = 0.2
"""Of what the allocator holds, the share that nobody uses when it has to make room: less than that is no waste."""


def look(facts: Facts) -> Seen:
    """A request that failed although enough was free; or memory given back and taken again in steps, with much of it unused."""
    failed = [each for each in facts.out_of_memory if each.cause is Cause.FRAGMENTED]
    if failed:
        return _failed(failed[0].asked_bytes, failed[0].reserved_bytes - failed[0].held_bytes)
    if facts.cpu_only:
        return Quiet("This profile has no GPU or other device.")
    retries = facts.retries
    if not len(retries):
        return Quiet("The allocator never releases cached memory to make room.")
    held = facts.held
    if held is None:
        return CannotTell(
            "The allocator releases and reallocates memory inside steps; the memory in use is not recorded in this profile.",
            how_to_show(facts.profile, Shows.MEMORY),
        )
    unused = 1 - held.allocated / max(1, held.reserved)
    if unused < _IN_PIECES:
        return Quiet(
            f"The allocator releases memory inside steps, but {percent(1 - unused)} of its reserved memory is in use: no fragmentation."
        )
    rows = facts.labelled(TimeClass.ALLOC)
    lost = facts.exposed_ns(rows)
    return Pattern(
        title="Reduce memory fragmentation",
        summary=f"The allocator reserves {mebibytes(held.reserved)} and uses {percent(1 - unused)} of it, but still releases memory; "
        f"this costs {percent(lost / facts.step_ns)} of a step ({milliseconds(lost)}).",
        evidence=(
            facts.evidence(f"{facts.name(int(retries[0]))} releases memory inside a step that is allocated again.", int(retries[0])),
        ),
        subject="Unfragmented memory",
        lever=Lever(Action.ALLOCATOR, facts.takes(TimeClass.ALLOC), rank=facts.rank),
        holds_in=facts.holds(facts.per_step(retries)),
    )


def _failed(asked: int, free: int) -> Pattern:
    return Pattern(
        title="Reduce memory fragmentation",
        summary=f"A request for {mebibytes(asked)} failed although {mebibytes(max(0, free))} of the reserved memory were free.",
        evidence=(Evidence("No free block was large enough."),),
        urgent=True,
    )


RULE = Rule(
    id="memory_fragmented",
    on_host_alone=True,
    title="Memory fragmentation",
    look=look,
    code=Code(
        tensorflow='os.environ["TF_GPU_ALLOCATOR"] = "cuda_malloc_async"',
        pytorch='os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"\n# and pad batches to a few sizes',
        jax='os.environ["XLA_PYTHON_CLIENT_ALLOCATOR"] = "vmm"',
    ),
    wrong_when="When the program empties the cache on purpose: then remove that call instead.",
    case_of="allocator_churn",
)
