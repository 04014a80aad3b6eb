"""The calls of a rectangle of the trace as a tree: spans with the same names around them are one node, or, bottom up, inside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.timeline.cut import CutSpans, cut_spans
from stepscope.analyses.timeline.groups import Uint8
from stepscope.model.profile import NONE, Int64, Profile

MOST_LEVELS = 200
"""Deeper calls count in the node above them."""
LEAST_SHARE = 1 / 5_000
"""Nodes with a smaller part of all time are left out; no screen has room for them."""
_GONE = -2
"""The node of spans that are left out."""


@dataclass(frozen=True, slots=True)
class CallNode:
    """Spans of one name with the same names around them; bottom up: callers of one name of what is above."""

    name: int  # into Profile.names
    parent: int  # place of the node around it, NONE at the top
    level: int
    group: int  # of its longest span
    count: int
    wall_ns: int  # bottom up: the self time that these callers have a part in
    self_ns: int


@dataclass(frozen=True, slots=True)
class CallTree:
    """Nodes level by level, in each the largest first. Those of the first level, with what is left out, sum to the total."""

    total_ns: int
    nodes: tuple[CallNode, ...]


@dataclass(slots=True)
class _Level:
    """What is summed up next: spans by their place, the node above each, and the span whose name it goes by."""

    places: Int64
    above: Int64
    named: Int64


def call_tree(profile: Profile, groups: Uint8, tracks: Sequence[int], window: tuple[int, int], *, bottom_up: bool = False) -> CallTree:
    """Wall times from the outermost call inwards, or self times from the innermost call outwards."""
    cut = cut_spans(profile, tracks, window)
    around = _around(profile, cut)
    return _bottom_up(profile, groups, cut, around) if bottom_up else _top_down(profile, groups, cut, around)


def _around(profile: Profile, cut: CutSpans) -> Int64:
    """The place of the span around each, NONE at the top. It is always there: it is as long as what it contains."""
    place = np.full(len(profile.spans), NONE, np.int64)
    place[cut.rows] = np.arange(len(cut.rows))
    parent = profile.spans.parent[cut.rows]
    return np.where(parent == NONE, NONE, place[parent])


def _levels(profile: Profile, cut: CutSpans, around: Int64) -> Int64:
    """How many spans are around each. A span is on a deeper line than what is around it, so lines are gone through in order."""
    line = profile.spans.depth[cut.rows]
    level = np.zeros(len(cut.rows), np.int64)
    order = np.argsort(line, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(line[order])) + 1):
        above = around[places]
        level[places] = np.where(above == NONE, 0, level[above] + 1)
    return level


def _top_down(profile: Profile, groups: Uint8, cut: CutSpans, around: Int64) -> CallTree:
    wall = cut.wall
    level = _levels(profile, cut, around)
    total = int(wall[level == 0].sum())
    node = np.full(len(cut.rows), _GONE, np.int64)
    nodes: list[CallNode] = []
    order = np.argsort(level, kind="stable")
    for depth, places in enumerate(np.split(order, np.flatnonzero(np.diff(level[order])) + 1)[:MOST_LEVELS]):
        above = np.where(around[places] == NONE, NONE, node[around[places]])
        kept = above != _GONE
        found = _Level(places[kept], above[kept], places[kept])
        if len(found.places):
            node[found.places] = _summed(profile, groups, cut, nodes, found, depth, (wall, cut.own), total)
    return CallTree(total, tuple(nodes))


def _bottom_up(profile: Profile, groups: Uint8, cut: CutSpans, around: Int64) -> CallTree:
    total = int(cut.own.sum())
    nodes: list[CallNode] = []
    places = np.flatnonzero(cut.own > 0)
    level = _Level(places, np.full(len(places), NONE, np.int64), places)
    for depth in range(MOST_LEVELS):
        if not len(level.places):
            break
        node = _summed(profile, groups, cut, nodes, level, depth, (cut.own, cut.own), total)
        outwards = around[level.named]
        kept = (node != _GONE) & (outwards != NONE)
        level = _Level(level.places[kept], node[kept], outwards[kept])
    return CallTree(total, tuple(nodes))


def _summed(
    profile: Profile,
    groups: Uint8,
    cut: CutSpans,
    nodes: list[CallNode],
    level: _Level,
    depth: int,
    times: tuple[Int64, Int64],
    total: int,
) -> Int64:
    """Adds the nodes of one level, and answers the node of each of its spans."""
    wall, own = times[0][level.places], times[1][level.places]
    name = profile.spans.name[cut.rows[level.named]].astype(np.int64)
    _, first, code = np.unique((level.above + 1) * len(profile.names) + name, return_index=True, return_inverse=True)
    sums = np.bincount(code, wall)
    large = np.flatnonzero(sums >= max(1.0, total * LEAST_SHARE))
    large = large[np.argsort(-sums[large], kind="stable")]
    number = np.full(len(first), _GONE, np.int64)
    number[large] = len(nodes) + np.arange(len(large))
    own_sums, counts = np.bincount(code, own), np.bincount(code)
    group = groups[cut.rows[level.named[first[large]]]]
    columns = (name[first[large]], level.above[first[large]], group, counts[large], sums[large], own_sums[large])
    nodes += [
        CallNode(text, parent, depth, kind, count, round(whole), round(alone))
        for text, parent, kind, count, whole, alone in zip(*(column.tolist() for column in columns), strict=True)
    ]
    return number[code]
