"""Activations are computed a second time for the backward pass, although there would be memory to keep them."""

from __future__ import annotations

import re

import numpy as np

from stepscope.analyses.rows import rows_of_role
from stepscope.analyses.summary import milliseconds
from stepscope.model.profile import NONE, Int64, SpanKind, TrackRole
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_REMATERIALISED = re.compile(r"rematted_computation|\.remat\d*(?:\W|$)")
"""In the scopes and names of XLA's operations."""
_RECOMPUTES = re.compile(
    r"^CheckpointFunctionBackward$"
    r"|torch[/\\]utils[/\\]checkpoint\.py\(\d+\): (?:unpack_hook|recompute_fn|_run_fn_with_dynamo_disabled)$"
)
_BACKWARD = re.compile(r"^autograd::engine::evaluate_function: ")
_MUCH_FREE = 0.3


def look(facts: Facts) -> Seen:
    """Work of recomputation with time of its own, and whether the device has memory left at its fullest."""
    rows = np.union1d(_in_programs(facts), _in_checkpoints(facts))
    lost = facts.exposed_ns(rows)
    if lost <= 0:
        if not facts.profile.ops:
            return CannotTell("No operation was recorded.", how_to_show(facts.profile, Shows.OPERATIONS))
        return Quiet("Nothing is computed a second time for the backward pass.")
    share = lost / facts.step_ns
    free = _free(facts)
    if free is None:
        return CannotTell(
            f"{percent(share)} of a step computes activations again; whether they would fit into memory was not recorded.",
            how_to_show(facts.profile, Shows.MEMORY),
        )
    if free < _MUCH_FREE:
        return Quiet(f"{percent(share)} of a step computes activations again, and only {percent(free)} of the memory is free for them.")
    return Pattern(
        title="Keep activations instead of computing them again",
        summary=f"{percent(share)} of a step, {milliseconds(lost)}, activations are computed a second time; "
        f"{percent(free)} of the memory is free.",
        evidence=(
            Evidence(f"At its fullest the device has {percent(free)} of its memory left."),
            *facts.evidence_of(rows, lambda name, ns: f"{milliseconds(ns)} of a step in {name}, for the second time."),
        ),
        subject="Keeping activations",
        lever=Lever(Action.SPANS, facts.takes_of(rows), rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds(facts.per_step(rows)),
    )


def _in_programs(facts: Facts) -> Int64:
    """Spans of operations that XLA, or JAX's checkpoint, has doubled."""
    again = [bool(_REMATERIALISED.search(op.scope) or _REMATERIALISED.search(op.name)) for op in facts.profile.ops]
    if not any(again):
        return np.zeros(0, np.int64)
    rows = np.flatnonzero(np.array([*again, False])[facts.profile.spans.op])
    return rows[facts.breakdown.exposed[rows] > 0]


def _in_checkpoints(facts: Facts) -> Int64:
    """What runs inside of torch's recomputation, or was launched there, but for the backward pass that it holds too."""
    spans = facts.profile.spans
    around = facts.find(_RECOMPUTES, SpanKind.OP, SpanKind.PYTHON)
    if not len(around):
        return np.zeros(0, np.int64)
    inside = facts.within(around, np.flatnonzero(facts.on_control))
    backward = facts.named(inside[spans.kind[inside] == SpanKind.OP], _BACKWARD)
    inside = np.setdiff1d(inside, np.union1d(facts.within(backward, inside), around))
    device = rows_of_role(facts.profile, TrackRole.STREAM)
    launched = device[np.isin(spans.cause[device], inside) & (spans.cause[device] != NONE)]
    rows = np.union1d(inside, launched)
    return rows[facts.breakdown.exposed[rows] > 0]


def _free(facts: Facts) -> float | None:
    """The share of the device's memory that nothing is allocated in at the fullest moment, None when it is not known."""
    table, devices = facts.profile.allocations, facts.profile.devices
    shares: list[float] = []
    for place, device in enumerate(devices):
        level = table.allocated[table.device == place]
        if device.memory_bytes > 0 and len(level) and int(level.max()) > 0:
            shares.append(1 - min(1.0, int(level.max()) / device.memory_bytes))
    return min(shares, default=None)


RULE = Rule(
    id="recomputation",
    title="Activations that are computed twice",
    look=look,
    code=Code(
        tensorflow="y = block(x)  # not tf.recompute_grad(block)(x)",
        pytorch="y = block(x)  # not checkpoint(block, x, use_reentrant=False)\n# or checkpoint every second block only",
        jax="policy = jax.checkpoint_policies.dots_saveable  # keep products\nblock = jax.checkpoint(block, policy=policy)",
    ),
    wrong_when="When other batches are larger than the recorded ones: what is free now may be needed then.",
)
