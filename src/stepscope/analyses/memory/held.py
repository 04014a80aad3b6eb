"""What was held in each memory: the peak and who held it, the largest tensors, how long they lived, spikes, and room lost to pieces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from stepscope.analyses.memory.ledger import HELD_BEFORE, Holdings, Ledger, MatchedBy, ledgers
from stepscope.analyses.memory.owners import owner_rows
from stepscope.analyses.memory.pressure import OutOfMemory, Pieces, out_of_memory, pieces
from stepscope.analyses.memory.timeline import peak_event
from stepscope.analyses.steps import Steps
from stepscope.model.profile import NONE, Int64, MarkerFamily, Profile

_ALIKE = ("op", "module", "kind", "shape", "dtype")
"""The columns of holdings in which those alike agree."""
_LARGEST_LOOKED_AT = 50_000


class Lifetime(StrEnum):
    """How long bytes were held."""

    IN_STEP = "within_a_step"
    ACROSS = "across_steps"
    TO_THE_END = "to_the_end"
    BEFORE = "from_before"


@dataclass(frozen=True, slots=True)
class Held:
    """Allocations alike that were held at one moment."""

    op: str
    module: str
    kind: str
    shape: str
    dtype: str
    bytes: int
    count: int
    first_step: int | None  # in which the oldest was made; None when before the recording, or when there are no steps


@dataclass(frozen=True, slots=True)
class Tensor:
    """Allocations of one size that are alike; times are those of the one that lived longest."""

    op: str
    module: str
    kind: str
    shape: str
    dtype: str
    bytes: int  # of one
    count: int
    step: int | None  # in which it was made
    from_ns: int | None  # None: held before the recording
    until_ns: int | None  # None: held at its end
    at_peak: bool  # whether any of them was held there


@dataclass(frozen=True, slots=True)
class LifetimeRow:
    """Allocations that lived alike."""

    lifetime: Lifetime
    count: int
    bytes: int
    median_ns: float | None  # None where an end is not in the recording


@dataclass(frozen=True, slots=True)
class Spike:
    """An operation that takes memory and gives it back before it ends."""

    op: str
    bytes: int  # the highest, above what was held before and after it
    count: int  # calls of the operation that did so
    time_ns: int
    step: int | None


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """One memory. Step numbers are those of the steps given."""

    ledger: Ledger
    steps: Steps | None
    peak: int  # the event
    at_peak: tuple[Held, ...]  # most bytes first; they sum to the peak
    pieces: Pieces | None
    out_of_memory: tuple[OutOfMemory, ...]

    @property
    def peak_bytes(self) -> int:
        """The most that was held."""
        return int(self.ledger.level[self.peak])

    @property
    def peak_ns(self) -> int:
        """When it was."""
        return int(self.ledger.time[self.peak])

    @property
    def peak_step(self) -> int | None:
        """In which step it was."""
        return _step_numbers(self.steps, self.ledger.time[[self.peak]])(0)

    @property
    def fragmentation(self) -> float | None:
        """Of a snapshot, the share of free bytes outside the largest free block; else of reserved bytes those unused at the peak."""
        if self.pieces is not None:
            return self.pieces.fragmentation
        reserved = int(self.ledger.reserved[self.peak])
        return 1.0 - self.peak_bytes / reserved if reserved > 0 else None


def memory(profile: Profile, steps: Steps | None) -> list[MemoryUse]:
    """Each memory that the recording tells of: devices first, then the host."""
    known = None if steps is None or steps.source.family is MarkerFamily.WINDOW else steps
    return [_use(profile, ledger, known) for ledger in ledgers(profile)]


def largest(use: MemoryUse, limit: int = 50) -> list[Tensor]:
    """The largest allocations anywhere in the recording; none where the file has only sums."""
    ledger = use.ledger
    if ledger.matched_by is MatchedBy.SUMS:
        return []
    holdings = ledger.holdings
    length = holdings.last - holdings.first
    order = np.lexsort((-length, -holdings.bytes))[:_LARGEST_LOOKED_AT]
    columns = np.stack([holdings.bytes, *(getattr(holdings, name) for name in _ALIKE)])[:, order]
    _, first, group = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    count = np.zeros(len(first), np.int64)
    np.add.at(count, group, holdings.count[order])
    held = np.zeros(len(first), bool)
    held[group[ledger.held_at(use.peak)[order] > 0]] = True
    chosen = np.argsort(first)[:limit]
    began = ledger.time[np.maximum(holdings.first[order[first]], 0)]
    step = _step_numbers(use.steps, began)
    found: list[Tensor] = []
    for one in chosen.tolist():
        holding = int(order[first[one]])
        before, last = int(holdings.first[holding]) == NONE, int(holdings.last[holding])
        found.append(
            Tensor(
                *_texts(ledger, holding),
                bytes=int(holdings.bytes[holding]),
                count=int(count[one]),
                step=None if before else step(one),
                from_ns=None if before else int(began[one]),
                until_ns=int(ledger.time[last]) if last < len(ledger.time) else None,
                at_peak=bool(held[one]),
            )
        )
    return found


def lifetimes(use: MemoryUse) -> list[LifetimeRow]:
    """How many bytes lived how long; without steps everything that ends lives within one."""
    ledger = use.ledger
    if ledger.matched_by is MatchedBy.SUMS:
        return []
    holdings, count = ledger.holdings, len(ledger.time)
    before, open_ = holdings.first == NONE, holdings.last >= count
    began, ended = ledger.time[np.maximum(holdings.first, 0)], ledger.time[np.minimum(holdings.last, count - 1)]
    same = _step_places(use.steps, began) == _step_places(use.steps, ended)
    within = ~before & ~open_
    classes = {
        Lifetime.IN_STEP: within & same,
        Lifetime.ACROSS: within & ~same,
        Lifetime.TO_THE_END: ~before & open_,
        Lifetime.BEFORE: before,
    }
    rows: list[LifetimeRow] = []
    for lifetime, member in classes.items():
        closed = lifetime in (Lifetime.IN_STEP, Lifetime.ACROSS)
        if member.any():
            median = float(np.median((ended - began)[member])) if closed and ledger.timed else None
            rows.append(LifetimeRow(lifetime, int(holdings.count[member].sum()), int(holdings.bytes[member].sum()), median))
    return rows


def spikes(profile: Profile, use: MemoryUse, limit: int = 10) -> list[Spike]:
    """Operations by the most that one call of theirs held for a while, above what was held before and after it."""
    ledger = use.ledger
    if not len(profile.spans) or not (ledger.row != NONE).any():
        return []
    owner = owner_rows(profile, ledger.row.astype(np.int32))
    firsts = np.flatnonzero(np.diff(owner, prepend=NONE - 1))
    lasts = np.append(firsts[1:], len(owner)) - 1
    highest = np.maximum.reduceat(ledger.level, firsts)
    before = np.where(firsts > 0, ledger.level[firsts - 1], 0)
    rise = np.where(owner[firsts] == NONE, 0, highest - np.maximum(before, ledger.level[lasts]))
    rise[0] = 0  # what was held before the first event is not known
    name = np.where(owner[firsts] >= 0, profile.spans.name[np.maximum(owner[firsts], 0)], NONE)
    found: list[Spike] = []
    order = np.flatnonzero(rise > 0)
    order = order[np.argsort(-rise[order], kind="stable")]
    step = _step_numbers(use.steps, ledger.time[firsts])
    for one in order[np.sort(np.unique(name[order], return_index=True)[1])][:limit].tolist():
        calls = int((name[order] == name[one]).sum())
        found.append(Spike(profile.names[int(name[one])], int(rise[one]), calls, int(ledger.time[firsts[one]]), step(one)))
    return found


def _use(profile: Profile, ledger: Ledger, steps: Steps | None) -> MemoryUse:
    peak = peak_event(ledger)
    return MemoryUse(
        ledger, steps, peak, _held_rows(ledger, steps, peak), pieces(profile, ledger.device), out_of_memory(profile, ledger)
    )


def _held_rows(ledger: Ledger, steps: Steps | None, event: int) -> tuple[Held, ...]:
    """What was held after an event, alike allocations in one row, and one row of what the file does not tell."""
    holdings, size = ledger.holdings, ledger.held_at(event)
    rest = int(ledger.unrecorded()[event])
    if rest < 0:
        rest += _take_unreleased(holdings, size, -rest, len(ledger.time))
    alive = np.flatnonzero(size)
    columns = np.stack([getattr(holdings, name) for name in _ALIKE])[:, alive]
    _, first, group = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    total, count = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    np.add.at(total, group, size[alive])
    np.add.at(count, group, holdings.count[alive])
    oldest = np.full(len(first), len(ledger.time), np.int64)
    np.minimum.at(oldest, group, holdings.first[alive])
    step = _step_numbers(steps, ledger.time[np.clip(oldest, 0, len(ledger.time) - 1)])
    rows = [
        Held(*_texts(ledger, int(alive[first[one]])), int(total[one]), int(count[one]), None if oldest[one] == NONE else step(one))
        for one in range(len(first))
    ]
    if rest > 0:
        rows.append(Held(HELD_BEFORE, "", "", "", "", rest, 0, None))
    return tuple(sorted(_joined(rows), key=lambda row: (-row.bytes, row.op, row.module, row.shape)))


def _take_unreleased(holdings: Holdings, size: Int64, excess: int, events: int) -> int:
    """Takes what the total does not hold any more from the oldest that the file never releases, and the rest from the oldest of all."""
    order = np.lexsort((holdings.first, holdings.last < events))
    taken = np.diff(np.minimum(np.cumsum(size[order]), excess), prepend=0)
    size[order] -= taken
    return int(taken.sum())


def _joined(rows: list[Held]) -> list[Held]:
    """With what was held before in one row: that some of it was released later makes no difference here."""
    before = [row for row in rows if row.op == HELD_BEFORE]
    if len(before) < 2:
        return rows
    one = Held(HELD_BEFORE, "", "", "", "", sum(row.bytes for row in before), sum(row.count for row in before), None)
    return [*(row for row in rows if row.op != HELD_BEFORE), one]


def _texts(ledger: Ledger, holding: int) -> tuple[str, str, str, str, str]:
    op, module, kind, shape, dtype = (ledger.texts[int(getattr(ledger.holdings, name)[holding])] for name in _ALIKE)
    return op, module, kind, shape, dtype


def _step_places(steps: Steps | None, times: Int64) -> Int64:
    """The place of the step that each moment lies in, NONE outside of steps."""
    if steps is None:
        return np.full(len(times), NONE, np.int64)
    places = np.searchsorted(steps.marker, times, side="right").astype(np.int64) - 1
    return np.where(times >= max(steps.last_end, int(steps.bounds[-1])), NONE, places)


def _step_numbers(steps: Steps | None, times: Int64) -> Callable[[int], int | None]:
    """Tells the number of the step of one of the moments."""
    places = _step_places(steps, times)
    return lambda one: None if steps is None or places[one] == NONE else int(steps.number[places[one]])
