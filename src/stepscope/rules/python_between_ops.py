"""Python runs between operations while the device has nothing to do."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.host.work import WAITS
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Int64
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Pattern, Quiet, Rule, Seen, percent

_UNTRACED = 0.03
"""Untraced time below what a rule needs to fire cannot hide one."""


def look(facts: Facts) -> Seen:
    """Recorded Python functions with time of their own; untraced time may be Python or anything else, and is not called so."""
    untraced = facts.share(TimeClass.UNTRACED)
    rows = _working(facts)
    python = float(facts.breakdown.exposed[rows].sum()) / max(1, len(facts.breakdown.typical)) / facts.step_ns
    if python <= 0:
        if untraced >= _UNTRACED and not facts.parts[TimeClass.PYTHON]:
            return CannotTell(
                f"In {percent(untraced)} of a step nothing that was traced runs, and Python functions were not recorded.",
                "Record Python functions: with_stack=True in PyTorch, python_tracer_level=1 in TensorFlow and JAX.",
            )
        return Quiet("No Python works while the device waits.")
    return Pattern(
        title="Take Python out of the step",
        summary=f"{percent(python)} of a step, {milliseconds(python * facts.step_ns)}, Python runs and nothing else does.",
        evidence=facts.evidence_of(rows, lambda name, ns: f"{milliseconds(ns)} of a step in {name}."),
        subject="A step without that Python",
        lever=Lever(Action.PYTHON, {TimeClass.PYTHON: python * facts.step_ns}, rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds_in(TimeClass.PYTHON),
    )


def _working(facts: Facts) -> Int64:
    """Python spans with time of their own, without those that only wait for the device or for another thread."""
    profile = facts.profile
    rows = facts.labelled(TimeClass.PYTHON)
    waits = np.zeros(len(profile.names) + 1, bool)
    for name in map(int, np.unique(profile.spans.name[rows])):
        waits[name] = bool(WAITS.search(profile.names[name]))
    return rows[~waits[profile.spans.name[rows]]]


RULE = Rule(
    id="python_between_ops",
    title="Python between operations",
    look=look,
    code=Code(
        tensorflow="@tf.function  # the loop over items becomes part of the graph\ndef train_step(batch):\n    ...",
        pytorch="# One operation on the whole tensor instead of a loop over its items:\nloss = torch.where(mask, error, 0.0).sum()",
        jax="loss = jax.vmap(loss_of_item)(batch).sum()  # instead of a loop",
    ),
    wrong_when="When recording made Python slow: every call is recorded, so many small functions look longer than they are.",
)
