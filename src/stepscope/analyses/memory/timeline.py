"""A memory over time: what was held in each stretch at its highest and at its end, stacked by operation, module or kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from stepscope.analyses.memory.ledger import HELD_BEFORE, UNKNOWN, Ledger, MatchedBy
from stepscope.analyses.work.module_calls import Flags
from stepscope.model.profile import NONE, Int64

OTHERS = "other"
OUTSIDE = "outside modules"


class StackedBy(StrEnum):
    """What makes a layer."""

    OP = "op"
    MODULE = "module"
    KIND = "kind"


@dataclass(frozen=True, slots=True)
class Layer:
    """One colour of the picture."""

    name: str
    bytes: Int64  # per point


@dataclass(frozen=True, slots=True)
class MemoryTimeline:
    """Points in time order, each valid until the next; at every point the layers sum to the level."""

    by: StackedBy
    time: Int64
    level: Int64
    reserved: Int64  # NONE where unknown
    layers: tuple[Layer, ...]  # what was held before, then what holds most at the peak, the sum of the small ones last
    peak: int  # the point of the peak


def possible_stacks(ledger: Ledger) -> tuple[StackedBy, ...]:
    """The ways of stacking of which the file tells anything."""
    told = {
        StackedBy.OP: ledger.matched_by is not MatchedBy.SUMS,
        StackedBy.MODULE: bool(ledger.holdings.module.any()),
        StackedBy.KIND: bool(ledger.holdings.kind.any()),
    }
    return tuple(by for by in StackedBy if told[by])


def memory_timeline(ledger: Ledger, by: StackedBy, *, stretches: int = 400, most_layers: int = 8) -> MemoryTimeline:
    """At most two points for each of that many equal stretches of time; the peak is always one of them."""
    points = _points(ledger, stretches)
    peak = peak_event(ledger)
    group, names = _groups(ledger, by)
    order = _largest_first(ledger, group, len(names), peak)
    first: list[int] = order[:most_layers].tolist()
    shown = [one for one in first if names[one] != HELD_BEFORE]
    rest = np.maximum(ledger.unrecorded()[points], 0)
    layers = [Layer(names[one], _held(ledger, group == one, points)) for one in shown]
    before = _held(ledger, group == names.index(HELD_BEFORE), points) + rest if HELD_BEFORE in names else rest
    if before.any():
        layers.insert(0, Layer(HELD_BEFORE, before))
    level = ledger.level[points]
    layers = _within(layers, level)
    others = level - sum((layer.bytes for layer in layers), np.zeros(len(points), np.int64))
    if others.any():
        layers.append(Layer(OTHERS, others))
    return MemoryTimeline(by, ledger.time[points], level, ledger.reserved[points], tuple(layers), int(np.searchsorted(points, peak)))


def _within(layers: list[Layer], level: Int64) -> list[Layer]:
    """Layers of which none is above the level: releases that are missing in the file are taken from all of them alike."""
    whole = sum((layer.bytes for layer in layers), np.zeros(len(level), np.int64))
    if not (whole > level).any():
        return layers
    share = np.where(whole > level, level / np.maximum(whole, 1), 1.0)
    return [replace(layer, bytes=np.floor(layer.bytes * share).astype(np.int64)) for layer in layers]


def peak_event(ledger: Ledger) -> int:
    """The first event after which most was held."""
    return int(np.argmax(ledger.level))


def _points(ledger: Ledger, stretches: int) -> Int64:
    """Of each stretch the event with the highest level and the last event; the first event is one of them."""
    time = ledger.time - ledger.time[0]
    length = max(1, int(time.max()) + 1)
    stretch = (time.astype(np.float64) / length * stretches).astype(np.int64)
    firsts = np.flatnonzero(np.diff(stretch, prepend=-1))
    lasts = np.append(firsts[1:], len(time)) - 1
    highest = np.maximum.reduceat(ledger.level, firsts)
    at_highest = np.flatnonzero(ledger.level == np.repeat(highest, lasts - firsts + 1))
    of_stretch = at_highest[np.flatnonzero(np.diff(stretch[at_highest], prepend=-1))]
    return np.union1d(np.union1d(of_stretch, lasts), [0, peak_event(ledger)]).astype(np.int64)


def _groups(ledger: Ledger, by: StackedBy) -> tuple[Int64, list[str]]:
    """A group for each holding, and the groups' names."""
    holdings = ledger.holdings
    column = {StackedBy.OP: holdings.op, StackedBy.MODULE: holdings.module, StackedBy.KIND: holdings.kind}[by]
    if by is not StackedBy.OP:
        # Of what was held before without a word about it, nothing else is known either.
        before = ledger.texts.index(HELD_BEFORE) if HELD_BEFORE in ledger.texts else NONE
        column = np.where((column == 0) & (holdings.op == before), before, column)
    found, group = np.unique(column, return_inverse=True)
    nameless = {StackedBy.OP: UNKNOWN, StackedBy.MODULE: OUTSIDE, StackedBy.KIND: UNKNOWN}[by]
    return group.astype(np.int64), [ledger.texts[one] or nameless for one in found.tolist()]


def _largest_first(ledger: Ledger, group: Int64, count: int, peak: int) -> Int64:
    """Groups by their bytes at the peak, then by all they ever took."""
    at_peak, ever = np.zeros(count, np.int64), np.zeros(count, np.int64)
    np.add.at(at_peak, group, ledger.held_at(peak))
    taken = ledger.moves.bytes > 0
    np.add.at(ever, group[ledger.moves.holding[taken]], ledger.moves.bytes[taken])
    return np.lexsort((np.arange(count), -ever, -at_peak))


def _held(ledger: Ledger, member: Flags, points: Int64) -> Int64:
    """Bytes of the members of a group after each of the events."""
    holdings, moves = ledger.holdings, ledger.moves
    initial = int(holdings.bytes[(holdings.first == NONE) & member].sum())
    after = np.append(0, np.cumsum(np.where(member[moves.holding], moves.bytes, 0)))
    return initial + after[np.searchsorted(moves.event, points, side="right")]
