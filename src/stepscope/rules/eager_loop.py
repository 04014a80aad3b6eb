"""A framework that compiles functions is made to run the step operation by operation."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.host.single_calls import single_calls
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_MANY = 20
_SAME = 0.1
_MOST_STEPS = 0.6
_CLASSES = (TimeClass.LAUNCH, TimeClass.OP, TimeClass.FRAMEWORK, TimeClass.PYTHON)


def look(facts: Facts) -> Seen:
    """The same many calls in every step, and the time inside them that is no compute."""
    if facts.profile.framework == "PyTorch":
        return Quiet("PyTorch is eager by default; see the rule host_bound.")
    found = single_calls(facts.profile, facts.breakdown, facts.rank_spans)
    if not len(found.calls):
        if facts.threads.framework_calls:
            return Quiet("No operation runs eagerly.")
        return CannotTell("Framework calls are not recorded in this profile.", how_to_show(facts.profile, Shows.HOST))
    counts, usual = found.per_step, float(np.median(found.per_step))
    if usual < _MANY:
        return Quiet(f"{usual:.0f} operations per step run eagerly.")
    same = float((np.abs(counts - usual) <= _SAME * usual).mean())
    if same < _MOST_STEPS:
        return Quiet(f"{usual:.0f} operations per step run eagerly, but not the same ones in every step.")
    rows = facts.inside(found.outermost, *_CLASSES)
    takes = facts.takes_of(rows)
    lost = sum(takes.values())
    return Pattern(
        title="Compile the step as one function",
        summary=f"{usual:,.0f} operations per step run eagerly; calling them costs {percent(lost / facts.step_ns)} of the step "
        f"({milliseconds(lost)}).",
        evidence=(
            Evidence(f"The same {usual:,.0f} calls in {percent(same)} of steps.", facts.at(int(found.calls[0]))),
            *facts.evidence_of(rows, lambda name, ns: f"{name}: {milliseconds(ns)} per step."),
        ),
        subject="Compiling the step as one function",
        lever=Lever(Action.HOST if facts.cpu_only else Action.SPANS, takes, rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=same,
    )


RULE = Rule(
    id="eager_loop",
    title="Eager training loop",
    look=look,
    code=Code(
        tensorflow="@tf.function  # with gradients and update inside\ndef train_step(batch):\n    ...",
        pytorch="model = torch.compile(model)",
        jax="@jax.jit  # the whole step, update included\ndef train_step(state, batch):\n    ...",
    ),
    wrong_when="When shapes change in every step: compiling for each shape would cost more than it saves.",
    case_of="host_bound",
)
