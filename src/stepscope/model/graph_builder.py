"""Makes a graph from nodes that are added one by one, for formats whose graphs are small or no protobuf."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from stepscope.model.graph import CONTROL, MISSING, Graph, GraphKind


@dataclass(slots=True)
class GraphBuilder:
    """The texts of one set of graphs."""

    texts: list[str] = field(default_factory=lambda: [""])
    _places: dict[str, int] = field(default_factory=lambda: {"": 0})

    def text(self, text: str) -> int:
        """The place of a text."""
        place = self._places.setdefault(text, len(self.texts))
        if place == len(self.texts):
            self.texts.append(text)
        return place

    def graph(self, name: str, kind: GraphKind) -> NodeList:
        """A graph without nodes."""
        return NodeList(self, name, kind)


@dataclass(slots=True)
class _Node:
    name: int
    op: int
    device: int
    shapes: int
    dtypes: int
    constant_bytes: int
    likeness: int
    inputs: list[tuple[int, int]]
    calls: list[int]


class NodeList:
    """The nodes of one graph so far. A name that is taken gets a number, so that every node has a name of its own."""

    def __init__(self, builder: GraphBuilder, name: str, kind: GraphKind) -> None:
        self._builder = builder
        self._name = name
        self._kind = kind
        self._nodes: list[_Node] = []
        self._rows: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, name: str) -> bool:
        return self._builder.text(name) in self._rows

    def add(
        self,
        name: str,
        op: str,
        inputs: Iterable[tuple[str, int]] = (),
        *,
        device: str = "",
        shapes: str = "",
        dtypes: str = "",
        constant_bytes: int = 0,
        attributes: str = "",
        calls: Iterable[str] = (),
    ) -> str:
        """Adds a node with its inputs as (name, port), and returns the name that it has.

        `attributes` are all of them as one text, for comparing nodes; empty when they are not known.
        """
        text = self._builder.text
        free = self._free(name)
        self._rows[text(free)] = len(self._nodes)
        listed = [(text(each), port) for each, port in inputs]
        self._nodes.append(
            _Node(
                text(free),
                text(op),
                text(device),
                text(shapes),
                text(dtypes),
                constant_bytes,
                _likeness(attributes),
                listed,
                [text(each) for each in calls],
            )
        )
        return free

    def rename_inputs(self, makers: Mapping[str, tuple[str, int]]) -> None:
        """Puts a node and port in the place of each input that is the name of a value."""
        places = {self._builder.text(value): (self._builder.text(node), port) for value, (node, port) in makers.items()}
        for node in self._nodes:
            node.inputs = [places.get(name, (name, port)) for name, port in node.inputs]

    def finish(self) -> Graph:
        """The graph; an input that no node has is MISSING."""
        nodes = self._nodes
        inputs = [each for node in nodes for each in node.inputs]
        zeros = np.zeros(len(nodes), np.int64)
        return Graph(
            name=self._name,
            kind=self._kind,
            texts=self._builder.texts,
            node=_column(node.name for node in nodes),
            op=_column(node.op for node in nodes),
            device=_column(node.device for node in nodes),
            shapes=_column(node.shapes for node in nodes),
            dtypes=_column(node.dtypes for node in nodes),
            cluster=np.zeros(len(nodes), np.int32),
            constant_bytes=np.array([node.constant_bytes for node in nodes], np.int64),
            likeness=np.array([node.likeness for node in nodes], np.int64),
            offset=zeros,
            size=zeros,
            input_end=np.cumsum([len(node.inputs) for node in nodes], dtype=np.int64).astype(np.int32),
            input=_column(self._rows.get(name, MISSING) for name, _ in inputs),
            input_name=_column(name for name, _ in inputs),
            port=_column(max(port, CONTROL) for _, port in inputs),
            called_end=np.cumsum([len(node.calls) for node in nodes], dtype=np.int64).astype(np.int32),
            called=_column(each for node in nodes for each in node.calls),
        )

    def _free(self, name: str) -> str:
        text = self._builder.text
        if text(name) not in self._rows:
            return name
        number = 1
        while text(f"{name}_{number}") in self._rows:
            number += 1
        return f"{name}_{number}"


def _likeness(attributes: str) -> int:
    digest = hashlib.blake2b(attributes.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True) | 1 if attributes else 0


def _column(values: Iterable[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.fromiter(values, np.int32)
