"""What is expensive in a graph, by the checkers that tf.profiler's advise has."""

from __future__ import annotations

from collections.abc import Iterator

from stepscope.analyses.statistics.options import ViewOptions
from stepscope.analyses.statistics.text import time_text
from stepscope.analyses.statistics.views import ViewRow, code_view, op_view, scope_view
from stepscope.model.node_costs import Costs, Measures

_TOP = 3
_DEEPEST = 3
_LEAST_US = 1_000
"""Lines of code with less are not worth a look."""
_BUSY = 0.5
"""Accelerators that work less than this share of a step are reported, as in tf.profiler."""


def all_advice(costs: Costs) -> dict[str, list[str]]:
    """Reports by checker; a checker without reports found nothing."""
    return {
        "ExpensiveOperationChecker": list(_expensive(costs)),
        "AcceleratorUtilizationChecker": list(_idle_accelerators(costs)),
    }


def _expensive(costs: Costs) -> Iterator[str]:
    by_time = ViewOptions(order_by="micros", least={"us": 1})
    operations = op_view(costs, by_time)
    whole = operations.total.us or 1
    lines = [
        f"top {place} operation type: {row.name}, {_times(row.own)} ({100 * row.own.us / whole:.2f}%)"
        for place, row in enumerate(operations.children[:_TOP], 1)
    ]
    if lines:
        yield "\n".join(lines)
    scopes = scope_view(costs, by_time).children[:_TOP]
    if scopes:
        yield "\n".join(f"top {place} graph node: {row.name}, {_times(row.total)}" for place, row in enumerate(scopes, 1))
    row = code_view(costs, by_time)
    while len(row.children) == 1:  # what calls the user's code
        row = row.children[0]
    found = list(_code_lines(row))
    if found:
        yield "\n".join(found)


def _code_lines(row: ViewRow, depth: int = 0) -> Iterator[str]:
    if len(row.children) <= 1 or depth > _DEEPEST:
        return
    for child in row.children[:_TOP]:
        if child.total.us >= _LEAST_US:
            yield f"{'  ' * depth}{child.name}, {_times(child.total)}"
            yield from _code_lines(child, depth + 1)


def _times(measures: Measures) -> str:
    cpu, accelerator, total = (time_text(each) for each in (measures.cpu_us, measures.accelerator_us, measures.us))
    return f"cpu: {cpu}, accelerator: {accelerator}, total: {total}"


def _idle_accelerators(costs: Costs) -> Iterator[str]:
    """Streams that work for less than half of the steps they are in."""
    busy: dict[str, float] = {}
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    for node in costs.values():
        for step, cost in node.steps.items():
            for one in cost.executions:
                first[step] = min(first.get(step, one.start), one.start)
                last[step] = max(last.get(step, 0), one.start + one.us)
                if one.accelerator:
                    busy[one.device] = busy.get(one.device, 0) + one.us
    whole = sum(last[step] - first[step] for step in first)
    for device in sorted(busy):
        share = busy[device] / whole if whole else 1.0
        if share < _BUSY:
            yield f"device: {device} low utilization: {share:.2f}"
