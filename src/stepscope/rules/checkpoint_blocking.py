"""The training stands still while a checkpoint or a summary is written."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.judge_limits import HOLDS
from stepscope.rules.lever import Action, Lever
from stepscope.rules.options import Shows, how_to_show
from stepscope.rules.rule import CannotTell, Code, Pattern, Quiet, Rule, Seen, counted, percent

_UNTRACED = 0.03
"""Untraced time below what a rule needs to fire cannot hide one."""


def look(facts: Facts) -> Seen:
    """Writing that nothing hides: in most steps a part of the step, otherwise a part of the recording."""
    rows = facts.of_kind(SpanKind.IO)
    if not len(rows):
        if facts.window_share(TimeClass.UNTRACED) >= _UNTRACED and not len(facts.of_kind(SpanKind.PYTHON)):
            return CannotTell(
                "No checkpoint or summary was recorded, and Python functions were not, which could tell of one.",
                how_to_show(facts.profile, Shows.PYTHON),
            )
        return Quiet("No checkpoint or summary is written in these steps.")
    share = facts.window_share(TimeClass.IO)
    if share <= 0:
        return Quiet("Checkpoints and summaries are written beside the steps.")
    often = facts.holds_in(TimeClass.IO) >= HOLDS
    hit = int((facts.breakdown.parts[:, TimeClass.IO] > 0).sum())
    length = facts.profile.spans.end[rows] - facts.profile.spans.start[rows]
    longest = int(rows[int(np.argmax(length))])
    return Pattern(
        title="Write checkpoints and summaries less often, or beside the training",
        summary=f"{percent(share)} of the time, in {counted(hit, 'step')}, the training waits until something is written.",
        evidence=(facts.evidence(f"The longest takes {milliseconds(int(length.max()))}: {facts.name(longest)}.", longest),),
        subject="A step that writes nothing",
        lever=Lever(Action.SAVING, facts.takes(TimeClass.IO), rank=facts.rank) if often else None,
        of_window=None if often else {TimeClass.IO: share},
        holds_in=facts.holds_in(TimeClass.IO) if often else None,
    )


RULE = Rule(
    id="checkpoint_blocking",
    title="Waiting for checkpoints and summaries",
    look=look,
    code=Code(
        tensorflow="beside = tf.train.CheckpointOptions(enable_async=True)\ncheckpoint.save(path, options=beside)",
        pytorch="torch.distributed.checkpoint.async_save(state, checkpoint_id=path)",
        jax="checkpointer = orbax.checkpoint.AsyncCheckpointer(handler)\ncheckpointer.save(path, state)",
    ),
    wrong_when="When checkpoints are rare in a whole epoch: a short recording makes them look frequent. Writing beside it "
    "needs memory for a copy of the state and a free core: without one, most of its time comes back.",
    case_of="slow_steps",
)
