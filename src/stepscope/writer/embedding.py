"""Embeddings: vectors, metadata and pictures as the projector's files, and the configuration that lists them."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from stepscope.writer.arrays import take
from stepscope.writer.image import grid, to_bytes
from stepscope.writer.message import utf8
from stepscope.writer.png import png
from stepscope.writer.summary import Deferred

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONFIG_NAME = "projector_config.pbtxt"
_log = logging.getLogger("stepscope.writer")


@dataclass
class Projector:
    """The embeddings that one writer has logged, as its configuration file lists them."""

    folder: str
    entries: list[str] = field(default_factory=list[str])

    def work(self, matrix: object, metadata: object, pictures: object, step: int, tag: str, header: Sequence[str] | None) -> Deferred:
        """Takes one embedding, and writes its files and the configuration later."""
        vectors = take(matrix, "the embedding")
        if vectors.ndim != 2:
            raise ValueError(f"Give an embedding of the shape (points, dimensions), not {vectors.shape}.")
        rows = None if metadata is None else _metadata_text(metadata, header, len(vectors))
        images = None if pictures is None else _checked_pictures(pictures, len(vectors))
        place = f"{step:05d}/{_file_name(tag)}"
        folder = os.path.join(self.folder, place)
        if os.path.isfile(folder):
            raise NotADirectoryError(f"Take {folder} away: it is a file where the embedding's folder has to be.")
        if os.path.isdir(folder):
            _log.warning("The embedding in %s is written over; give add_embedding a global_step to keep both.", folder)
        self.entries.append(_entry(f"{tag}:{step:05d}", place, rows is not None, images))
        config = "".join(self.entries)

        def make() -> None:
            os.makedirs(folder, exist_ok=True)
            if rows is not None:
                _write(os.path.join(folder, "metadata.tsv"), [utf8(rows)])
            if images is not None:
                _write(os.path.join(folder, "sprite.png"), [png(_sprite(images))])
            _write(os.path.join(folder, "tensors.tsv"), ("\t".join(map(str, row.tolist())).encode() + b"\n" for row in vectors))
            _write(os.path.join(self.folder, CONFIG_NAME), [config.encode()])

        return Deferred(make, vectors.nbytes + (0 if images is None else images.nbytes))


def _metadata_text(metadata: object, header: Sequence[str] | None, points: int) -> str:
    """The TSV file; with a header each point has a row of as many columns."""
    if isinstance(metadata, str) or not isinstance(metadata, Sequence):
        to_list = cast("Callable[[], list[Any]] | None", getattr(metadata, "tolist", None))
        if to_list is None:
            raise TypeError(f"Give metadata as a list, not as {type(metadata).__name__}.")
        metadata = to_list()
    rows = cast("Sequence[Any]", metadata)
    if len(rows) != points:
        raise ValueError(f"Give one row of metadata for each of the {points} points, not {len(rows)}.")
    if not header:
        return "\n".join(str(row) for row in rows) + "\n"
    if any(len(row) != len(header) for row in rows):
        raise ValueError(f"Give each row of metadata {len(header)} columns, as the header has.")
    return "\n".join("\t".join(str(cell) for cell in row) for row in [header, *rows]) + "\n"


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


def _entry(name: str, place: str, has_metadata: bool, images: NDArray[Any] | None) -> str:
    lines = [f"tensor_name: {_quoted(name)}"]
    if has_metadata:
        lines.append(f"metadata_path: {_quoted(f'{place}/metadata.tsv')}")
    if images is not None:
        height, width = images.shape[2:]
        dimensions = f"    single_image_dim: {width}\n    single_image_dim: {height}"
        lines.append(f"sprite {{\n    image_path: {_quoted(f'{place}/sprite.png')}\n{dimensions}\n  }}")
    lines.append(f"tensor_path: {_quoted(f'{place}/tensors.tsv')}")
    return "embeddings {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _quoted(text: str) -> str:
    """As protobuf's text format has it: what is not plain ASCII as octal bytes."""
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}" for byte in utf8(text))
    return '"' + "".join(plain) + '"'


def _file_name(tag: str) -> str:
    """The tag as one folder name, escaped as torch escapes it; what would be no folder of its own is escaped, too."""
    name = tag.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c")
    return name if name.strip(".") else f"%{name.replace('.', '%2e')}"


def _write(path: str, pieces: Iterable[bytes]) -> None:
    """Whole or not at all: a reader never sees half a file."""
    unfinished = f"{path}.{os.getpid()}.part"
    with open(unfinished, "wb") as file:
        file.writelines(pieces)
    os.replace(unfinished, path)
