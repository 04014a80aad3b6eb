"""The embedding projector's configuration, projector_config.pbtxt, and the files that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepscope.formats.format import EmbeddingFiles, RunFileFormat

if TYPE_CHECKING:
    from stepscope.model.embedding import Bounds, EmbeddingList, EmbeddingState, PointTable, Vectors

CONFIG_NAME = "projector_config.pbtxt"


def is_candidate(name: str) -> bool:
    """TensorBoard knows one name."""
    return name == CONFIG_NAME


def sniff(head: bytes, _: str) -> bool:
    """Whether it may be a text of protobuf; an empty one lists nothing, and what is wrong with others is shown."""
    return b"\0" not in head


def _listed(path: str) -> EmbeddingList:
    from stepscope.formats.projector.config import read_config

    return read_config(path)


def _vectors(state: EmbeddingState, bounds: Bounds) -> Vectors:
    from stepscope.formats.projector.tensors import read_vectors

    return read_vectors(state, bounds)


def _metadata(state: EmbeddingState, vectors: Vectors) -> PointTable:
    from stepscope.formats.projector.metadata import read_metadata

    return read_metadata(state, vectors)


FORMAT = RunFileFormat(
    "projector", "Embedding projector configuration", is_candidate, sniff, EmbeddingFiles(_listed, _vectors, _metadata)
)
