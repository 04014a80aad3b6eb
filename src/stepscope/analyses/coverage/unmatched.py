"""Why no node of a graph has time when the profile shares no name with it: it ran eagerly, or the tracer recorded no operations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from stepscope.analyses.coverage.coverage import Covered
from stepscope.analyses.coverage.reasons import Reason
from stepscope.analyses.graphs.node_times import NodeTime
from stepscope.analyses.graphs.operations import CONSTANTS, FED
from stepscope.model.graph import Graph
from stepscope.model.profile import Profile, SpanKind

_OF_USERS = frozenset({SpanKind.PYTHON, SpanKind.ANNOTATION, SpanKind.MARKER})
_LEAST_SHARED = 0.5
"""Of the types of operations of a graph that compute, those that an eager trace must have to be one of the same model."""


def are_unrecorded(profiles: Sequence[Profile]) -> bool:
    """Whether profiles have events of Python and of the user, and nothing of the framework."""
    kinds = {kind for profile in profiles for kind in np.unique(profile.spans.kind).tolist()}
    return bool(kinds) and kinds <= _OF_USERS


def unrecorded_coverage(graph: Graph, profiles: Sequence[Profile]) -> list[Covered] | None:
    """All nodes, where the profile has no events of the framework; None where it has."""
    if not are_unrecorded(profiles):
        return None
    evidence = "the profile has Python events, but no framework events"
    return [
        Covered(name, graph.text(graph.op, row), True, None, Reason.TRACER_LEVEL, Reason.TRACER_LEVEL, evidence=evidence)
        for row, name in enumerate(graph.names())
    ]


def eager_coverage(graph: Graph, times: Sequence[NodeTime]) -> list[Covered] | None:
    """All nodes, where the operations of the trace ran eagerly and have the types of the graph; None where that is not so."""
    counts: Counter[str] = Counter()
    for one in times:
        if one.eager:
            counts[one.type or one.name] += one.count
    ops = [graph.text(graph.op, row) for row in range(len(graph))]
    computing = set(ops) - CONSTANTS - FED
    if not computing or len(computing & counts.keys()) < _LEAST_SHARED * len(computing):
        return None
    return [_eager(name, op, counts[op]) for name, op in zip(graph.names(), ops, strict=True)]


def _eager(name: str, op: str, count: int) -> Covered:
    if count:
        evidence = f"{op} ran {count:,} times, each eagerly" if count > 1 else f"{op} ran once, eagerly"
        return Covered(name, op, True, None, Reason.EAGER, Reason.EAGER, evidence=evidence)
    if op in FED or op in CONSTANTS:
        return Covered(name, op, True, None, Reason.NO_WORK, Reason.NO_WORK, evidence=f"{op} does no work in eager code")
    evidence = f"no {op} ran in the profiled window"
    return Covered(name, op, True, None, Reason.OUTSIDE_WINDOW, Reason.OUTSIDE_WINDOW, evidence=evidence)
