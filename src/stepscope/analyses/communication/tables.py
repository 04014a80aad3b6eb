"""Communication of a session in tables: by kind, group and size, and by rank; what is exposed, what waits, what moves data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown, device_segments, host_segments
from stepscope.analyses.communication.disagreements import Disagreement, disagreements
from stepscope.analyses.communication.lateness import Causes
from stepscope.analyses.communication.matching import Clocks, Meeting, Own, gather, own_collectives
from stepscope.analyses.communication.ranks import Collected, collected
from stepscope.analyses.communication.sizes import MessageFacts, ProgramMessages, algorithm_bandwidth, bus_bandwidth, message_bytes
from stepscope.analyses.communication.suspects import Suspect, suspects
from stepscope.analyses.intervals import Intervals, lengths_between, union
from stepscope.analyses.steps import step_of_spans
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import NONE, Int64, Profile

_SEC = 1e9
_RowKey = tuple[str, str, int | None, int | None, str]
_WAITS = (TimeClass.FRAMEWORK, TimeClass.SYNC)
"""Classes of the host in which a thread may only wait for what another one does."""


@dataclass(frozen=True, slots=True)
class CollectiveRow:
    """All communication of one kind, group, size and type; times in nanoseconds of a typical step, mean over ranks."""

    kind: str  # "allreduce", …, or the operation's own name
    group: str  # "" when the file does not tell
    ranks: int | None  # of the group
    present: int  # of them, those with a file here
    bytes: int | None  # of one message
    dtype: str
    count: int  # on all ranks, in all steps
    count_per_step: float  # of a rank in a typical step
    total_ns: float
    exposed_ns: float  # no compute ran meanwhile
    overlapped_ns: float
    waiting_ns: float | None  # for ranks that came later; None while ranks are missing
    transfer_ns: float | None
    each_ns: float  # median of what one takes: from when all ranks are there, where that is known
    algorithm_bandwidth: float | None  # bytes per second
    bus_bandwidth: float | None
    lower_bound: bool  # the time holds waiting, so that the bandwidths are at least what is shown

    @property
    def split(self) -> str:
        """Whether waiting could be told from transfer."""
        return (
            f"split by {self.present} ranks"
            if self.waiting_ns is not None
            else f"not split: {self.present} of {self.ranks or '?'} ranks"
        )


@dataclass(frozen=True, slots=True)
class RankRow:
    """One rank's communication; times in nanoseconds of a typical step."""

    step_ns: float
    exposed_ns: float
    overlapped_ns: float
    waiting_ns: float | None  # exposed, for ranks that came later
    transfer_ns: float | None
    caused_ns: float | None  # what the other ranks wait for this one
    last: float | None  # share of steps in which it comes last
    step_number: tuple[int, ...]
    step_waiting_ns: tuple[float, ...] | None  # of each step


@dataclass(frozen=True, slots=True)
class Communication:
    """Everything about the communication of a session; what does not fit together comes first."""

    disagreements: tuple[Disagreement, ...]
    rows: tuple[CollectiveRow, ...]  # longest first
    ranks: tuple[RankRow, ...]
    straggler: int | None  # place of the rank that most others wait for, when it is nearly always the same
    between_hosts_ns: float | None  # of a typical step: no rank runs anything; None while ranks are missing
    collected: Collected
    suspects: tuple[Suspect, ...]  # kernels that behave like communication and are counted as compute


@dataclass(frozen=True, slots=True)
class _Rank:
    """One rank while the tables are made."""

    profile: Profile
    breakdown: Breakdown
    own: list[Own]
    typical: set[int]  # places
    step: dict[int, int]  # of rows, place
    wait_end: dict[int, int]  # of rows, since the shared epoch on the rank's own clock


def communication(
    profiles: Sequence[Profile], breakdowns: Sequence[Breakdown], programs: Sequence[Sequence[HloProgram]] = ()
) -> Communication:
    """Everything about the communication of a session; `programs` of each rank tell the sizes that XLA's files leave out."""
    gathered = gather(profiles, [breakdown.steps for breakdown in breakdowns])
    own, clocks, latest = gathered.own, gathered.clocks, gathered.latest
    waits = _own_wait_ends(latest, clocks, len(profiles))
    ranks = [
        _rank(profile, breakdown, mine, wait) for profile, breakdown, mine, wait in zip(profiles, breakdowns, own, waits, strict=True)
    ]
    split = collected(gathered, profiles, breakdowns)
    causes = Causes(breakdowns, [rank.step for rank in ranks], latest, clocks)
    return Communication(
        disagreements=tuple(disagreements(profiles, breakdowns, own)),
        rows=tuple(
            _rows(ranks, [ProgramMessages(found) for found in programs] or [ProgramMessages(())] * len(ranks), gathered.meetings)
        ),
        ranks=tuple(_rank_row(rank, place, split, causes) for place, rank in enumerate(ranks)),
        straggler=causes.straggler,
        between_hosts_ns=_between_hosts(ranks, clocks) if gathered.world_size <= len(ranks) else None,
        collected=split,
        suspects=tuple(suspects(profiles, clocks)),
    )


def spans_of_collective(profile: Profile, programs: Sequence[HloProgram], kind: str, group: str, size: int | None) -> Int64:
    """One rank's spans of one row of the table; `size` is that of a message, None for any."""
    messages, own = ProgramMessages(programs), own_collectives(profile)
    sizes = _group_sizes([own])
    found: list[int] = []
    for one in own:
        op = int(profile.spans.op[one.row])
        key = _row_key(profile, one, messages(profile.ops[op]) if op >= 0 else None, sizes)
        if key[:2] == (kind, group) and size in (None, key[3]):
            found.append(one.row)
    return np.array(found, np.int64)


def _own_wait_ends(latest: Sequence[tuple[Meeting, int, int]], clocks: Clocks | None, ranks: int) -> list[dict[int, int]]:
    found: list[dict[int, int]] = [{} for _ in range(ranks)]
    for meeting, moment, _ in latest:
        for rank, row in zip(meeting.ranks, meeting.rows, strict=True):
            found[rank][row] = moment - (clocks.shift(rank) if clocks else 0)
    return found


def _rank(profile: Profile, breakdown: Breakdown, own: list[Own], wait_end: dict[int, int]) -> _Rank:
    rows = [one.row for one in own]
    places: list[int] = step_of_spans(profile, breakdown.steps, np.array(rows, np.int64)).tolist() if rows else []
    return _Rank(profile, breakdown, own, set(breakdown.typical), dict(zip(rows, places, strict=True)), wait_end)


@dataclass(slots=True)
class _Sums:
    """One row of the table while it is filled."""

    count: int = 0
    per_step: float = 0.0
    total: float = 0.0
    exposed: float = 0.0
    waiting: float = 0.0
    split: bool = True
    present: int = 0


def _rows(ranks: Sequence[_Rank], messages: Sequence[ProgramMessages], meetings: Sequence[Meeting]) -> list[CollectiveRow]:
    here = {(rank, row): len(meeting.ranks) for meeting in meetings for rank, row in zip(meeting.ranks, meeting.rows, strict=True)}
    sizes = _group_sizes([rank.own for rank in ranks])
    sums: dict[_RowKey, _Sums] = {}
    each: dict[_RowKey, list[float]] = {}
    for place, rank in enumerate(ranks):
        steps = max(1, len(rank.breakdown.typical))
        for one in rank.own:
            facts = messages[place](rank.profile.ops[op]) if (op := int(rank.profile.spans.op[one.row])) >= 0 else None
            key = _row_key(rank.profile, one, facts, sizes)
            found = sums.setdefault(key, _Sums())
            found.count += 1
            found.present = max(found.present, here.get((place, one.row), 1))
            until = rank.wait_end.get(one.row)
            found.split &= until is not None
            waiting = min(max(until - one.start, 0), one.end - one.start) if until is not None else 0
            each.setdefault(key, []).append(one.end - one.start - waiting)
            if rank.step[one.row] in rank.typical:
                found.per_step += 1 / steps
                found.total += (one.end - one.start) / steps
                found.exposed += _exposed(rank, one) / steps
                found.waiting += waiting / steps
    made = [_row(key, found, float(np.median(each[key])), len(ranks)) for key, found in sums.items()]
    return sorted(made, key=lambda row: (-row.total_ns, row.kind, row.group, row.bytes or 0))


def _group_sizes(ranks: Sequence[Sequence[Own]]) -> dict[str, int]:
    """A group's size may be in one rank's file only: TensorFlow tells it when the group first meets."""
    found: dict[str, int] = {}
    for own in ranks:
        for one in own:
            if one.size != NONE and one.group:
                found[one.group] = max(one.size, found.get(one.group, 0))
    return found


def _row_key(profile: Profile, one: Own, facts: MessageFacts | None, sizes: Mapping[str, int]) -> _RowKey:
    table, place = profile.collectives, one.place
    given = [int(column[place]) if place != NONE and column[place] >= 0 else None for column in (table.in_bytes, table.out_bytes)]
    dtype = profile.names[int(table.dtype[place])] if place != NONE and table.dtype[place] >= 0 else ""
    size = one.size if one.size != NONE else sizes.get(one.group)
    if facts is not None:
        given = [mine if mine is not None else theirs for mine, theirs in zip(given, (facts.in_bytes, facts.out_bytes), strict=True)]
        dtype, size = dtype or facts.dtype, size or facts.ranks
    return (one.name, one.group, size, message_bytes(one.name, given[0], given[1], size), dtype)


def _row(key: _RowKey, sums: _Sums, each_ns: float, ranks: int) -> CollectiveRow:
    kind, group, size, message, dtype = key
    algorithm = algorithm_bandwidth(message, each_ns / _SEC)
    # Without a size in the file, the ranks that were found together stand for the group.
    taking_part = size or (sums.present if sums.split else None)
    return CollectiveRow(
        kind=kind,
        group=group,
        ranks=size,
        present=sums.present,
        bytes=message,
        dtype=dtype,
        count=sums.count,
        count_per_step=sums.per_step / ranks,
        total_ns=sums.total / ranks,
        exposed_ns=sums.exposed / ranks,
        overlapped_ns=max(0.0, sums.total - sums.exposed) / ranks,
        waiting_ns=sums.waiting / ranks if sums.split else None,
        transfer_ns=(sums.total - sums.waiting) / ranks if sums.split else None,
        each_ns=each_ns,
        algorithm_bandwidth=algorithm,
        bus_bandwidth=bus_bandwidth(kind, algorithm, taking_part),
        lower_bound=not sums.split,
    )


def _exposed(rank: _Rank, one: Own) -> float:
    exposed = rank.breakdown.exposed
    return float(exposed[one.row]) + (float(exposed[one.done]) if one.done != NONE else 0.0)


def _rank_row(rank: _Rank, place: int, collected: Collected, causes: Causes) -> RankRow:
    breakdown, split = rank.breakdown, collected.splits[place]
    caused, last = causes.of(place, collected.waiting_ns)
    return RankRow(
        step_ns=breakdown.typical_ns,
        exposed_ns=float(breakdown.typical_parts[TimeClass.COMM]),
        overlapped_ns=float(breakdown.typical_overlapped[TimeClass.COMM]),
        waiting_ns=split.waiting_ns if split else None,
        transfer_ns=split.transfer_ns if split else None,
        caused_ns=caused,
        last=last,
        step_number=tuple(breakdown.steps.number.tolist()),
        step_waiting_ns=split.step_waiting_ns if split else None,
    )


def _between_hosts(ranks: Sequence[_Rank], clocks: Clocks | None) -> float | None:
    """Time of a typical step of the first rank in which no rank runs anything: at most framework and waiting calls are open."""
    if clocks is None:
        return None
    starts: list[np.ndarray] = []
    ends: list[np.ndarray] = []
    for place, rank in enumerate(ranks):
        shift = rank.profile.base_ns + clocks.shift(place)
        start, end = _working(rank)
        starts.append(start + shift)
        ends.append(end + shift)
    covered = union(np.concatenate(starts), np.concatenate(ends))
    steps = ranks[0].breakdown.steps
    busy = lengths_between(covered, steps.bounds + ranks[0].profile.base_ns)
    typical = list(ranks[0].breakdown.typical)
    return float((steps.length - busy)[typical].mean())


def _working(rank: _Rank) -> Intervals:
    """When anything of the rank runs that is more than waiting."""
    classified = rank.breakdown.classified
    segments = host_segments(rank.profile, classified)
    for device in classified.devices:
        segments += device_segments(rank.profile, classified, device)
    starts = [start[(label >= 0) & ~np.isin(label, _WAITS)] for start, _, _, label in segments]
    ends = [end[(label >= 0) & ~np.isin(label, _WAITS)] for _, end, _, label in segments]
    none = np.zeros(0, np.int64)
    return union(np.concatenate([none, *starts]), np.concatenate([none, *ends]))
