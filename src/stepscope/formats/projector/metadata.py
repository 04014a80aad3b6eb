"""Reads what is known about the points of an embedding: a TSV file with a line for each, and a header when it has several columns."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from stepscope.model.embedding import EmbeddingState, PointTable, Vectors
from stepscope.model.errors import BadInput, NotThere
from stepscope.sources.files import read_range, stat
from stepscope.sources.source import reason_of

MOST_BYTES = 512 << 20
MOST_COLUMNS = 200
LONGEST_CELL = 1_000
_LABEL = "label"


def read_metadata(state: EmbeddingState, vectors: Vectors) -> PointTable:
    """The table for the points that are kept. Raises BadInput or NotThere when there is a file that cannot be read at all."""
    if not state.metadata:
        return PointTable()
    name = os.path.basename(state.metadata)
    try:
        size = stat(state.metadata).size
        if size > MOST_BYTES:
            raise BadInput(f"{name} is larger than {MOST_BYTES >> 20} MiB; log fewer columns.", "bad_metadata")
        text = read_range(state.metadata, 0, size)
    except OSError as error:
        raise NotThere(f"{name} cannot be read: {reason_of(error)}.", "no_metadata") from None
    return table_of(text, name, vectors.rows, vectors.total)


def table_of(text: bytes, name: str, rows: NDArray[np.int64], total: int) -> PointTable:
    """The table in a text, for the points `rows` of `total`."""
    lines: list[bytes] = text.split(b"\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        return PointTable(notices=(f"{name} is empty.",))
    header = [_cell(cell) for cell in lines[0].split(b"\t")]
    # TensorBoard takes the first line for a header exactly where there are several columns.
    first = 1 if len(header) > 1 else 0
    names = _distinct(header) if first else [_LABEL]
    notices: list[str] = []
    if len(names) > MOST_COLUMNS:
        notices.append(f"{name} has {len(names):,} columns; the first {MOST_COLUMNS} are shown.")
        names = names[:MOST_COLUMNS]
    if len(lines) - first != total:
        notices.append(
            f"{name} has {len(lines) - first:,} lines for {total:,} points{' after its header' if first else ''}"
            + (
                f"; points after line {len(lines):,} have no metadata."
                if len(lines) - first < total
                else "; the last lines are not used."
            )
        )
    columns: list[list[str]] = [[] for _ in names]
    ragged: list[int] = []
    places: list[int] = (rows + first).tolist()
    for place in places:
        cells = lines[place].split(b"\t") if place < len(lines) else []
        if cells and len(cells) != len(header):
            ragged.append(place + 1)
        for at, column in enumerate(columns):
            column.append(_cell(cells[at]) if at < len(cells) else "")
    if ragged:
        more = f", and {len(ragged) - 1:,} others" if len(ragged) > 1 else ""
        notices.append(f"{name}: line {ragged[0]:,}{more} have another number of columns than the header ({len(header)}).")
    return PointTable(dict(zip(names, columns, strict=True)), tuple(notices))


def _cell(data: bytes) -> str:
    return data.rstrip(b"\r").decode("utf-8", "replace")[:LONGEST_CELL]


def _distinct(names: list[str]) -> list[str]:
    """Names that differ, so that a column can be named."""
    seen: dict[str, int] = {}
    found: list[str] = []
    for name in names:
        plain = name or "column"
        seen[plain] = seen.get(plain, 0) + 1
        found.append(plain if seen[plain] == 1 else f"{plain} ({seen[plain]})")
    return found
