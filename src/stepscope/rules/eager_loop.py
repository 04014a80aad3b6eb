"""A framework that compiles functions is made to run the step operation by operation."""

from __future__ import annotations

import re

import numpy as np

from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Int64, SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_MANY = 20
_SAME = 0.1
_MOST_STEPS = 0.6
_CLASSES = (TimeClass.LAUNCH, TimeClass.OP, TimeClass.FRAMEWORK, TimeClass.PYTHON)
_CALLS = re.compile(r"^(?:EagerKernelExecute|PjitFunction\()")
"""One call each of an operation that is no part of a function in TensorFlow, and of a compiled function in JAX."""


def look(facts: Facts) -> Seen:
    """The same many calls in every step, and the time inside them that is no compute."""
    if facts.profile.framework == "PyTorch":
        return Quiet("PyTorch runs operation by operation unless told otherwise; see host_bound.")
    calls = _calls(facts)
    if not len(calls):
        if facts.threads.framework_calls:
            return Quiet("No operation is run on its own.")
        return CannotTell("Calls into the framework were not recorded.", how_to_show(facts.profile, Shows.HOST))
    counts = np.bincount(_places(facts, calls), minlength=len(facts.breakdown.steps))[list(facts.breakdown.typical)]
    usual = float(np.median(counts))
    if usual < _MANY:
        return Quiet(f"{usual:.0f} operations a step are run on their own.")
    same = float((np.abs(counts - usual) <= _SAME * usual).mean())
    if same < _MOST_STEPS:
        return Quiet(f"{usual:.0f} operations a step are run on their own, but not the same ones in every step.")
    rows = facts.inside(_outermost(facts, calls), *_CLASSES)
    takes = facts.takes_of(rows)
    lost = sum(takes.values())
    return Pattern(
        title="Compile the step as one function",
        summary=f"{usual:,.0f} operations a step are run one by one; {percent(lost / facts.step_ns)} of the step, "
        f"{milliseconds(lost)}, goes into calling them.",
        evidence=(
            Evidence(f"The same {usual:,.0f} calls in {percent(same)} of steps.", facts.at(int(calls[0]))),
            *facts.evidence_of(rows, lambda name, ns: f"{milliseconds(ns)} of a step in {name}."),
        ),
        subject="One compiled function",
        lever=Lever(Action.HOST if facts.cpu_only else Action.SPANS, takes, rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=same,
    )


def _calls(facts: Facts) -> Int64:
    """Such calls on control threads that are inside no other one."""
    spans, control = facts.profile.spans, facts.breakdown.classified.control
    calls = facts.find(_CALLS, SpanKind.FRAMEWORK, SpanKind.COMPILE)
    calls = calls[np.isin(spans.track[calls], control)]
    outer = spans.parent[calls]
    return calls[~np.isin(outer, calls)]


def _outermost(facts: Facts, calls: Int64) -> Int64:
    """The framework's calls around them: what prepares an operation belongs to it too."""
    spans = facts.profile.spans
    found = calls.copy()
    open_ = np.flatnonzero(spans.parent[found] >= 0)
    while len(open_):
        above = spans.parent[found[open_]]
        open_ = open_[spans.kind[above] == SpanKind.FRAMEWORK]
        found[open_] = spans.parent[found[open_]]
        open_ = open_[spans.parent[found[open_]] >= 0]
    return np.unique(found)


def _places(facts: Facts, rows: Int64) -> Int64:
    place = np.searchsorted(facts.breakdown.steps.bounds, facts.profile.spans.start[rows], side="right") - 1
    return np.clip(place, 0, len(facts.breakdown.steps) - 1)


RULE = Rule(
    id="eager_loop",
    title="A step that is run operation by operation",
    look=look,
    code=Code(
        tensorflow="@tf.function  # with gradients and update inside\ndef train_step(batch):\n    ...",
        pytorch="model = torch.compile(model)",
        jax="@jax.jit  # the whole step, update included\ndef train_step(state, batch):\n    ...",
    ),
    wrong_when="When shapes change in every step: compiling each of them anew would take longer than is won.",
    case_of="host_bound",
)
