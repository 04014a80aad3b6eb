"""Python collects garbage while the step waits."""

from __future__ import annotations

from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.judge_limits import HOLDS
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show, was_on
from stepscope.rules.rule import CannotTell, Code, Pattern, Quiet, Rule, Seen, counted, percent

_HIDES = 0.03
"""Python and untraced time below what a rule needs to fire cannot hide one."""

_FEWEST = 2
"""Steps that must be hit: one collection in a recording may be due to what the profiler has allocated."""


def look(facts: Facts) -> Seen:
    """Collections that nothing hides: in most steps a part of the step, otherwise a part of the recording."""
    rows = facts.of_kind(SpanKind.GC)
    if not len(rows):
        if facts.window_share(TimeClass.PYTHON) + facts.window_share(TimeClass.UNTRACED) < _HIDES:
            return Quiet("There is no host time in which garbage collection could run.")
        if was_on(facts.profile, Shows.COLLECTIONS):
            return Quiet("No garbage collection runs during the steps.")
        return CannotTell("Garbage collection is not recorded in this profile.", how_to_show(facts.profile, Shows.COLLECTIONS))
    share = facts.window_share(TimeClass.GC)
    if share <= 0:
        return Quiet("Garbage collection does not delay the steps.")
    often = facts.holds_in(TimeClass.GC) >= HOLDS
    hit = int((facts.breakdown.parts[:, TimeClass.GC] > 0).sum())
    if hit < _FEWEST:
        return Quiet(f"Garbage collection delays {counted(hit, 'step')} of {len(facts.breakdown.steps)}, which is no pattern.")
    longest = facts.rank_spans.longest(rows)
    return Pattern(
        title="Reduce garbage collection",
        summary=f"Training waits for Python garbage collection for {percent(share)} of the time, in {counted(hit, 'step')}.",
        evidence=(facts.evidence(f"The longest collection lasts {milliseconds(facts.rank_spans.length_ns(longest))}.", longest),),
        subject="Avoiding garbage collection in steps",
        lever=Lever(Action.COLLECTING, facts.takes(TimeClass.GC), rank=facts.rank) if often else None,
        of_window=None if often else {TimeClass.GC: share},
        holds_in=facts.holds_in(TimeClass.GC) if often else None,
    )


_FREEZE = "model, optimizer = build()\ngc.collect()\ngc.freeze()  # long-lived objects are not scanned again"

RULE = Rule(
    id="garbage_collection",
    on_host_alone=True,
    title="Garbage collection",
    look=look,
    code=Code(tensorflow=_FREEZE, pytorch=_FREEZE, jax=_FREEZE),
    wrong_when="When you would disable collection instead: reference cycles with tensors would then fill the memory.",
    case_of="slow_steps",
)
