"""Writes the files of the projector for tests: a folder with a configuration, and tables of vectors."""

from __future__ import annotations

from pathlib import Path

from stepscope.formats.all_formats import embedding_files
from stepscope.model.embedding import Bounds, EmbeddingList, EmbeddingState, PointTable, Vectors

CONFIG = "projector_config.pbtxt"
known = embedding_files("projector")
assert known is not None
FILES = known


def listed(folder: Path, text: str, **files: bytes) -> EmbeddingList:
    """What a configuration lists; files are given by name with `__` for a dot and `_in_` for a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name.replace("_in_", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / CONFIG).write_text(text)
    return FILES.listed(str(folder / CONFIG))


def one_state(found: EmbeddingList) -> EmbeddingState:
    """The only state of the only embedding."""
    (embedding,) = found.embeddings
    (state,) = embedding.states
    return state


def read(state: EmbeddingState, bounds: Bounds | None = None) -> tuple[Vectors, PointTable]:
    """Its vectors and what is known about its points."""
    vectors = FILES.vectors(state, bounds or Bounds())
    return vectors, FILES.metadata(state, vectors)
