"""The first sentence of a report wherever it is read: doubts, the numbers, the best change, and which rank to look at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stepscope.analyses.session.summary import Summary
from stepscope.analyses.time_classes import TimeClass
from stepscope.rules.judge import Judgement

WAITS_LESS = 0.05
"""A rank that waits for the others this share of a step less than any of them is the one they wait for."""


def headline(summary: Summary, judged: Judgement, names: Sequence[str]) -> str:
    """What speaks against the numbers, the numbers, what the best change would give, and one of the ranks called `names`."""
    if summary.quality.cut_short and summary.empty:
        return summary.quality.cut_short
    promises = [card.promise for card in judged.cards if card.promise] if summary.has_step_time or not _guessed(summary) else []
    said = [*judged.doubts[:1], summary.sentence_with(judged.unprofiled_ns), *promises[:1]]
    late, slowest = waited_for(summary), summary.lengths.slowest
    if late is not None:
        said.append(f"The other ranks wait for {names[late]}.")
    elif slowest is not None:
        said.append(f"The slowest rank is {names[slowest]}.")
    elif len(summary.profiles) > 1:
        said.append(summary.lengths.text)
    return " ".join(said)


def _guessed(summary: Summary) -> bool:
    return any(each.steps.source.guessed for each in summary.breakdowns)


def waited_for(summary: Summary) -> int | None:
    """The place of the rank that the others wait for: the last in their collectives, else the one that communicates clearly less.

    None when there is no such rank. Waiting itself tells when it is known; else communication stands in for it.
    """
    if len(summary.profiles) < 2:
        return None
    together = summary.collected
    damaged = summary.quality.damaged
    if together.late is not None and together.late not in damaged and together.late_ns >= WAITS_LESS * summary.typical_ns:
        return together.late
    if len(set(together.stages)) > 1:  # stages of a pipeline wait for each other by design
        return None
    if damaged:  # of a file that is not whole nobody knows how much its rank communicates
        return None
    waits: list[float] = []
    for breakdown, split in zip(summary.breakdowns, summary.collected.splits, strict=True):
        wait = float(breakdown.typical_parts[TimeClass.COMM]) if split is None else split.waiting_ns
        waits.append(wait / breakdown.typical_ns if breakdown.typical_ns else 0.0)
    least = int(np.argmin(waits))
    others = [wait for place, wait in enumerate(waits) if place != least]
    return least if min(others) - waits[least] >= WAITS_LESS else None
