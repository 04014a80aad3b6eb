"""The weights of a Keras model for the log: their names, and how they become pictures and the projector's vectors."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from stepscope.model.regular_files import open_regular

if TYPE_CHECKING:
    from numpy.typing import NDArray

_log = logging.getLogger("stepscope.integrations")

_MOST_METADATA_BYTES = 64 << 20


class Variable(Protocol):
    """A variable of Keras's."""

    path: str


class Layer(Protocol):
    """A layer of Keras's."""

    name: str
    weights: list[Variable]


class Model(Protocol):
    """The part of a Keras model that is used."""

    layers: list[Layer]
    optimizer: Any

    def to_json(self) -> str:
        """The architecture."""
        ...


def named_weights(model: Model) -> Iterator[tuple[str, Variable]]:
    """By path, which unlike the name is different for each variable; where layers share a name, they are numbered."""
    used: dict[str, int] = {}
    seen: set[int] = set()
    for weight in (weight for layer in model.layers for weight in layer.weights):
        if id(weight) in seen:  # of a layer that is used in two places
            continue
        seen.add(id(weight))
        name = weight.path.replace(":", "_")
        used[name] = used.get(name, 0) + 1
        yield (name if used[name] == 1 else f"{name}_{used[name] - 1}"), weight


def as_pictures(values: NDArray[Any], channels_last: bool) -> NDArray[Any] | None:
    """N×H×W×1 as Keras shows weights: a vector as a column, a matrix lying down, each channel of a kernel; else None."""
    array = values.squeeze()
    if array.ndim == 1:
        return array.reshape(1, -1, 1, 1)
    if array.ndim == 2:
        return (array.T if array.shape[0] > array.shape[1] else array)[None, :, :, None]
    if array.ndim == 3:
        return (array.transpose(2, 0, 1) if channels_last else array)[:, :, :, None]
    return None


def check_metadata(metadata: str | Mapping[str, str] | None, layers: list[str]) -> None:
    """Refuses metadata for layers that are not there."""
    unknown = [] if metadata is None or isinstance(metadata, str) else sorted(set(metadata) - set(layers))
    if unknown:
        raise ValueError(f"Give embeddings_metadata for embedding layers; the model has none named {', '.join(unknown)}.")


def metadata_rows(folder: str, file: str | None, points: int) -> tuple[list[Any] | None, list[str] | None]:
    """The file's rows and its header, which a file of several columns has, as the projector's do."""
    if file is None:
        return None, None
    path = os.path.join(folder, file)
    try:
        with open_regular(path) as opened:
            lines = opened.read(_MOST_METADATA_BYTES).decode(errors="replace").splitlines()
    except OSError as error:
        _log.warning("Embeddings are logged without %s: %s", path, error.strerror or error)
        return None, None
    rows = [line.split("\t") for line in lines]
    header = rows.pop(0) if rows and len(rows[0]) > 1 else None
    if len(rows) != points or (header and any(len(row) != len(header) for row in rows)):
        _log.warning("Embeddings are logged without %s: it has %d rows for %d vectors.", path, len(rows), points)
        return None, None
    return (rows if header else [row[0] for row in rows]), header
