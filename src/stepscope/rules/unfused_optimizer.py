"""The optimizer updates one parameter after another instead of many at once."""

from __future__ import annotations

import re

import numpy as np

from stepscope.analyses.rows import rows_of_role
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Int64, SpanKind, TrackRole
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Pattern, Quiet, Rule, Seen, percent

_UPDATES = re.compile(r"^Optimizer\.step#")
_MANY_AT_ONCE = re.compile(r"multi_tensor_apply|_foreach_|_fused_|fused_?(?:adam|sgd|lamb)", re.IGNORECASE)
_MANY = 50
_CLASSES = (TimeClass.LAUNCH, TimeClass.OP, TimeClass.FRAMEWORK, TimeClass.PYTHON)


def look(facts: Facts) -> Seen:
    """What runs inside the mark of an update: how many operations, and whether they take many tensors each."""
    if facts.profile.framework not in ("PyTorch", ""):
        return Quiet(f"{facts.profile.framework} updates parameters inside compiled functions.")
    updates = facts.find(_UPDATES, SpanKind.ANNOTATION, SpanKind.OP)
    if not len(updates):
        return CannotTell(
            "The recording does not tell when the optimizer works.",
            "Call the optimizer's step() itself: every torch.optim optimizer then marks its work.",
        )
    work = _work(facts, updates)
    each = len(work) / max(1, len(updates))
    if len(facts.named(work, _MANY_AT_ONCE)):
        return Quiet("The optimizer updates many parameters at once.")
    if each < _MANY:
        return Quiet(f"{each:.0f} operations in an update of all parameters are few.")
    rows = facts.inside(updates, *_CLASSES)
    takes = facts.takes_of(rows)
    lost = sum(takes.values())
    return Pattern(
        title="Update many parameters at once",
        summary=f"The optimizer runs {each:,.0f} operations in an update; {percent(lost / facts.step_ns)} of a step, "
        f"{milliseconds(lost)}, nothing else runs than the calls of them.",
        evidence=(
            facts.evidence(
                f"{facts.name(int(updates[0]))} runs {each:,.0f} operations, none of which takes several tensors.", int(updates[0])
            ),
            *facts.evidence_of(rows, lambda name, ns: f"{milliseconds(ns)} of a step in {name}."),
        ),
        subject="A fused optimizer",
        lever=Lever(Action.HOST if facts.cpu_only else Action.SPANS, takes, rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds(facts.per_step(rows)),
    )


def _work(facts: Facts, updates: Int64) -> Int64:
    """Kernels that were launched inside the updates; without a device the operations in them."""
    if facts.cpu_only:
        inner = np.setdiff1d(facts.within(updates, facts.of_kind(SpanKind.OP)), updates)  # which old recordings call operations
        return inner[~np.isin(facts.profile.spans.parent[inner], inner)]
    rows = rows_of_role(facts.profile, TrackRole.STREAM)
    rows = rows[facts.profile.spans.cause[rows] >= 0]
    calls = np.unique(facts.profile.spans.cause[rows]).astype(np.int64)
    return rows[np.isin(facts.profile.spans.cause[rows], facts.within(updates, calls))]


RULE = Rule(
    id="unfused_optimizer",
    title="An optimizer that updates one parameter at a time",
    look=look,
    code=Code(
        tensorflow="model.compile(optimizer, loss, jit_compile=True)",
        pytorch="optimizer = torch.optim.AdamW(parameters, fused=True)  # or foreach=True",
        jax="@jax.jit\ndef update(state, gradients):\n    return optimizer.update(gradients, state)",
    ),
    wrong_when="When the optimizer is hidden behind the device's work, and for optimizers that have no fused form.",
    case_of="host_bound",
)
