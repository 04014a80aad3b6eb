"""What the embedding projector reads: its configuration, as tensorboard.plugins.projector has it, and the files it lists."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from stepscope.model.regular_files import open_regular
from stepscope.writer.embedding import folder_name, taken, write_whole
from stepscope.writer.projector_config import (
    CONFIG_NAME,
    EmbeddingInfo,
    ProjectorConfig,
    SpriteMetadata,
    config_text,
    with_embedding,
)

__all__ = ["EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings", "write_embedding"]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def visualize_embeddings(logdir: object, config: object) -> None:
    """Writes the configuration into a log folder: a path, or that of a writer."""
    folder = _folder_of(logdir)
    text = config_text(config)
    os.makedirs(folder, exist_ok=True)
    write_whole(os.path.join(folder, CONFIG_NAME), [text.encode()])


def write_embedding(
    logdir: object,
    vectors: object,
    metadata: Sequence[object] | Mapping[str, Sequence[object]] | None = None,
    sprites: object = None,
    name: str = "embedding",
) -> EmbeddingInfo:
    """Writes one embedding's files into a folder `name` of a log folder, and lists it in the folder's configuration.

    `vectors` has a row for each point; `metadata` is a list of labels, or {column: values}; `sprites` are pictures of the
    shape (points, 1 or 3, height, width). An embedding of the same name is replaced, others stay.
    """
    folder, place = _folder_of(logdir), folder_name(name)
    if isinstance(metadata, Mapping):
        embedding = taken(vectors, _rows(metadata), sprites, list(metadata))
    else:
        embedding = taken(vectors, metadata, sprites, None)
    embedding.write(os.path.join(folder, place))
    entry = embedding.listed(name, place)
    path = os.path.join(folder, CONFIG_NAME)
    write_whole(path, [with_embedding(_text_of(path), entry).encode()])
    return entry


def _rows(columns: Mapping[str, Sequence[object]]) -> list[tuple[object, ...]] | None:
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"Give each column of metadata a value for each point; their lengths are {lengths}.")
    return list(zip(*columns.values(), strict=True)) if columns else None


def _folder_of(logdir: object) -> str:
    ask = cast("Callable[[], object] | None", getattr(logdir, "get_logdir", None))
    folder = logdir if ask is None else ask()
    if not isinstance(folder, str | os.PathLike):
        raise TypeError(f"Give logdir as a path or a writer, not as {type(logdir).__name__}.")
    return os.fspath(cast("os.PathLike[str]", folder))


def _text_of(path: str) -> str:
    try:
        with open_regular(path) as file:
            return file.read().decode()
    except FileNotFoundError:
        return ""
