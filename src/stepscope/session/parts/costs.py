"""What a model costs by name scope and by line of code: time, memory, parameters and FLOPs, with the options of tf.profiler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import limited
from stepscope.session.part import Answer, Part
from stepscope.session.row_choice import CountedRowsWanted

if TYPE_CHECKING:
    from stepscope.analyses.statistics.options import ViewOptions
    from stepscope.analyses.statistics.views import ViewRow
    from stepscope.model.node_costs import CostNode

CostOrder = Literal["time", "bytes", "parameters", "flops", "name"]
_ORDERS = {"time": "micros", "bytes": "bytes", "parameters": "params", "flops": "float_ops", "name": "name"}


class CostsWanted(CountedRowsWanted, frozen=True, kw_only=True):
    """Which rows are counted and listed: the tree starts at rows that fit `start`; what is below a hidden row takes its place."""

    order: Annotated[CostOrder, d.text("What siblings are sorted by.")] = "time"


class CostRow(Struct, frozen=True, kw_only=True):
    """A scope, node or line of code."""

    name: Annotated[str, d.text("Name of the scope or node, or the line of code.")]
    depth: Annotated[int, d.count("Level in the tree; 0 for the outermost.")]
    us: Annotated[float, d.us("Time on host and devices, of itself.")]
    total_us: Annotated[float, d.us("Time of itself and everything below it.")]
    device_us: Annotated[float, d.us("Time on devices of itself and everything below it.")]
    bytes: Annotated[int, d.size("Memory that it allocated itself.")]
    total_bytes: Annotated[int, d.size("Memory that it and everything below it allocated.")]
    parameters: Annotated[int, d.count("Parameters of variables in it and below it.")]
    flops: Annotated[int, d.number("Floating-point operations of itself and everything below it, where known.", "FLOP")]
    count: Annotated[int, d.count("Executions of itself and everything below it.")]
    nodes: Annotated[int, d.count("Number of nodes in it and below it.")]


class CostTree(Answer, frozen=True, kw_only=True):
    """The rows of a tree, each before those below it."""

    rows: Annotated[list[CostRow], d.nested("The rows.")]
    total: Annotated[int, d.count("Number of rows, also of those that are not listed.")]
    us: Annotated[float, d.us("Time of everything that is counted.")]
    bytes: Annotated[int, d.size("Memory of everything that is counted.")]
    parameters: Annotated[int, d.count("Parameters of the model's variables; 0 when the run has no graph.")]
    trainable_parameters: Annotated[int | None, d.count("Parameters that training changes; null when not recorded.")]
    flops: Annotated[int, d.number("Floating-point operations of everything that is counted, where known.", "FLOP")]
    average_of_steps: Annotated[int, d.count("Steps that the numbers are the average of; 1: sums over the whole profile.")]


def _costs(session: AnalysedSession, worker: str) -> dict[str, CostNode]:
    from stepscope.analyses.statistics.from_graph import with_graph
    from stepscope.analyses.statistics.from_profile import profile_costs

    places = session.places(worker)
    costs = session.recorded_costs(places[0]) if len(places) == 1 else None
    if costs is None:
        costs = profile_costs([session.profiles[place] for place in places])
    graph = session.client_graph()
    shares = graph is not None and not costs.keys().isdisjoint(graph.names())
    return with_graph(costs, graph, session.client_attributes) if graph is not None and shares else costs


def _options(wanted: CostsWanted) -> ViewOptions:
    from stepscope.analyses.statistics.options import ViewOptions, simple_pattern

    least = {"us": wanted.min_us, "requested_bytes": wanted.min_bytes, "parameters": wanted.min_parameters, "flops": wanted.min_flops}
    return ViewOptions(
        max_depth=wanted.depth + 1 if wanted.depth else 10_000,
        least={name: value for name, value in least.items() if value},
        order_by=_ORDERS[wanted.order],
        types=(wanted.types or ".*",),
        start=(wanted.start or ".*",),
        show=(wanted.show or ".*",),
        hide=(wanted.hide,) if wanted.hide else (),
        pattern=simple_pattern,
    )


def _answer(costs: dict[str, CostNode], root: ViewRow, wanted: CostsWanted) -> CostTree:
    from stepscope.model.node_costs import TRAINABLE

    rows = [
        CostRow(
            name=row.name,
            depth=depth,
            us=row.own.us,
            total_us=row.total.us,
            device_us=row.total.accelerator_us,
            bytes=row.own.requested_bytes,
            total_bytes=row.total.requested_bytes,
            parameters=row.total.parameters,
            flops=row.total.flops,
            count=row.total.runs,
            nodes=row.total.nodes,
        )
        for depth, row in root.rows()
    ]
    trainable = [node.parameters for node in costs.values() if TRAINABLE in node.types]
    return CostTree(
        rows=limited(rows, wanted.limit),
        total=len(rows),
        us=root.total.us,
        bytes=root.total.requested_bytes,
        parameters=sum(node.parameters for node in costs.values()),
        trainable_parameters=sum(trainable) if trainable else None,
        flops=root.total.flops,
        average_of_steps=len({step for node in costs.values() for step in node.steps}) or 1,
    )


def _scope(session: AnalysedSession, wanted: CostsWanted) -> CostTree:
    from stepscope.analyses.statistics.views import scope_view

    costs = _costs(session, wanted.worker)
    return _answer(costs, scope_view(costs, _options(wanted)), wanted)


def _code(session: AnalysedSession, wanted: CostsWanted) -> CostTree:
    from stepscope.analyses.statistics.views import code_view

    costs = _costs(session, wanted.worker)
    return _answer(costs, code_view(costs, _options(wanted)), wanted)


SCOPE = Part("scope", "Costs by name scope", CostsWanted, CostTree, _scope, table="rows", reads_logs=True)
CODE = Part("code", "Costs by line of code", CostsWanted, CostTree, _code, table="rows", reads_logs=True)
