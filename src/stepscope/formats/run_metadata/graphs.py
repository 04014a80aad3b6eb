"""The graphs that a RunMetadata records: as the user's functions were traced, as they were optimised, and as each device ran them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from stepscope._native import WIRE
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.formats.tensorflow_graphs import graph_def_set
from stepscope.model.errors import BadInput
from stepscope.model.graph import Graph, GraphKind, GraphSet, joined_sets
from stepscope.model.profile import Note
from stepscope.model.protobuf_fields import BadMessage, places

MOST_GRAPHS = 1_000
_TITLES = {GraphKind.OPS: "function", GraphKind.FUNCTION: "optimised function", GraphKind.PARTITION: "partition"}


def read_graphs(content: StoredBytes, name: str) -> GraphSet:
    """All graphs, those of the user's functions first. Raises BadInput when there is none, or OSError."""
    run, inside = WIRE["RunMetadata"], WIRE["FunctionGraphs"]
    kinds = {
        inside["pre_optimization_graph"]: GraphKind.OPS,
        inside["post_optimization_graph"]: GraphKind.FUNCTION,
        inside["partition_graphs"]: GraphKind.PARTITION,
    }
    found: list[tuple[GraphKind, StoredBytes]] = []
    damaged = False
    try:
        for field, part in _messages(content):
            if field == run["partition_graphs"]:
                found.append((GraphKind.PARTITION, part))
            elif field == run["function_graphs"]:
                found.extend((kinds[inner], each) for inner, each in _messages(part) if inner in kinds)
    except BadMessage:
        damaged = True
    if not found:
        raise BadInput(f"{name or 'The run metadata'} contains no graph; run with output_partition_graphs=True.", "no_graph")
    order = list(_TITLES)
    found.sort(key=lambda one: order.index(one[0]))
    sets = _named([(kind, graph_def_set(part, kind=kind)) for kind, part in found[:MOST_GRAPHS]])
    joined = joined_sets(sets)
    if not damaged:
        return joined
    text = "The run metadata is corrupt or truncated; only the graphs before the damage are shown."
    return replace(joined, notes=(*joined.notes, Note("warning", "truncated", text)))


def _messages(content: StoredBytes) -> Iterator[tuple[int, StoredBytes]]:
    for place in places(content.windowed(), 0, content.length):
        if place.is_bytes:
            yield place.id, content.part(place.start, place.size)


def _named(sets: list[tuple[GraphKind, GraphSet]]) -> list[GraphSet]:
    """Names the first graph of each set by what it is, a number, and the device of most of its nodes."""
    named: list[GraphSet] = []
    counts = Counter[GraphKind]()
    for kind, each in sets:
        if not each.graphs:
            continue
        counts[kind] += 1
        first, *others = each.graphs
        device = _device(first)
        name = f"{_TITLES[kind]} {counts[kind]}" + (f" on {device}" if device and kind is GraphKind.PARTITION else "")
        renamed = replace(first, name=name)
        ask = each.attributes
        named.append(GraphSet((renamed, *others), each.notes, ask))
    return named


def _device(graph: Graph) -> str:
    """`CPU:0`, of the device that most nodes are on."""
    if not len(graph):
        return ""
    devices: list[int] = graph.device.tolist()
    device = graph.texts[Counter(devices).most_common(1)[0][0]]
    return device.rpartition("device:")[2] if "device:" in device else device
