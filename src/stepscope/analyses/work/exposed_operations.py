"""Where the time of a typical step is: the operations that it waits for most, on one rank or as the mean over several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stepscope.analyses.work.operations import HOST, OperationRow, most_exposed


@dataclass(frozen=True, slots=True)
class ExposedOperation:
    """What one operation has of a typical step, on the host or on all devices together."""

    name: str
    kind: str
    device: str  # "host", the device's name, or how many devices
    count: int  # executions; of several ranks the mean
    exposed_ns: float
    exposed_share: float


def exposed_operations(ranks: Sequence[Sequence[OperationRow]], count: int) -> list[ExposedOperation]:
    """The most exposed first, from each rank's table of operations; a rank without an operation spends nothing in it."""
    same: dict[tuple[str, str, bool], list[OperationRow]] = {}
    for rows in ranks:
        for row in most_exposed(rows, len(rows)):
            same.setdefault((row.name, row.kind, row.device == HOST), []).append(row)
    means = [_mean(rows, len(ranks)) for rows in same.values()]
    return sorted(means, key=lambda row: (-row.exposed_ns, row.name))[:count]


def _mean(rows: Sequence[OperationRow], ranks: int) -> ExposedOperation:
    devices = {row.device for row in rows}
    return ExposedOperation(
        name=rows[0].name,
        kind=rows[0].kind,
        device=devices.pop() if len(devices) == 1 else "devices",
        count=round(sum(row.count for row in rows) / ranks),
        exposed_ns=sum(row.exposed_ns for row in rows) / ranks,
        exposed_share=sum(row.exposed_share for row in rows) / ranks,
    )
