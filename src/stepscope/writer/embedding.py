"""Embeddings: vectors, metadata and pictures as the projector's files, and the configuration that lists them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from stepscope.writer.arrays import take
from stepscope.writer.complaints import warn
from stepscope.writer.folders import folder_below
from stepscope.writer.image import grid, to_bytes
from stepscope.writer.message import utf8
from stepscope.writer.png import png
from stepscope.writer.projector_config import CONFIG_NAME, EmbeddingInfo, SpriteMetadata, embedding_text
from stepscope.writer.summary import Deferred

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Embedding(NamedTuple):
    """One embedding as it was given."""

    vectors: NDArray[Any]
    metadata: str | None
    """The text of the metadata file."""
    pictures: NDArray[Any] | None

    @property
    def nbytes(self) -> int:
        """How much memory it holds."""
        return self.vectors.nbytes + (0 if self.pictures is None else self.pictures.nbytes)

    def listed(self, name: str, place: str) -> EmbeddingInfo:
        """As the configuration lists it, with its files in the folder `place` below the configuration's."""
        entry = EmbeddingInfo(tensor_name=name, tensor_path=f"{place}/tensors.tsv")
        if self.metadata is not None:
            entry.metadata_path = f"{place}/metadata.tsv"
        if self.pictures is not None:
            height, width = self.pictures.shape[2:]
            entry.sprite = SpriteMetadata(f"{place}/sprite.png", [width, height])
        return entry

    def write(self, folder: str) -> None:
        """Writes its files into a folder, which is made."""
        os.makedirs(folder, exist_ok=True)
        if self.metadata is not None:
            write_whole(os.path.join(folder, "metadata.tsv"), [utf8(self.metadata)])
        if self.pictures is not None:
            write_whole(os.path.join(folder, "sprite.png"), [png(_sprite(self.pictures))])
        rows = ("\t".join(map(str, row.tolist())).encode() + b"\n" for row in self.vectors)
        write_whole(os.path.join(folder, "tensors.tsv"), rows)


@dataclass
class Projector:
    """The embeddings that one writer has logged, as its configuration file lists them."""

    folder: str
    entries: list[str] = field(default_factory=list[str])

    def work(self, matrix: object, metadata: object, pictures: object, step: int, tag: str, header: Sequence[str] | None) -> Deferred:
        """Takes one embedding, and writes its files and the configuration later."""
        embedding = taken(matrix, metadata, pictures, header)
        place = f"{step:05d}/{folder_name(tag)}"
        folder = folder_below(self.folder, place, "the tag of the embedding")
        self.entries.append(embedding_text(embedding.listed(f"{tag}:{step:05d}", place)))
        config = "".join(self.entries)

        def make() -> None:
            if os.path.isfile(folder):
                raise NotADirectoryError(f"Remove the file {folder}: the embedding needs a folder there.")
            if os.path.isdir(folder):
                warn("The embedding in %s is overwritten; give add_embedding a global_step to keep both.", folder)
            embedding.write(folder)
            write_whole(os.path.join(self.folder, CONFIG_NAME), [config.encode()])

        return Deferred(make, embedding.nbytes)


def taken(matrix: object, metadata: object, pictures: object, header: Sequence[str] | None) -> Embedding:
    """Checks an embedding, and takes its arrays as they are now."""
    vectors = take(matrix, "the embedding")
    if vectors.ndim != 2:
        raise ValueError(f"Give an embedding of the shape (points, dimensions), not {vectors.shape}.")
    rows = None if metadata is None else _metadata_text(metadata, header, len(vectors))
    return Embedding(vectors, rows, None if pictures is None else _checked_pictures(pictures, len(vectors)))


def folder_name(tag: str) -> str:
    """The tag as one folder name, escaped as torch escapes it; what would be no folder of its own is escaped, too."""
    name = tag.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c")
    return name if name.strip(".") else f"%{name.replace('.', '%2e')}"


def write_whole(path: str, pieces: Iterable[bytes]) -> None:
    """Whole or not at all: a reader never sees half a file."""
    unfinished = f"{path}.{os.getpid()}.part"
    with open(unfinished, "wb") as file:
        file.writelines(pieces)
    os.replace(unfinished, path)


def _metadata_text(metadata: object, header: Sequence[str] | None, points: int) -> str:
    """The TSV file; with a header each point has a row of as many columns. A label never breaks its line."""
    if isinstance(metadata, str) or not isinstance(metadata, Sequence):
        to_list = cast("Callable[[], list[Any]] | None", getattr(metadata, "tolist", None))
        if to_list is None:
            raise TypeError(f"Give metadata as a list, not as {type(metadata).__name__}.")
        metadata = to_list()
    rows = cast("Sequence[Any]", metadata)
    if len(rows) != points:
        raise ValueError(f"Give one row of metadata for each of the {points} points, not {len(rows)}.")
    if not header:
        return "".join(f"{_one_line(row)}\n" for row in rows)
    if any(len(row) != len(header) for row in rows):
        raise ValueError(f"Give each row of metadata {len(header)} columns, as the header has.")
    # TensorBoard takes the first line for a header only where there are several columns.
    shown = [header, *rows] if len(header) > 1 else rows
    return "".join("\t".join(_one_line(cell).replace("\t", " ") for cell in row) + "\n" for row in shown)


def _one_line(cell: object) -> str:
    return str(cell).replace("\r", " ").replace("\n", " ")


def _checked_pictures(pictures: object, points: int) -> NDArray[Any]:
    """Pictures N×C×H×W."""
    images = take(pictures, "label_img")
    if images.ndim != 4 or images.shape[1] not in (1, 3) or len(images) != points:
        raise ValueError(f"Give label_img the shape (points, 1 or 3, height, width), with {points} points, not {images.shape}.")
    return images


def _sprite(images: NDArray[Any]) -> NDArray[Any]:
    """All pictures in one, in as many columns as a square has, with black below to make it one."""
    import numpy as np

    columns = 1
    while columns * columns < len(images):
        columns += 1
    pictures = np.moveaxis(images, 1, -1)
    if pictures.shape[-1] == 1:
        pictures = np.repeat(pictures, 3, axis=-1)
    sprite = to_bytes(grid(pictures, columns))
    return np.pad(sprite, ((0, max(0, sprite.shape[1] - sprite.shape[0])), (0, 0), (0, 0)))
