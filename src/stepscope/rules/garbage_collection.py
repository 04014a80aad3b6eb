"""Python collects garbage while the step waits."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.judge_limits import HOLDS
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show, was_on
from stepscope.rules.rule import CannotTell, Code, Pattern, Quiet, Rule, Seen, counted, percent

_HIDES = 0.03
"""Python and untraced time below what a rule needs to fire cannot hide one."""


def look(facts: Facts) -> Seen:
    """Collections that nothing hides: in most steps a part of the step, otherwise a part of the recording."""
    rows = facts.of_kind(SpanKind.GC)
    if not len(rows):
        if facts.window_share(TimeClass.PYTHON) + facts.window_share(TimeClass.UNTRACED) < _HIDES:
            return Quiet("There is no time in which garbage could be collected.")
        if was_on(facts.profile, Shows.COLLECTIONS):
            return Quiet("No garbage is collected while the steps run.")
        return CannotTell("Collections of garbage were not recorded.", how_to_show(facts.profile, Shows.COLLECTIONS))
    share = facts.window_share(TimeClass.GC)
    if share <= 0:
        return Quiet("Garbage is collected beside the steps.")
    often = facts.holds_in(TimeClass.GC) >= HOLDS
    hit = int((facts.breakdown.parts[:, TimeClass.GC] > 0).sum())
    length = facts.profile.spans.end[rows] - facts.profile.spans.start[rows]
    longest = int(rows[int(np.argmax(length))])
    return Pattern(
        title="Leave less garbage to collect",
        summary=f"{percent(share)} of the time, in {counted(hit, 'step')}, the training waits until Python has collected garbage.",
        evidence=(facts.evidence(f"The longest collection takes {milliseconds(int(length.max()))}.", longest),),
        subject="Steps without collections",
        lever=Lever(Action.COLLECTING, facts.takes(TimeClass.GC), rank=facts.rank) if often else None,
        of_window=None if often else {TimeClass.GC: share},
        holds_in=facts.holds_in(TimeClass.GC) if often else None,
    )


_FREEZE = "model, optimizer = build()\ngc.collect()\ngc.freeze()  # what lives for ever is not looked through again"

RULE = Rule(
    id="garbage_collection",
    title="Collecting garbage",
    look=look,
    code=Code(tensorflow=_FREEZE, pytorch=_FREEZE, jax=_FREEZE),
    wrong_when="When collection is switched off instead: cycles that hold tensors would then fill the memory.",
    case_of="slow_steps",
)
