"""Keras models as JSON, as model.to_json() writes them and the TensorBoard callback logs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepscope.formats.format import RunFileFormat

if TYPE_CHECKING:
    from stepscope.formats.stored_bytes import StoredBytes
    from stepscope.model.graph import GraphSet


def is_candidate(name: str) -> bool:
    """As most users name it; traces end in .json too, and are recognised first."""
    lower = name.lower()
    return lower.endswith(".json") and ("model" in lower or "keras" in lower or lower == "config.json")


def sniff(head: bytes, _: str) -> bool:
    """Whether it begins as an object whose first keys are those of a serialised Keras object."""
    start = head.lstrip()[:4096]
    return start.startswith(b"{") and b'"class_name"' in start and (b'"config"' in start or b'"module"' in start)


def _graphs(content: StoredBytes, name: str) -> GraphSet:
    from stepscope.formats.keras_model.read import read_model

    return read_model(content, name)


FORMAT = RunFileFormat("keras_model", "Keras model", is_candidate, sniff, graphs=_graphs)
