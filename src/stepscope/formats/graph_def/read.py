"""Reads the graphs of GraphDef, MetaGraphDef and SavedModel, from bytes or from text."""

from __future__ import annotations

from stepscope._native import WIRE
from stepscope.formats.graph_def import META_GRAPH, is_saved_model, is_text
from stepscope.formats.graph_def.from_text import MOST_TEXT, binary_of
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.formats.tensorflow_graphs import graph_def_set
from stepscope.formats.text_proto import BadText
from stepscope.model.errors import BadInput, TooMuch
from stepscope.model.graph import GraphSet, joined_sets
from stepscope.model.protobuf_fields import BadMessage, places

_HEAD = 4 << 10
_MOST_META_GRAPHS = 16


def read_graphs(content: StoredBytes, name: str) -> GraphSet:
    """All graphs of the content. Raises BadInput, TooMuch or OSError."""
    head = content.read(0, _HEAD)
    if is_text(head):
        return _of_text(content, name)
    if is_saved_model(head):
        found = [_of_meta_graph(each) for each in _messages(content, WIRE["SavedModel"]["meta_graphs"])]
        found = [each for each in found if each is not None]
        if not found:
            raise BadInput(f"{name or 'The file'} is a saved model without a graph; export it again.", "no_graph")
        return joined_sets(found)
    if name.lower().endswith(".meta") or name == META_GRAPH:
        found = _of_meta_graph(content)
        if found is not None:
            return found
    return graph_def_set(content)


def _of_meta_graph(content: StoredBytes) -> GraphSet | None:
    graphs = _messages(content, WIRE["MetaGraphDef"]["graph_def"])
    return graph_def_set(graphs[0]) if graphs else None


def _of_text(content: StoredBytes, name: str) -> GraphSet:
    if content.length > MOST_TEXT:
        raise TooMuch(f"A graph as text can have up to {MOST_TEXT >> 20} MiB; save it with as_text=False.", "graph_too_large")
    try:
        whole = binary_of(content.read(0, content.length))
    except BadText as problem:
        raise BadInput(f"{name or 'The text'} cannot be read as a graph: {problem}.", "bad_graph") from None
    return graph_def_set(StoredBytes.of(whole, name))


def _messages(content: StoredBytes, number: int) -> list[StoredBytes]:
    """The messages in one field; what is damaged ends the list."""
    found: list[StoredBytes] = []
    try:
        for place in places(content.read, 0, content.length):
            if place.id == number and place.is_bytes and len(found) < _MOST_META_GRAPHS:
                found.append(content.part(place.start, place.size))
    except BadMessage:
        pass
    return found
