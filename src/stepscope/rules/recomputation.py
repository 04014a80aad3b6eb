"""Activations are computed a second time for the backward pass, although there would be memory to keep them."""

from __future__ import annotations

from stepscope.analyses.texts import milliseconds
from stepscope.analyses.work.recomputation import free_memory, recomputed
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_MUCH_FREE = 0.3


def look(facts: Facts) -> Seen:
    """Work of recomputation with time of its own, and whether the device has memory left at its fullest."""
    rows = recomputed(facts.profile, facts.breakdown, facts.rank_spans)
    lost = facts.exposed_ns(rows)
    if lost <= 0:
        if not facts.profile.ops:
            return CannotTell("Operations are not recorded in this profile.", how_to_show(facts.profile, Shows.OPERATIONS))
        return Quiet("No activations are recomputed for the backward pass.")
    share = lost / facts.step_ns
    free = free_memory(facts.profile)
    if free is None:
        return CannotTell(
            f"{percent(share)} of a step recomputes activations; free memory is not recorded in this profile.",
            how_to_show(facts.profile, Shows.MEMORY),
        )
    if free < _MUCH_FREE:
        return Quiet(
            f"{percent(share)} of a step recomputes activations, but only {percent(free)} of the memory is free to store them."
        )
    return Pattern(
        title="Store activations instead of recomputing them",
        summary=f"Recomputing activations costs {percent(share)} of a step ({milliseconds(lost)}), although "
        f"{percent(free)} of the memory is free.",
        evidence=(
            Evidence(f"At peak memory use, {percent(free)} of the device memory is free."),
            *facts.evidence_of(rows, lambda name, ns: f"{name}: {milliseconds(ns)} per step, recomputed."),
        ),
        subject="Storing activations",
        lever=Lever(Action.SPANS, facts.takes_of(rows), rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds(facts.per_step(rows)),
    )


RULE = Rule(
    id="recomputation",
    title="Activation recomputation",
    look=look,
    code=Code(
        tensorflow="y = block(x)  # not tf.recompute_grad(block)(x)",
        pytorch="y = block(x)  # not checkpoint(block, x, use_reentrant=False)\n# or checkpoint every second block only",
        jax="policy = jax.checkpoint_policies.dots_saveable  # keep products\nblock = jax.checkpoint(block, policy=policy)",
    ),
    wrong_when="When other batches are larger than the profiled ones: they may need the memory that is free now.",
)
