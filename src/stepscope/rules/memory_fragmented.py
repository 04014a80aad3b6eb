"""Enough memory is free, but in pieces that are too small, so the allocator has to make room."""

from __future__ import annotations

from stepscope.analyses.memory.pressure import Cause
from stepscope.analyses.summary import milliseconds
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
        return Quiet("There is no device whose memory could be in pieces.")
    retries = facts.retries
    if not len(retries):
        return Quiet("The allocator never has to give memory back to find room.")
    held = facts.held
    if held is None:
        return CannotTell(
            "The allocator gives memory back and takes it again inside steps; how much of it is in use was not recorded.",
            how_to_show(facts.profile, Shows.MEMORY),
        )
    unused = 1 - held.allocated / max(1, held.reserved)
    if unused < _IN_PIECES:
        return Quiet(f"The allocator makes room inside steps, and {percent(1 - unused)} of what it holds is in use: nothing is wasted.")
    rows = facts.labelled(TimeClass.ALLOC)
    lost = facts.exposed_ns(rows)
    return Pattern(
        title="Keep memory in one piece",
        summary=f"The allocator holds {mebibytes(held.reserved)}, uses {percent(1 - unused)} of it, and still has to make room; "
        f"that takes {milliseconds(lost)}, {percent(lost / facts.step_ns)} of a step.",
        evidence=(
            facts.evidence(f"{facts.name(int(retries[0]))} inside a step gives memory back that is allocated again.", int(retries[0])),
        ),
        subject="Memory in one piece",
        lever=Lever(Action.ALLOCATOR, facts.takes(TimeClass.ALLOC), rank=facts.rank),
        holds_in=facts.holds(facts.per_step(retries)),
    )


def _failed(asked: int, free: int) -> Pattern:
    return Pattern(
        title="Keep memory in one piece",
        summary=f"A request for {mebibytes(asked)} failed although {mebibytes(max(0, free))} of what the allocator held were free.",
        evidence=(Evidence("The free memory was in pieces, none of which was large enough."),),
        urgent=True,
    )


RULE = Rule(
    id="memory_fragmented",
    title="Memory in pieces",
    look=look,
    code=Code(
        tensorflow='os.environ["TF_GPU_ALLOCATOR"] = "cuda_malloc_async"',
        pytorch='os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"\n# and pad batches to a few sizes',
        jax='os.environ["XLA_PYTHON_CLIENT_ALLOCATOR"] = "vmm"',
    ),
    wrong_when="When memory is given back on purpose, by emptying the cache: then that call is what to take out.",
    case_of="allocator_churn",
)
