"""What a profile records of the graph that was executed, beside its times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stepscope.model.graph import Graph, GraphSet


@dataclass(frozen=True, slots=True)
class ExecutedStep:
    """One traced step."""

    partitions: GraphSet | None
    """The graphs that devices ran, after optimisation; None when they were not recorded."""
    labels: Graph
    """The nodes that have times, with the operation and the inputs that their labels name; nothing else that ran is in it."""
    with_output: frozenset[str]
    """Nodes whose outputs were recorded."""
    devices: frozenset[str]
    """Devices that recorded anything."""
    origins: Mapping[str, str]
    """The node of the user's graph that a node of the executed one stands for, where the framework has marked its name so."""
