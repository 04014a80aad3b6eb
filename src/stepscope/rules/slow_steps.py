"""Some steps take far longer than the others."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from stepscope.analyses.breakdown import LEAST_FOR_TYPICAL, SlowStep
from stepscope.analyses.input.pipeline import Loader
from stepscope.analyses.rank_spans import SpanReference
from stepscope.analyses.texts import milliseconds, part_text
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Int64
from stepscope.rules.facts import Facts
from stepscope.rules.options import MARK_STEPS
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, counted, percent

_EXCESS = 0.05
_SPREAD = 1.3
_NAMED = 3
_SAVE_BESIDE = Code(
    tensorflow="options = tf.train.CheckpointOptions(enable_async=True)\ncheckpoint.save(path, options=options)",
    pytorch="torch.distributed.checkpoint.async_save(state, checkpoint_id=path)",
    jax="checkpointer = orbax.checkpoint.AsyncCheckpointer(handler)\ncheckpointer.save(path, state)",
)
_LOAD_AHEAD = Code(
    tensorflow="dataset = dataset.prefetch(tf.data.AUTOTUNE)",
    pytorch="loader = DataLoader(dataset, num_workers=4,\n                    prefetch_factor=4, persistent_workers=True)",
    jax="loader = grain.DataLoader(data_source=source, sampler=sampler,\n"
    "                          worker_count=4, worker_buffer_size=4)",
)
_KEEP_WORKERS = replace(
    _LOAD_AHEAD,
    pytorch="loader = DataLoader(dataset, num_workers=workers,  # as today\n"
    "                    persistent_workers=True)  # they start once, not in every epoch",
)
_COLLECT_SELDOM = "gc.collect()\ngc.freeze()  # once, before the first step"
_CODE = {
    TimeClass.IO: _SAVE_BESIDE,
    TimeClass.INPUT: _LOAD_AHEAD,
    TimeClass.GC: Code(tensorflow=_COLLECT_SELDOM, pytorch=_COLLECT_SELDOM, jax=_COLLECT_SELDOM),
}
"""What to change where the part that grew tells what it is; of other parts the evidence is all that can be said."""
_NO_CODE = Code(tensorflow="", pytorch="", jax="")
_NAMEABLE = {*_CODE, TimeClass.COMPILE, TimeClass.COMM}
"""Parts that grow for a reason of their own; operations and Python may only have been held up by the machine."""
_UNNAMED_EXCESS = 0.2
"""Healthy recordings on a shared machine lose up to a tenth to steps that the machine has held up."""
_ALONE_EXCESS = 0.1
_ALONE_TIMES = 2.0
_LOADS_AHEAD = "Prefetch"


def look(facts: Facts) -> Seen:
    """What steps that are not typical take beyond the median; those before the first typical one are warm-up and never count."""
    steps, breakdown = facts.breakdown.steps, facts.breakdown
    if steps.source.guessed:
        return CannotTell("Steps are guessed, so outliers among them may be parts of one step.", MARK_STEPS)
    first = max(breakdown.warm_up, 0 if steps.before else 1)
    if len(steps) - first < LEAST_FOR_TYPICAL:
        return CannotTell("There are too few steps to find outliers.", "Capture at least ten steps.")
    slow = [each for each in breakdown.slow if each.place >= first and each.difference_ns > 0]
    length = steps.length[first:]
    median = max(1.0, float(np.median(length)))
    spread = float(np.percentile(length, 95)) / median
    excess = sum(each.difference_ns for each in slow) / max(1.0, float(length.sum()))
    if excess < _EXCESS or spread <= _SPREAD:
        return Quiet(f"Outlier steps cost {percent(excess)} of the time.")
    part = _part_with_most(slow)
    if len(slow) == 1 and not _more_than_jitter(slow[0], excess, median):
        return Quiet(
            f"One step of {len(length)} took {milliseconds(slow[0].difference_ns)} longer than the others: one "
            "outlier is not a pattern."
        )
    period = _period(steps.number[[each.place for each in slow]])
    return Pattern(
        title="Investigate outlier steps",
        summary=f"{counted(len(slow), 'outlier step')} of {len(length)} cost {percent(excess)} of the time beyond typical steps, "
        f"mostly in {part_text(part)}{f', every {period} steps' if period else ''}.",
        evidence=tuple(_line(facts, each) for each in sorted(slow, key=lambda one: -one.difference_ns)[:_NAMED]),
        of_window=_by_part(slow, float(length.sum())),
        least=0.0 if part in _NAMEABLE else _UNNAMED_EXCESS,
        code=_code(facts, part),
    )


def _part_with_most(slow: list[SlowStep]) -> TimeClass:
    """The part that grew in most of them; of several the one that grew longest."""
    counts = Counter(each.part for each in slow)
    return max(counts, key=lambda part: (counts[part], sum(each.difference_ns for each in slow if each.part == part)))


def _more_than_jitter(slow: SlowStep, excess: float, median: float) -> bool:
    """Whether a step that is slow alone is worth a word: it takes far longer than the others, for a reason that has a name."""
    return slow.part in _NAMEABLE and excess >= _ALONE_EXCESS and slow.difference_ns >= _ALONE_TIMES * median


def _code(facts: Facts, part: TimeClass) -> Code:
    """What fits the part that grew; nothing where the program does it already, or nothing is known of the part.

    Steps that wait for workers now and then wait for them to start: a loader without persistent ones starts them in every epoch.
    """
    if part is TimeClass.INPUT and facts.input.loader is Loader.TORCH_WORKERS:
        return _KEEP_WORKERS
    loads_ahead = any(stage.kind == _LOADS_AHEAD for stage in facts.input.stages)
    return _NO_CODE if part is TimeClass.INPUT and loads_ahead else _CODE.get(part, _NO_CODE)


def _by_part(slow: list[SlowStep], window_ns: float) -> dict[TimeClass, float]:
    """What the slow steps cost beyond the others, under the part that grew most in each."""
    shares: dict[TimeClass, float] = {}
    for each in slow:
        shares[each.part] = shares.get(each.part, 0.0) + each.difference_ns / max(1.0, window_ns)
    return shares


def _period(numbers: Int64) -> int:
    """The distance between slow steps, when it is always the same; 0 otherwise."""
    apart = np.diff(numbers)
    return int(apart[0]) if len(apart) > 1 and bool((apart == apart[0]).all()) and apart[0] > 1 else 0


def _line(facts: Facts, slow: SlowStep) -> Evidence:
    steps = facts.breakdown.steps
    start, end = int(steps.bounds[slow.place]), int(steps.bounds[slow.place + 1])
    longest = facts.rank_spans.longest_in_step(slow.place, slow.part)
    text = f"Step {int(steps.number[slow.place])}: {milliseconds(end - start)}, {milliseconds(slow.part_difference_ns)} more in "
    text += part_text(slow.part)
    if longest == NONE:
        return Evidence(f"{text}.", SpanReference(facts.rank, max(0, steps.source.track), NONE, NONE, start, end))
    return Evidence(f"{text}, longest span: {facts.name(longest)}.", facts.at(longest))


RULE = Rule(
    id="slow_steps",
    title="Outlier steps",
    look=look,
    code=_SAVE_BESIDE,
    of_some_steps=True,
    wrong_when="When the slow steps are expected and rare in a full epoch: a short capture makes them look frequent.",
)
