"""The training stands still while a checkpoint or a summary is written."""

from __future__ import annotations

from stepscope.analyses.texts import milliseconds
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
                "This profile contains no checkpoint or summary, and no Python functions that could show one.",
                how_to_show(facts.profile, Shows.PYTHON),
            )
        return Quiet("No checkpoint or summary is written in these steps.")
    share = facts.window_share(TimeClass.IO)
    if share <= 0:
        return Quiet("Checkpoints and summaries are written in the background.")
    often = facts.holds_in(TimeClass.IO) >= HOLDS
    hit = int((facts.breakdown.parts[:, TimeClass.IO] > 0).sum())
    longest = facts.rank_spans.longest(rows)
    length = milliseconds(facts.rank_spans.length_ns(longest))
    return Pattern(
        title="Write checkpoints and summaries less often or in the background",
        summary=f"Training waits for file writes for {percent(share)} of the time, in {counted(hit, 'step')}.",
        evidence=(facts.evidence(f"The longest write: {facts.name(longest)}, {length}.", longest),),
        subject="Writing in the background",
        lever=Lever(Action.SAVING, facts.takes(TimeClass.IO), rank=facts.rank) if often else None,
        of_window=None if often else {TimeClass.IO: share},
        holds_in=facts.holds_in(TimeClass.IO) if often else None,
    )


RULE = Rule(
    id="checkpoint_blocking",
    on_host_alone=True,
    title="Blocking checkpoints and summaries",
    look=look,
    code=Code(
        tensorflow="options = tf.train.CheckpointOptions(enable_async=True)\ncheckpoint.save(path, options=options)",
        pytorch="torch.distributed.checkpoint.async_save(state, checkpoint_id=path)",
        jax="checkpointer = orbax.checkpoint.AsyncCheckpointer(handler)\ncheckpointer.save(path, state)",
    ),
    wrong_when="When checkpoints are rare in a full epoch: a short capture makes them look frequent. Background writing "
    "needs memory for a copy of the state and a free CPU core; without a free core it saves little.",
    case_of="slow_steps",
)
