"""Communication between ranks: what they send, how long that takes, and which rank the others wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.declared import fill, fill_all
from stepscope.session.limits import Host, Limit, Rank, Worker, limited
from stepscope.session.part import Answer, Part, Wanted
from stepscope.session.report.columns import DisagreementRow

if TYPE_CHECKING:
    from stepscope.analyses.communication.tables import Communication as Found
    from stepscope.session.analysed import AnalysedSession


class CommunicationWanted(Wanted, frozen=True, kw_only=True):
    """How many collectives are listed."""

    limit: Limit = 0


class CollectiveRow(Struct, frozen=True, kw_only=True):
    """Communication of one kind, group, message size and data type. Times are of a typical step, averaged over ranks."""

    kind: Annotated[str, d.text("Kind, such as allreduce; or the operation's own name.")]
    group: Annotated[str, d.text("Process group; empty when unknown.")]
    ranks: Annotated[int | None, d.count("Ranks in the group.")]
    ranks_here: Annotated[int, d.count("Ranks of the group that have a file here.")]
    bytes: Annotated[int | None, d.size("Size of one message.")]
    dtype: Annotated[str, d.text("Data type of the elements; empty when unknown.")]
    count: Annotated[int, d.count("Number of calls on all ranks and in all steps.")]
    count_per_step: Annotated[float, d.number("Calls of one rank in a typical step, mean over ranks.", "calls")]
    ms: Annotated[float, d.ms("Total duration.")]
    exposed_ms: Annotated[float, d.ms("Time that no compute hides.")]
    overlapped_ms: Annotated[float, d.ms("Time hidden behind compute.")]
    waiting_ms: Annotated[float | None, d.ms("Time spent waiting for ranks that arrive later; null while ranks are missing.")]
    transfer_ms: Annotated[float | None, d.ms("Time after the last rank has arrived; null while ranks are missing.")]
    each_us: Annotated[float, d.us("Median duration of one call, after all ranks have arrived where that is known.")]
    algorithm_bytes_per_second: Annotated[float | None, d.per_second("Message size over duration.", "B")]
    bus_bytes_per_second: Annotated[float | None, d.per_second("Bus bandwidth: what the slowest link carried.", "B")]
    bandwidth_is_lower_bound: Annotated[bool, d.flag("Whether the time includes waiting, so that real bandwidth is higher.")]
    split: Annotated[str, d.text("Whether waiting and transfer could be separated, and by how many ranks.")]


class CommunicatingRank(Struct, frozen=True, kw_only=True):
    """Communication of one worker. Times are of a typical step."""

    worker: Worker
    host: Host
    rank: Rank
    step_ms: Annotated[float, d.ms("Typical step time.")]
    exposed_ms: Annotated[float, d.ms("Communication that no compute hides.")]
    overlapped_ms: Annotated[float, d.ms("Communication hidden behind compute.")]
    waiting_ms: Annotated[float | None, d.ms("Exposed time spent waiting for slower ranks; null while ranks are missing.")]
    transfer_ms: Annotated[float | None, d.ms("Exposed time spent moving data; null while ranks are missing.")]
    others_wait_ms: Annotated[float | None, d.ms("Time that the other ranks wait for this one.")]
    last_in_steps: Annotated[float | None, d.fraction("Share of steps in which this rank arrives last.")]
    steps: Annotated[list[int], d.step("Step numbers.")]
    waiting_ms_by_step: Annotated[list[float] | None, d.ms("Waiting time of each step; null while ranks are missing.")]


class SuspectRow(Struct, frozen=True):
    """Kernels that behave like communication but count as compute, because their name is not known."""

    name: Annotated[str, d.text("Name of the kernel.")]
    why: Annotated[str, d.text("What makes it look like communication.")]
    count: Annotated[int, d.count("Number of launches.")]
    total_ms: Annotated[float, d.ms("Total duration.")]


class Communication(Answer, frozen=True, kw_only=True):
    """What ranks send each other, and which rank the others wait for."""

    sentence: Annotated[str, d.text("The result in one or two sentences.")]
    split: Annotated[str, d.text("Whether waiting and transfer could be separated, and why not.")]
    disagreements: Annotated[list[DisagreementRow], d.nested("In what the ranks differ.")]
    collectives: Annotated[list[CollectiveRow], d.nested("Communication by kind, group and size, longest first.")]
    total: Annotated[int, d.count("Number of rows of collectives; at most `limit` are listed.")]
    ranks: Annotated[list[CommunicatingRank], d.nested("Communication by worker.")]
    straggler: Annotated[str | None, d.text("Worker that the others wait for in nearly every step; null when there is none.")]
    no_operation_ms: Annotated[float | None, d.ms("Time of a typical step in which no rank runs anything; null if ranks are missing.")]
    clock_error_us: Annotated[float | None, d.us("Largest difference between the ranks' clocks after alignment; null when unknown.")]
    clocks_from: Annotated[int, d.count("Number of collectives that the clocks were aligned by.")]
    suspects: Annotated[list[SuspectRow], d.nested("Kernels that may be communication but count as compute.")]


def _make(session: AnalysedSession, wanted: CommunicationWanted) -> Communication:
    from stepscope.analyses.communication.tables import communication

    places = range(len(session.profiles))
    found = communication(
        session.profiles, [session.breakdown(place) for place in places], [session.programs(place)[0] for place in places]
    )
    clocks = found.collected.clocks
    rows = [
        fill(
            CollectiveRow,
            row,
            ranks_here=row.present,
            ms=row.total_ns / 1e6,
            algorithm_bytes_per_second=row.algorithm_bandwidth,
            bus_bytes_per_second=row.bus_bandwidth,
            bandwidth_is_lower_bound=row.lower_bound,
        )
        for row in limited(found.rows, wanted.limit)
    ]
    return Communication(
        sentence=_sentence(found, session),
        split=found.collected.text,
        disagreements=fill_all(DisagreementRow, found.disagreements),
        collectives=rows,
        total=len(found.rows),
        ranks=[_rank(session, found, place) for place in places],
        straggler=None if found.straggler is None else session.workers[found.straggler],
        no_operation_ms=None if found.between_hosts_ns is None else found.between_hosts_ns / 1e6,
        clock_error_us=clocks.error_ns / 1e3 if clocks else None,
        clocks_from=clocks.matched if clocks else 0,
        suspects=fill_all(SuspectRow, found.suspects),
    )


def _rank(session: AnalysedSession, found: Found, place: int) -> CommunicatingRank:
    row = found.ranks[place]
    by_step = None if row.step_waiting_ns is None else [each / 1e6 for each in row.step_waiting_ns]
    return fill(
        CommunicatingRank,
        row,
        **session.whose(place),
        others_wait_ms=None if row.caused_ns is None else row.caused_ns / 1e6,
        last_in_steps=row.last,
        steps=list(row.step_number),
        waiting_ms_by_step=by_step,
    )


def _sentence(found: Found, session: AnalysedSession) -> str:
    from stepscope.analyses.texts import milliseconds, worker_name
    from stepscope.model.profile import NONE

    if not found.rows:
        return "No communication was recorded in this profile."
    exposed = sum(rank.exposed_ns for rank in found.ranks) / len(found.ranks)
    step = sum(rank.step_ns for rank in found.ranks) / len(found.ranks)
    share = exposed / step if step else 0.0
    said = f"Exposed communication is {share:.0%} of a step ({milliseconds(exposed)})."
    if found.straggler is None:
        return said
    waits = milliseconds(found.ranks[found.straggler].caused_ns or 0.0)
    rank = session.profiles[found.straggler].rank
    name = worker_name(session.workers[found.straggler], None if rank == NONE else rank)
    return f"{said} The other ranks wait {waits} per step for {name}."


COMMUNICATION = Part("communication", "Communication", CommunicationWanted, Communication, _make, table="collectives", kept=True)
