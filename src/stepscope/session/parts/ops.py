"""Operations of host and devices: how often, how long, and how much of that a step waits for."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from msgspec import Struct

from stepscope.analyses.work.operations import HOST, By, operations
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Contains, Host, Rank, Worker, contains, limited
from stepscope.session.part import Answer, Part
from stepscope.session.row_choice import RowsWanted, is_chosen


class Order(Enum):
    """Which rows come first."""

    EXPOSED = "exposed"
    SELF = "self"
    TOTAL = "total"
    COUNT = "count"
    BYTES = "bytes"
    FLOPS = "flops"
    NAME = "name"


class OpsWanted(RowsWanted, frozen=True, kw_only=True):
    """What makes a row, which rows are listed, and in which order."""

    by: Annotated[By, d.text("What makes one row.")] = By.NAME
    calls: Annotated[bool, d.flag("Whether runtime, framework and Python calls are listed too.")] = False
    order: Annotated[Order, d.text("Which rows come first.")] = Order.EXPOSED
    contains: Contains = ""


class OperationRow(Struct, frozen=True, kw_only=True):
    """One operation, or all that share a type, scope, module, program, shape or source. Times cover the whole profile."""

    name: Annotated[str, d.text("Name of the operation, or of what rows are grouped by.")]
    type: Annotated[str, d.text("Type of the operation.")]
    kind: Annotated[str, d.text("Span category with most of its time, such as op, kernel, copy or collective.")]
    device: Annotated[str, d.text("`host`, or the device, such as `GPU 0`.")]
    worker: Worker
    host: Host
    rank: Rank
    count: Annotated[int, d.count("Number of executions; one inside another of the same row is not counted.")]
    count_per_step: Annotated[float, d.number("Executions in a typical step.", "executions")]
    kernels: Annotated[int | None, d.count("Number of kernels and copies; null on the host.")]
    total_us: Annotated[float, d.us("Total duration of all executions.")]
    self_us: Annotated[float, d.us("Total duration without nested spans on the same thread.")]
    average_us: Annotated[float, d.us("Average duration of an execution.")]
    min_us: Annotated[float, d.us("Shortest execution.")]
    max_us: Annotated[float, d.us("Longest execution.")]
    share: Annotated[float, d.fraction("Share of the self time of the host, or of all devices.")]
    cumulative: Annotated[float, d.fraction("This share plus the shares of all rows with more self time.")]
    exposed_us: Annotated[float, d.us("Time of a typical step in which the step waits for this and nothing else hides it.")]
    exposed_share: Annotated[float, d.fraction("Exposed time as a share of a typical step.")]
    part: Annotated[str, d.text("Part of the step breakdown that has most of its exposed time; empty when it is hidden.")]
    eager: Annotated[bool | None, d.flag("Whether it ran eagerly; null when unknown or mixed.")]
    function: Annotated[str, d.text("Compiled function that ran it; empty when eager or unknown.")]
    program: Annotated[str, d.text("Compiled program it belongs to.")]
    scope: Annotated[str, d.text("Name scope or module path.")]
    source: Annotated[str, d.text("Source line.")]
    shapes: Annotated[list[str], d.nested("First few input shapes.")]
    output_shapes: Annotated[list[str], d.nested("First few output shapes.")]
    memory_bytes: Annotated[int | None, d.size("Bytes allocated, without releases; null when memory was not recorded.")]
    bytes: Annotated[float | None, d.size("Bytes accessed by all executions; null when unknown.")]
    bytes_from: Annotated[str, d.text("Origin of `bytes`: recorded, HLO or shapes.")]
    flops: Annotated[float | None, d.number("Floating-point operations of all executions; null when unknown.", "FLOP")]
    flops_from: Annotated[str, d.text("Origin of `flops`: recorded, HLO or shapes.")]


class Ops(Answer, frozen=True, kw_only=True):
    """The table of operations."""

    ops: Annotated[list[OperationRow], d.nested("The rows, in the order asked for.")]
    total: Annotated[int, d.count("Number of all rows; at most `limit` are listed.")]


def _make(session: AnalysedSession, wanted: OpsWanted) -> Ops:
    rows = [row for place in session.places(wanted.worker) for row in _of_worker(session, place, wanted)]
    rows.sort(key=lambda row: (_rank(row, wanted.order), row.name, row.device))
    return Ops(ops=limited(rows, wanted.limit), total=len(rows))


def _of_worker(session: AnalysedSession, place: int, wanted: OpsWanted) -> list[OperationRow]:
    found = operations(
        session.profiles[place],
        session.breakdown(place),
        wanted.by,
        calls=wanted.calls,
        min_time_ns=round(wanted.min_us * 1e3),
        min_bytes=wanted.min_bytes,
        costs=session.costs(place),
    )
    whose = session.whose(place)
    rows = [
        fill(OperationRow, row, kernels=None if row.device == HOST else row.spans, **whose)
        for row in found
        if contains(wanted.contains, row.name) and is_chosen(wanted, row.name, row.type, row.device)
    ]
    return [row for row in rows if (row.flops or 0.0) >= wanted.min_flops]


def _rank(row: OperationRow, order: Order) -> float:
    return {
        Order.EXPOSED: -row.exposed_us,
        Order.SELF: -row.self_us,
        Order.TOTAL: -row.total_us,
        Order.COUNT: -row.count,
        Order.BYTES: -(row.memory_bytes or row.bytes or 0.0),
        Order.FLOPS: -(row.flops or 0.0),
        Order.NAME: 0.0,
    }[order]


OPS = Part("ops", "Operations", OpsWanted, Ops, _make, table="ops")
