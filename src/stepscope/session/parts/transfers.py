"""Copies between memories: sizes, bandwidth, how much of them a step waits for, and the calls that wait for them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from stepscope.analyses.work.transfers import TransfersBy, transfers
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Host, Limit, Rank, Worker, limited
from stepscope.session.part import Answer, Part, Wanted


class TransfersWanted(Wanted, frozen=True, kw_only=True):
    """What makes a row, and how many are listed."""

    by: Annotated[TransfersBy, d.text("Group rows by this, within direction, memory and device.")] = TransfersBy.DIRECTION
    limit: Limit = 0


class TransferRow(Struct, frozen=True, kw_only=True):
    """Copies of one direction between the same kinds of memory on one device, over the whole profile."""

    direction: Annotated[str, d.text("Direction, such as `host to device`.")]
    source_memory: Annotated[str, d.text("Kind of memory that is read, such as pinned, or `unknown`.")]
    target_memory: Annotated[str, d.text("Kind of memory that is written, or `unknown`.")]
    host_memory: Annotated[str, d.text("Kind of the host memory: pinned, pageable, managed or `unknown`; empty without a host side.")]
    device: Annotated[str, d.text("Device that copies, such as `GPU 0`.")]
    op: Annotated[str, d.text("Operation that started them; empty when unknown or several.")]
    worker: Worker
    host: Host
    rank: Rank
    streams: Annotated[list[int], d.number("Streams they ran on.", "stream")]
    count: Annotated[int, d.count("Number of copies.")]
    bytes: Annotated[int | None, d.size("Total size; null when not recorded.")]
    largest_bytes: Annotated[int | None, d.size("Size of the largest copy; null when not recorded.")]
    total_us: Annotated[float, d.us("Total duration.")]
    bytes_per_second: Annotated[float | None, d.per_second("Bandwidth while copying; null when sizes are not recorded.", "B")]
    exposed_us: Annotated[float, d.us("Time of a typical step in which the step waits for this and nothing else hides it.")]
    overlapped_us: Annotated[float, d.us("Time of a typical step in which they overlap with other work.")]
    blocked_us: Annotated[float, d.us("Total duration of host calls that waited until such a copy ended.")]
    blocked_by: Annotated[str, d.text("Host call that waited longest; empty when none did.")]


class Transfers(Answer, frozen=True, kw_only=True):
    """The table of copies between memories."""

    transfers: Annotated[list[TransferRow], d.nested("The rows, longest total duration first.")]
    total: Annotated[int, d.count("Number of all rows; at most `limit` are listed.")]


def _make(session: AnalysedSession, wanted: TransfersWanted) -> Transfers:
    rows = [row for place in session.places(wanted.worker) for row in _of_worker(session, place, wanted.by)]
    rows.sort(key=lambda row: -row.total_us)
    return Transfers(transfers=limited(rows, wanted.limit), total=len(rows))


def _of_worker(session: AnalysedSession, place: int, by: TransfersBy) -> list[TransferRow]:
    whose = session.whose(place)
    return [
        fill(
            TransferRow,
            row,
            source_memory=row.source,
            target_memory=row.target,
            largest_bytes=row.largest,
            bytes_per_second=row.bandwidth,
            **whose,
        )
        for row in transfers(session.profiles[place], session.breakdown(place), by)
    ]


TRANSFERS = Part("transfers", "Transfers", TransfersWanted, Transfers, _make, table="transfers")
