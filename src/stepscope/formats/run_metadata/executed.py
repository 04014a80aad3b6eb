"""What a RunMetadata records of the graph that was executed: partition graphs, and what the labels of nodes say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stepscope._native import WIRE
from stepscope.formats.run_metadata.graphs import read_graphs
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.model.errors import BadInput
from stepscope.model.executed import ExecutedStep
from stepscope.model.graph import CONTROL, GraphKind
from stepscope.model.graph_builder import GraphBuilder
from stepscope.model.protobuf_fields import BadMessage, fields

MOST_BYTES = 256 << 20
"""Of a step whose labels are read."""
MOST_NODES = 200_000
_MARKS = re.compile(r"(.+)/_\d+__cf__\d+|_(?:arg|retval)_(.+)_\d+_\d+")


def read_executed(content: StoredBytes) -> ExecutedStep:
    """Reads a serialised RunMetadata; a damaged node is left out, and damage outside nodes ends it. Raises OSError."""
    try:
        partitions = read_graphs(content, "")
    except BadInput:
        partitions = None
    nodes = GraphBuilder().graph("labels", GraphKind.PARTITION)
    with_output: set[str] = set()
    devices: set[str] = set()
    for device, message in node_stats(content.read(0, min(content.length, MOST_BYTES))):
        devices.add(device)
        try:
            name, label, outputs = _node(message)
        except BadMessage:
            continue
        if outputs:
            with_output.add(name)
        if len(nodes) < MOST_NODES and name and name not in nodes:
            op, inputs = parsed_label(label)
            nodes.add(name, op, inputs, device=device)
    labels = nodes.finish()
    names = {name for graph in (labels, *(partitions.graphs if partitions is not None else ())) for name in graph.names()}
    origins = {name: origin for name in names if (origin := marked_origin(name)) is not None}
    return ExecutedStep(partitions, labels, frozenset(with_output), frozenset(devices), origins)


def marked_origin(name: str) -> str | None:
    """The node that TensorFlow made another of, as it marks the names of folded constants, arguments and results."""
    found = _MARKS.fullmatch(name)
    return None if found is None else next(group for group in found.groups() if group)


def parsed_label(label: str) -> tuple[str, list[tuple[str, int]]]:
    """Operation and inputs of `[cpu 1B 1B] name = Op(a, b:1, ^c)`; both empty when the label has another form."""
    _, _, said = label.partition(" = ")
    op, bracket, rest = said.partition("(")
    if not bracket or not rest.endswith(")"):
        return "", []
    inputs: list[tuple[str, int]] = []
    for written in rest[:-1].split(", ") if rest != ")" else []:
        if written.startswith("^"):
            inputs.append((written[1:], CONTROL))
        else:
            name, _, port = written.partition(":")
            inputs.append((name, int(port) if port.isdigit() and len(port) < 7 else 0))
    return op, inputs


def node_stats(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The device and the serialised NodeExecStats of every event; what is damaged ends it."""
    known = WIRE["DeviceStepStats"]
    try:
        for stats in fields(data):
            if stats.id != WIRE["RunMetadata"]["step_stats"] or not stats.is_bytes:
                continue
            for device in fields(stats.data):
                if device.id != WIRE["StepStats"]["dev_stats"] or not device.is_bytes:
                    continue
                name = next((each.text for each in fields(device.data) if each.id == known["device"]), "")
                for each in fields(device.data):
                    if each.id == known["node_stats"] and each.is_bytes:
                        yield name, each.data
    except BadMessage:
        return


def _node(message: bytes) -> tuple[str, str, bool]:
    known = WIRE["NodeExecStats"]
    name, label, outputs = "", "", False
    for each in fields(message):
        if each.id == known["node_name"]:
            name = each.text
        elif each.id == known["timeline_label"]:
            label = each.text
        elif each.id == known["output"]:
            outputs = True
    return name, label, outputs
