"""Communication on the Profile tab: in what ranks differ, what they send each other, and whom they wait for."""

from __future__ import annotations

from msgspec import Struct

from stepscope.analyses.breakdown import break_down
from stepscope.analyses.communication.tables import CollectiveRow, Communication, RankRow, communication
from stepscope.analyses.steps import find_steps
from stepscope.analyses.summary import milliseconds
from stepscope.dashboards.profile.messages import DisagreementLine, RangeText, ReadingRow, SessionText, StepsText
from stepscope.queries.profiles import Opened

MOST_ROWS = 5_000
_MS = 1e6


class CommunicationRequest(Struct, frozen=True):
    """Which session, all of whose ranks are looked at together."""

    session: SessionText
    steps: StepsText = ""
    range: RangeText = ""


class CollectiveLine(Struct, frozen=True):
    """Communication of one kind, group, size and type; milliseconds of a typical step, mean over ranks. Unknown is null."""

    kind: str
    group: str
    ranks: int | None
    ranks_here: int
    bytes: int | None
    dtype: str
    count: int
    ms: float
    exposed_ms: float
    overlapped_ms: float
    waiting_ms: float | None
    transfer_ms: float | None
    each_us: float
    algorithm_bytes_per_second: float | None
    bus_bytes_per_second: float | None
    lower_bound: bool
    split: str


class CommunicatingRank(Struct, frozen=True):
    """One worker's communication; milliseconds of a typical step."""

    worker: str
    step_ms: float
    exposed_ms: float
    overlapped_ms: float
    waiting_ms: float | None
    transfer_ms: float | None
    others_wait_ms: float | None
    last_in_steps: float | None


class SuspectLine(Struct, frozen=True):
    """Kernels that no list knows but that behave like communication."""

    name: str
    why: str
    count: int
    total_ms: float


class CommunicationFound(Struct, frozen=True):
    """`straggler` is the worker that the others wait for in nearly every step; null when there is no such worker."""

    sentence: str
    split: str
    disagreements: list[DisagreementLine]
    collectives: list[CollectiveLine]
    total: int
    ranks: list[CommunicatingRank]
    straggler: str | None
    no_operation_ms: float | None
    clock_error_us: float | None
    suspects: list[SuspectLine]


class CommunicationAnswer(Struct, frozen=True):
    """The answer, or how far reading has come; at most 5,000 of the `total` rows are sent."""

    epoch: int
    reading: ReadingRow | None
    communication: CommunicationFound | None


def communication_of(opened: Opened, steps: str) -> CommunicationFound:
    """Everything about the communication of a session. Raises BadInput."""
    timed = [place for place, profile in enumerate(opened.profiles) if len(profile.spans)]
    profiles = [opened.profiles[place] for place in timed]
    breakdowns = [break_down(profile, find_steps(profile, steps or None)) for profile in profiles]
    found = communication(profiles, breakdowns, [opened.programs(place) for place in timed])
    workers = [opened.files[place].worker for place in timed]
    clocks = found.collected.clocks
    return CommunicationFound(
        sentence=_sentence(found, workers),
        split=found.collected.text,
        disagreements=[DisagreementLine(each.what, list(each.values)) for each in found.disagreements],
        collectives=[_line(row) for row in found.rows[:MOST_ROWS]],
        total=len(found.rows),
        ranks=[_rank(worker, row) for worker, row in zip(workers, found.ranks, strict=True)],
        straggler=None if found.straggler is None else workers[found.straggler],
        no_operation_ms=_ms(found.between_hosts_ns),
        clock_error_us=clocks.error_ns / 1e3 if clocks else None,
        suspects=[SuspectLine(one.name, one.why, one.count, one.total_ns / _MS) for one in found.suspects],
    )


def _sentence(found: Communication, workers: list[str]) -> str:
    if not found.rows:
        return "No communication was recorded."
    exposed = sum(rank.exposed_ns for rank in found.ranks) / len(found.ranks)
    step = sum(rank.step_ns for rank in found.ranks) / len(found.ranks)
    share = f"{exposed / step if step else 0.0:.0%}".replace("%", " %")
    said = f"{share} of a step, {milliseconds(exposed)}, is communication that no compute hides."
    if found.straggler is None:
        return said
    waits = milliseconds(found.ranks[found.straggler].caused_ns or 0.0)
    return f"{said} The others wait {waits} a step for {workers[found.straggler]}."


def _line(row: CollectiveRow) -> CollectiveLine:
    return CollectiveLine(
        kind=row.kind,
        group=row.group,
        ranks=row.ranks,
        ranks_here=row.present,
        bytes=row.bytes,
        dtype=row.dtype,
        count=row.count,
        ms=row.total_ns / _MS,
        exposed_ms=row.exposed_ns / _MS,
        overlapped_ms=row.overlapped_ns / _MS,
        waiting_ms=_ms(row.waiting_ns),
        transfer_ms=_ms(row.transfer_ns),
        each_us=row.each_ns / 1e3,
        algorithm_bytes_per_second=row.algorithm_bandwidth,
        bus_bytes_per_second=row.bus_bandwidth,
        lower_bound=row.lower_bound,
        split=row.split,
    )


def _rank(worker: str, row: RankRow) -> CommunicatingRank:
    return CommunicatingRank(
        worker=worker,
        step_ms=row.step_ns / _MS,
        exposed_ms=row.exposed_ns / _MS,
        overlapped_ms=row.overlapped_ns / _MS,
        waiting_ms=_ms(row.waiting_ns),
        transfer_ms=_ms(row.transfer_ns),
        others_wait_ms=_ms(row.caused_ns),
        last_in_steps=row.last,
    )


def _ms(ns: float | None) -> float | None:
    return None if ns is None else ns / _MS
