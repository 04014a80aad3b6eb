"""One embedding at one step in memory: its vectors, and columns about its points."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.embeddings.point_columns import PointColumn, point_column
from stepscope.formats.format import EmbeddingFiles
from stepscope.model.embedding import Bounds, EmbeddingState, Vectors
from stepscope.model.errors import StepscopeError


@dataclass(frozen=True, slots=True)
class Opened:
    """One embedding at one step, in memory."""

    key: str
    """Changes with every byte that it was read from, as far as sizes, times and ends of files tell."""
    state: EmbeddingState
    vectors: Vectors
    columns: tuple[PointColumn, ...]
    notices: tuple[str, ...]

    @property
    def nbytes(self) -> int:
        """How much memory its numbers take."""
        return self.vectors.values.nbytes + sum(column.codes.nbytes + 100 * len(column.texts) for column in self.columns)


def read_opened(files: EmbeddingFiles, state: EmbeddingState, bounds: Bounds, key: str) -> Opened:
    """Reads the files of a state. Raises BadInput or NotThere without vectors; metadata that cannot be read is a notice."""
    vectors = files.vectors(state, bounds)
    notices = list(vectors.notices)
    columns: tuple[PointColumn, ...] = ()
    try:
        table = files.metadata(state, vectors)
    except StepscopeError as error:
        notices.append(error.message)
    else:
        notices += table.notices
        columns = tuple(point_column(name, texts) for name, texts in table.columns.items())
    return Opened(key, state, vectors, columns, tuple(notices))
