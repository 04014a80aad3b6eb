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
    part: str  # the class of the step breakdown that has most of its exposed time
    device: str  # "host", the device's name, or how many devices
    count_per_step: float  # executions in a typical step; of several ranks the mean
    exposed_ns: float
    exposed_share: float


def exposed_operations(ranks: Sequence[Sequence[OperationRow]], count: int, step_ns: Sequence[float]) -> list[ExposedOperation]:
    """The most exposed first, from each rank's table of operations; a rank without an operation spends nothing in it.

    `step_ns` are the ranks' typical steps: shares are of their mean, as those of the breakdown are.
    """
    step = sum(step_ns) / max(1, len(step_ns)) or 1.0
    same: dict[tuple[str, bool], list[OperationRow]] = {}
    for rows in ranks:  # what one rank has least of may be what the mean has most of
        for row in most_exposed(rows, count if len(ranks) == 1 else len(rows)):
            same.setdefault((row.name, row.device == HOST), []).append(row)
    means = [_mean(rows, len(ranks), step) for rows in same.values()]
    return sorted(means, key=lambda row: (-row.exposed_ns, row.name))[:count]


def _mean(rows: Sequence[OperationRow], ranks: int, step_ns: float) -> ExposedOperation:
    devices = {row.device for row in rows}
    exposed_ns = sum(row.exposed_ns for row in rows) / ranks
    most = max(rows, key=lambda row: row.exposed_ns)
    return ExposedOperation(
        name=most.name,
        kind=most.kind,
        part=most.part,
        device=devices.pop() if len(devices) == 1 else "devices",
        count_per_step=sum(row.count_per_step for row in rows) / ranks,
        exposed_ns=exposed_ns,
        exposed_share=exposed_ns / step_ns,
    )
