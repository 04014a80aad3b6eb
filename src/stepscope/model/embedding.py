"""Embeddings as a run's folder lists them, and what is read of one: its vectors, and a table about its points."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Sprite:
    """A picture that contains a small one for each point, row by row."""

    path: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class EmbeddingState:
    """An embedding at one step: where its files are. All paths were checked to lie in the folder of the list."""

    step: int | None
    """None when nothing says at which step it was."""
    tensor: str = ""
    """Path of the file with the vectors, or of the checkpoint without its endings."""
    variable: str = ""
    """Name in the checkpoint; empty when the vectors have a file of their own."""
    dataset: str = field(default="", kw_only=True)
    """Path in the file of weights; empty when the file has nothing but the vectors."""
    shape: tuple[int, ...] = ()
    """As the list gives it; a file of raw numbers needs it."""
    metadata: str = ""
    sprite: Sprite | None = None
    bookmarks: str = ""
    problem: str = ""
    """Why it cannot be shown, in a sentence; empty when nothing is known to be wrong."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that its points depend on."""
        tensors = (f"{self.tensor}.index",) if self.variable else (self.tensor,) if self.tensor else ()
        return (*tensors, *((self.metadata,) if self.metadata else ()))


@dataclass(frozen=True, slots=True)
class Embedding:
    """One embedding, at one or several steps."""

    name: str
    states: tuple[EmbeddingState, ...]


@dataclass(frozen=True, slots=True)
class EmbeddingList:
    """What one configuration file lists, and what is wrong with it."""

    embeddings: tuple[Embedding, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of one embedding is kept in memory; a larger one is thinned out evenly."""

    rows: int = 200_000
    values: int = 1 << 26


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of the points that are kept."""

    values: NDArray[np.float32]
    """Points × dimensions; all finite."""
    rows: NDArray[np.int64]
    """Which point of the file each is, counted from 0; ascending."""
    total: int
    """Points in the file."""
    notices: tuple[str, ...] = ()
    """What was left out, and why."""


@dataclass(frozen=True, slots=True)
class PointTable:
    """What is known about the kept points: a text for each point in each column."""

    columns: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    notices: tuple[str, ...] = ()
