"""ONNX models: the graph of operations; weights are stepped over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepscope.formats.format import RunFileFormat

if TYPE_CHECKING:
    from stepscope.formats.stored_bytes import StoredBytes
    from stepscope.model.graph import GraphSet


def is_candidate(name: str) -> bool:
    """All exporters use the ending."""
    return name.lower().endswith(".onnx")


def sniff(head: bytes, name: str) -> bool:
    """Whether it begins with a version of the format and the text or message that follows it, or is named so."""
    if is_candidate(name) and head[:1] in {b"\x08", b"\x3a", b"\x12"}:
        return True
    return head[:1] == b"\x08" and head[1:2] < b"\x40" and head[2:3] in {b"\x12", b"\x3a"} and not head.startswith(b"\x08\x01\x12")


def _graphs(content: StoredBytes, name: str) -> GraphSet:
    from stepscope.formats.onnx.read import read_model

    return read_model(content, name)


FORMAT = RunFileFormat("onnx", "ONNX model", is_candidate, sniff, graphs=_graphs)
