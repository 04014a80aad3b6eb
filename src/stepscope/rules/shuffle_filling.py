"""A shuffle buffer is filled before the first element comes out, and the training waits."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.input.pipeline import Loader, Stage
from stepscope.analyses.intervals import union
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import SpanKind
from stepscope.rules.facts import Facts, shortened
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent

_SHUFFLES = "Shuffle"
_TIMES_THE_OTHERS = 20
"""The call that fills takes as many elements from upstream as the buffer holds, all others take one."""


def look(facts: Facts) -> Seen:
    """A call of a shuffle stage that takes many times as long as its others, while the step waits for input."""
    found = facts.input
    if found.loader is Loader.NONE and facts.profile.framework != "PyTorch":
        return CannotTell("No call that fetches the next batch was recorded.", "Fetch batches through tf.data, and record its stages.")
    if found.loader is not Loader.TF_DATA:
        return Quiet("The input does not come from tf.data.")
    filling = [stage for stage in found.stages if stage.name.startswith(_SHUFFLES) and _fills(facts, stage)]
    if not filling:
        return Quiet("No shuffle buffer is filled while a later step than the first waits, or there is none.")
    stage = max(filling, key=lambda one: _longest_ns(facts, one))
    waited = _waited_ns(facts, stage)
    share = waited / max(1.0, float(facts.breakdown.steps.bounds[-1]) - _first_ns(facts))
    size = facts.attributes_of(stage.row).get("buffer_size")
    told = (Evidence(f"The buffer holds {size:,} elements.", facts.at(stage.row)),) if isinstance(size, int) else ()
    return Pattern(
        title="Fill a smaller shuffle buffer",
        summary=f"The training waits {milliseconds(waited)}, {percent(share)} of the recording, while a shuffle buffer is filled.",
        evidence=(
            Evidence(
                f"{shortened(stage.path)} takes {milliseconds(_longest_ns(facts, stage))} to hand out its first element.",
                facts.at(stage.row),
            ),
            *told,
        ),
        of_window={TimeClass.INPUT: share},
    )


def _fills(facts: Facts, stage: Stage) -> bool:
    others = (stage.total_ns - _longest_ns(facts, stage)) / max(1, stage.count - 1)
    return _longest_ns(facts, stage) > _TIMES_THE_OTHERS * others and _waited_ns(facts, stage) > 0


def _longest_ns(facts: Facts, stage: Stage) -> int:
    return int(facts.profile.spans.end[stage.row] - facts.profile.spans.start[stage.row])


def _first_ns(facts: Facts) -> int:
    """Where the second step begins: what is filled before the first one is filled once, and belongs to the start."""
    return int(facts.breakdown.steps.bounds[facts.first_counted])


def _waited_ns(facts: Facts, stage: Stage) -> float:
    """How long the consumer waited while the stage was filling, after the first step."""
    spans = facts.profile.spans
    start = max(int(spans.start[stage.row]), _first_ns(facts))
    end = min(int(spans.end[stage.row]), int(facts.breakdown.steps.bounds[-1]))
    waits = facts.of_kind(SpanKind.INPUT)
    since, until = union(spans.start[waits], spans.end[waits])
    return float(np.maximum(0, np.minimum(until, end) - np.maximum(since, start)).sum())


RULE = Rule(
    id="shuffle_filling",
    title="A shuffle buffer that is filled first",
    look=look,
    code=Code(
        tensorflow="files = files.shuffle(len(paths))  # names, not examples\ndataset = files.interleave(read).shuffle(2_000)",
        pytorch="# If tf.data feeds the model:\ndataset = files.shuffle(len(paths)).interleave(read).shuffle(2_000)",
        jax="# If tf.data feeds the model:\ndataset = files.shuffle(len(paths)).interleave(read).shuffle(2_000)",
    ),
    wrong_when="When the epoch is long: the buffer is filled once, and a small one shuffles sorted examples badly.",
    case_of="slow_steps",
)
