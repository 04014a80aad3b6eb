"""The optimizer updates one parameter after another instead of many at once."""

from __future__ import annotations

from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.optimizer_updates import optimizer_updates
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Pattern, Quiet, Rule, Seen, percent

_MANY = 50
_CLASSES = (TimeClass.LAUNCH, TimeClass.OP, TimeClass.FRAMEWORK, TimeClass.PYTHON)


def look(facts: Facts) -> Seen:
    """What runs inside the mark of an update: how many operations, and whether they take many tensors each."""
    if facts.profile.framework not in ("PyTorch", ""):
        return Quiet(f"{facts.profile.framework} updates parameters inside compiled functions.")
    found = optimizer_updates(facts.profile, facts.breakdown, facts.rank_spans)
    updates, each = found.updates, found.each
    if not len(updates):
        return CannotTell(
            "Optimizer steps are not recorded in this profile.",
            "Call optimizer.step() directly: every torch.optim optimizer then annotates its work.",
        )
    if found.at_once:
        return Quiet("The optimizer updates many parameters at once.")
    if each < _MANY:
        return Quiet(f"{each:.0f} operations per parameter update are few.")
    rows = facts.inside(updates, *_CLASSES)
    takes = facts.takes_of(rows)
    lost = sum(takes.values())
    return Pattern(
        title="Update many parameters at once",
        summary=f"The optimizer runs {each:,.0f} operations per update; calling them costs {percent(lost / facts.step_ns)} of a step "
        f"({milliseconds(lost)}).",
        evidence=(
            facts.evidence(
                f"{facts.name(int(updates[0]))} runs {each:,.0f} operations; none of them updates several tensors.", int(updates[0])
            ),
            *facts.evidence_of(rows, lambda name, ns: f"{name}: {milliseconds(ns)} per step."),
        ),
        subject="A fused optimizer",
        lever=Lever(Action.HOST if facts.cpu_only else Action.SPANS, takes, rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds(facts.per_step(rows)),
    )


RULE = Rule(
    id="unfused_optimizer",
    title="Unfused optimizer",
    look=look,
    code=Code(
        tensorflow="model.compile(optimizer, loss, jit_compile=True)",
        pytorch="optimizer = torch.optim.AdamW(parameters, fused=True)  # or foreach=True",
        jax="@jax.jit\ndef update(state, gradients):\n    return optimizer.update(gradients, state)",
    ),
    wrong_when="When the optimizer overlaps device work, or has no fused version.",
    case_of="host_bound",
)
