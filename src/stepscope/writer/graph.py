"""Graph events: nodes with their edges, shapes and attributes, as the GraphDef that TensorBoard draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stepscope.writer.message import Message
from stepscope.writer.summary import Deferred, Moment, shape_of

_PRODUCER = 22
"""The version that torch writes, and below which TensorBoard applies rules of old graphs."""


class GraphNode(NamedTuple):
    """One node; inputs are names of other nodes."""

    name: str
    op: str
    inputs: Sequence[str]
    attributes: dict[str, Message]


def text_attribute(text: str) -> Message:
    """An attribute that is a text."""
    return Message("AttrValue").text("s", text, always=True)


def type_attribute(number: int) -> Message:
    """An attribute that is an element type."""
    return Message("AttrValue").integer("type", number, always=True)


def shape_attribute(sizes: Iterable[int]) -> Message:
    """An attribute that is one shape."""
    return Message("AttrValue").message("shape", shape_of(sizes))


def shapes_attribute(shapes: Iterable[Iterable[int]]) -> Message:
    """An attribute that lists the shapes of a node's outputs."""
    listed = Message("AttrList")
    for sizes in shapes:
        listed.message("shape", shape_of(sizes))
    return Message("AttrValue").message("list", listed)


def graph_def(nodes: Iterable[GraphNode]) -> bytes:
    """The serialized GraphDef."""
    graph = Message("GraphDef")
    for node in nodes:
        encoded = Message("NodeDef").text("name", node.name).text("op", node.op)
        for name in node.inputs:
            encoded.text("input", name, always=True)
        for key, value in node.attributes.items():
            encoded.message("attr", Message("NodeAttr").text("key", key).message("value", value))
        graph.message("node", encoded)
    return graph.message("versions", Message("VersionDef").integer("producer", _PRODUCER)).encoded()


def graph_work(nodes: Sequence[GraphNode], moment: Moment) -> Deferred:
    """The event of a graph."""
    return Deferred(lambda: graph_event(graph_def(nodes), moment), 256 * len(nodes))


def graph_event(graph: bytes, moment: Moment) -> bytes:
    """The event of a serialized GraphDef, whoever made it."""
    return _head(moment).data("graph_def", graph, always=True).encoded()


def run_metadata_work(tag: str, metadata: bytes, moment: Moment) -> Deferred:
    """The event of a serialized RunMetadata."""
    tagged = Message("TaggedRunMetadata").text("tag", tag).data("run_metadata", metadata)
    return Deferred(lambda: _head(moment).message("tagged_run_metadata", tagged).encoded(), len(metadata))


def _head(moment: Moment) -> Message:
    return Message("Event").double("wall_time", moment.wall_time).integer("step", moment.step)
