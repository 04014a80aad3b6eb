"""Which stage of tf.data feeds which, when a stage waits for one that works on another thread, and who of all threads is waited for."""

from __future__ import annotations

import numpy as np

from stepscope._native import owned_segments
from stepscope.analyses.intervals import Intervals, minus, union
from stepscope.model.profile import Int8, Int32, Int64, Profile

DEEPEST = 24
_MOST_RANKS = 32  # that the core tells apart

Stretches = tuple[Int64, Int64, Int64]
"""Start, end, and the place of the row that owns each."""


def depth_of(profile: Profile, name: int) -> int:
    """How many stages lie between the stage of that name and the consumer; 0 for what is no stage."""
    return min(max(0, len(profile.name_rules.stage(profile.names[name])) - 1), DEEPEST)


def without_waiting(profile: Profile, rows: Int64, stretches: Stretches) -> Stretches:
    """The stretches without what a stage spends while the stage that feeds it works on another thread.

    A stage that calls the one before it on its own thread has no time of its own then anyway. One that is fed by another thread
    (prefetching, parallel stages) waits while that thread makes an element.
    """
    start, end, place = stretches
    names, track = profile.spans.name[rows], profile.spans.track[rows]
    fed = _fed_by(profile, names)
    free = ~np.isin(names[place], list(fed))
    kept = [(start[free], end[free], place[free])]
    for stage, feeders in fed.items():
        feeding = _on_other_threads(profile, rows[names == stage], rows[np.isin(names, feeders)])
        for thread in np.unique(track[names == stage]):
            mine = (names[place] == stage) & (track[place] == thread)
            kept.append(_outside((start[mine], end[mine], place[mine]), feeding))
    starts, ends, places = zip(*kept, strict=True)
    return np.concatenate(starts), np.concatenate(ends), np.concatenate(places)


def once(stretches: Stretches, rank: Int8) -> Stretches:
    """Stretches of all threads so that each instant has one owner: of the lowest rank (of each stretch), then who began last."""
    start, end, place = stretches
    order = np.lexsort((-end, start))
    since, until, owner = owned_segments(start[order], end[order], rank[order], np.arange(_MOST_RANKS, dtype=np.int8))
    return since, until, place[order][owner]


def _fed_by(profile: Profile, names: Int32) -> dict[int, list[int]]:
    """Of each recorded stage the recorded stages next before it."""
    paths = {int(name): profile.name_rules.stage(profile.names[int(name)]) for name in np.unique(names)}
    stages = {path: [name for name, other in paths.items() if other == path] for path in paths.values() if path}
    fed: dict[int, list[int]] = {}
    for path, feeders in stages.items():
        consumer = path[:-1]
        while consumer and consumer not in stages:
            consumer = consumer[:-1]
        for name in stages.get(consumer, []):
            fed.setdefault(name, []).extend(feeders)
    return fed


def _on_other_threads(profile: Profile, stage: Int64, feeders: Int64) -> Intervals:
    """When feeders run that no call of the stage holds on their own thread."""
    spans = profile.spans
    alone = np.ones(len(feeders), np.bool_)
    for track in np.unique(spans.track[stage]):
        mine = stage[spans.track[stage] == track]
        reach = np.maximum.accumulate(spans.end[mine])
        around = np.searchsorted(spans.start[mine], spans.start[feeders], side="right") - 1
        held = (spans.track[feeders] == track) & (around >= 0)
        alone &= ~(held & (spans.end[feeders] <= reach[np.maximum(around, 0)]))
    return union(spans.start[feeders[alone]], spans.end[feeders[alone]])


def _outside(stretches: Stretches, others: Intervals) -> Stretches:
    """The parts of stretches of one thread that lie in none of the intervals."""
    start, end, place = stretches
    since, until = minus((start, end), others)
    return since, until, place[np.searchsorted(start, since, side="right") - 1]
