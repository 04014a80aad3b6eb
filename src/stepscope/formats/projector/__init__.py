"""Embeddings of a folder: those that projector_config.pbtxt names, or else those of a TensorFlow checkpoint or of Keras weights."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from stepscope.formats.format import EmbeddingFiles, RunFileFormat

if TYPE_CHECKING:
    from stepscope.model.embedding import Bounds, EmbeddingList, EmbeddingState, PointTable, Vectors

CONFIG_NAME = "projector_config.pbtxt"


CHECKPOINT_NAME = "checkpoint"
_HDF5, _ZIP = b"\x89HDF\r\n\x1a\n", b"PK\x03\x04"
_CALLBACK = "keras_embedding.ckpt-"


def is_candidate(name: str) -> bool:
    """TensorBoard knows one name of a configuration, TensorFlow one of what it notes about checkpoints, and Keras two endings."""
    return name in (CONFIG_NAME, CHECKPOINT_NAME) or name.endswith((".weights.h5", ".keras"))


def sniff(head: bytes, name: str) -> bool:
    """Whether it may be what it is called. An empty configuration lists nothing, and what is wrong with others is shown."""
    if name == CONFIG_NAME:
        return b"\0" not in head
    if name == CHECKPOINT_NAME:
        return head.lstrip().startswith(b"model_checkpoint_path:")
    return head.startswith(_ZIP if name.endswith(".keras") else _HDF5)


def _listed(path: str) -> EmbeddingList:
    from stepscope.formats.projector.config import read_checkpoint, read_config
    from stepscope.formats.projector.keras_weights import read_weights
    from stepscope.model.embedding import EmbeddingList
    from stepscope.sources.files import is_file

    folder, name = os.path.split(path)
    if name == CONFIG_NAME:
        return read_config(path)
    if is_file(f"{folder}/{CONFIG_NAME}") or (name.startswith(_CALLBACK) and is_file(f"{os.path.dirname(folder)}/{CONFIG_NAME}")):
        return EmbeddingList()  # the configuration lists it
    return read_checkpoint(path) if name == CHECKPOINT_NAME else read_weights(path)


def _vectors(state: EmbeddingState, bounds: Bounds) -> Vectors:
    from stepscope.formats.projector.tensors import read_vectors

    return read_vectors(state, bounds)


def _metadata(state: EmbeddingState, vectors: Vectors) -> PointTable:
    from stepscope.formats.projector.metadata import read_metadata

    return read_metadata(state, vectors)


FORMAT = RunFileFormat(
    "projector",
    "Embeddings: projector configuration, TensorFlow checkpoint, Keras weights",
    is_candidate,
    sniff,
    EmbeddingFiles(_listed, _vectors, _metadata),
)
