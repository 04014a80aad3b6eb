"""Export at full resolution: every shown point of many series as CSV, JSON or Parquet, made piece by piece."""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from stepscope.model.csv_cells import csv_line, shown_text
from stepscope.model.errors import NeedsExtra
from stepscope.model.identity import TagId
from stepscope.model.numbers import number
from stepscope.queries.series import Segments, SeriesReader
from stepscope.queries.view import View

Format = Literal["csv", "json", "parquet"]
COLUMNS = ("run", "tag", "step", "wall_time", "value", "segment")

_ROWS_AT_ONCE = 8_192
_PARQUET_ROWS = 131_072


@dataclass(frozen=True, slots=True)
class Wanted:
    """One series to export, with the names that go into its rows."""

    run: str
    run_name: str
    tag: TagId
    tag_name: str


@dataclass(frozen=True, slots=True)
class _Piece:
    run: str
    tag: str
    step: NDArray[np.int64]
    wall: NDArray[np.float64]
    value: NDArray[np.float64]
    segment: NDArray[np.int32]


def export(reader: SeriesReader, view: View, wanted: Iterable[Wanted], mode: Segments, kind: Format) -> Iterator[bytes]:
    """The bytes of the file, piece by piece. Raises NeedsExtra at once when Parquet cannot be written."""
    if kind == "parquet":
        return _parquet(_pieces(reader, view, wanted, mode, _PARQUET_ROWS))
    pieces = _pieces(reader, view, wanted, mode, _ROWS_AT_ONCE)
    return _csv(pieces) if kind == "csv" else _json(pieces)


def _pieces(reader: SeriesReader, view: View, wanted: Iterable[Wanted], mode: Segments, rows: int) -> Iterator[_Piece]:
    for series in wanted:
        held = reader.open(view.source(series.run, series.tag), mode)
        if held is None:
            continue
        step, wall, value, segment = held.series.arrays()
        for start in range(0, len(step), rows):
            part = slice(start, start + rows)
            yield _Piece(series.run_name, series.tag_name, step[part], wall[part], value[part], segment[part])


def _csv(pieces: Iterator[_Piece]) -> Iterator[bytes]:
    yield (",".join(COLUMNS) + "\n").encode()
    for piece in pieces:
        prefix = csv_line([shown_text(piece.run), shown_text(piece.tag)])
        rows = zip(piece.step.tolist(), piece.wall.tolist(), piece.value.tolist(), piece.segment.tolist(), strict=True)
        yield "".join(f"{prefix},{s},{w!r},{v!r},{g}\n" for s, w, v, g in rows).encode()


def _json(pieces: Iterator[_Piece]) -> Iterator[bytes]:
    encode = msgspec.json.encode
    yield b"["
    between = b"\n"
    for piece in pieces:
        prefix = b'{"run":' + encode(piece.run) + b',"tag":' + encode(piece.tag)
        rows = zip(piece.step.tolist(), piece.wall.tolist(), piece.value.tolist(), piece.segment.tolist(), strict=True)
        lines = [
            b'%s,"step":%d,"wall_time":%s,"value":%s,"segment":%d}' % (prefix, s, encode(number(w)), encode(number(v)), g)
            for s, w, v, g in rows
        ]
        yield between + b",\n".join(lines)
        between = b",\n"
    yield b"\n]\n"


class _Outgoing(io.BytesIO):
    """A file that can be emptied while it is being written."""

    def take(self) -> bytes:
        """What was written since the last time."""
        data = self.getvalue()
        self.seek(0)
        self.truncate()
        return data


def _parquet(pieces: Iterator[_Piece]) -> Iterator[bytes]:
    try:
        # pyarrow comes without types.
        arrow: Any = importlib.import_module("pyarrow")
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError as missing:
        raise NeedsExtra("Parquet needs pyarrow; run pip install 'stepscope[sql]'.", "needs_extra") from missing
    return _parquet_pieces(pieces, arrow, parquet)


def _parquet_pieces(pieces: Iterator[_Piece], arrow: Any, parquet: Any) -> Iterator[bytes]:  # noqa: ANN401
    types = (arrow.string(), arrow.string(), arrow.int64(), arrow.float64(), arrow.float64(), arrow.int32())
    schema = arrow.schema(list(zip(COLUMNS, types, strict=True)))
    sink = _Outgoing()
    with parquet.ParquetWriter(arrow.PythonFile(sink, mode="w"), schema) as writer:
        for piece in pieces:
            names = [arrow.repeat(arrow.scalar(name), len(piece.step)) for name in (piece.run, piece.tag)]
            numbers = [arrow.array(column) for column in (piece.step, piece.wall, piece.value, piece.segment)]
            writer.write_table(arrow.Table.from_arrays(names + numbers, schema=schema))
            yield sink.take()
    yield sink.take()
