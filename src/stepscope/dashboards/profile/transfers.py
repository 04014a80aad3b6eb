"""Copies between memories on the Profile tab: one line a direction, operation or stream."""

from __future__ import annotations

from msgspec import Struct

from stepscope.analyses.breakdown import break_down
from stepscope.analyses.steps import find_steps
from stepscope.analyses.work.transfers import TransferRow, TransfersBy, transfers
from stepscope.dashboards.profile.messages import RangeText, ReadingRow, SessionText, StepsText, WorkerText
from stepscope.model.profile import Profile

MOST_ROWS = 20_000
_US = 1e3


class TransfersRequest(Struct, frozen=True):
    """Which session and worker (none: the first), and what makes a row beside direction and memory."""

    session: SessionText
    worker: WorkerText = ""
    by: TransfersBy = TransfersBy.DIRECTION
    steps: StepsText = ""
    range: RangeText = ""


class TransferLine(Struct, frozen=True):
    """Copies of one direction between the same kinds of memory: over the whole recording but for `exposed` and `overlapped`,
    which are of a typical step. What is unknown is null, or empty for names."""

    direction: str
    host_memory: str
    source_memory: str
    target_memory: str
    device: str
    op: str
    streams: list[int]
    count: int
    bytes: int | None
    largest_bytes: int | None
    total_us: float
    bytes_per_second: float | None
    exposed_us: float
    overlapped_us: float
    blocked_us: float
    blocked_by: str


class TransfersAnswer(Struct, frozen=True):
    """Longest in sum first, or how far reading has come; `total` rows there are, of which at most 20,000 are sent."""

    epoch: int
    reading: ReadingRow | None
    rows: list[TransferLine] | None
    total: int


def transfer_lines(profile: Profile, by: TransfersBy, steps: str) -> tuple[list[TransferLine], int]:
    """The lines, and how many there are. Raises BadInput."""
    rows = transfers(profile, break_down(profile, find_steps(profile, steps or None)), by)
    return [_line(row) for row in rows[:MOST_ROWS]], len(rows)


def _line(row: TransferRow) -> TransferLine:
    return TransferLine(
        direction=row.direction,
        host_memory=row.host_memory,
        source_memory=row.source,
        target_memory=row.target,
        device=row.device,
        op=row.op,
        streams=list(row.streams),
        count=row.count,
        bytes=row.bytes,
        largest_bytes=row.largest,
        total_us=row.total_ns / _US,
        bytes_per_second=row.bandwidth,
        exposed_us=row.exposed_ns / _US,
        overlapped_us=row.overlapped_ns / _US,
        blocked_us=row.blocked_ns / _US,
        blocked_by=row.blocked_by,
    )
