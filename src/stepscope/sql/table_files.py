"""Columns as a file: CSV, JSON, Parquet or Arrow, made piece by piece from record batches."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, Literal, cast

import msgspec

from stepscope.model.csv_cells import csv_line, shown_text
from stepscope.model.numbers import json_number
from stepscope.sql.packages import pyarrow

TableFormat = Literal["csv", "json", "parquet", "arrow"]

CONTENT_TYPES: dict[TableFormat, str] = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.file",
}


def file_pieces(schema: Any, batches: Iterable[Any], kind: TableFormat) -> Iterator[bytes]:  # noqa: ANN401 - pyarrow carries no types
    """The bytes of the file."""
    if kind == "csv":
        return _csv(schema, batches)
    return _json(batches) if kind == "json" else _columnar(schema, batches, kind)


def json_value(value: Any) -> Any:  # noqa: ANN401 - any value of a cell
    """A cell as JSON can carry it; what JSON has no kind for is text."""
    if isinstance(value, float):
        return json_number(value)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Decimal):  # sums of whole numbers
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {str(key): json_value(each) for key, each in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [json_value(each) for each in cast("list[Any]", value)]
    return str(value)


def _csv(schema: Any, batches: Iterable[Any]) -> Iterator[bytes]:  # noqa: ANN401
    yield (csv_line([shown_text(name) for name in schema.names]) + "\n").encode()
    for batch in batches:
        columns = [[_csv_cell(value) for value in column.to_pylist()] for column in batch.columns]
        yield "".join(csv_line(row) + "\n" for row in zip(*columns, strict=True)).encode()


def _csv_cell(value: Any) -> object:  # noqa: ANN401
    if isinstance(value, str):
        return shown_text(value)
    if isinstance(value, list | dict | tuple):
        return shown_text(msgspec.json.encode(json_value(value)).decode())
    return "" if value is None else repr(value) if isinstance(value, float) else value


def _json(batches: Iterable[Any]) -> Iterator[bytes]:
    yield b"["
    between = b"\n"
    for batch in batches:
        if batch.num_rows:
            yield between + b",\n".join(msgspec.json.encode(json_value(row)) for row in batch.to_pylist())
            between = b",\n"
    yield b"\n]\n"


class _Outgoing(io.BytesIO):
    """A file that can be emptied while it is being written."""

    def __init__(self) -> None:
        super().__init__()
        self._before = 0

    def tell(self) -> int:
        """Where the file ends, with what was taken."""
        return self._before + super().tell()

    def take(self) -> bytes:
        """What was written since the last time."""
        data = self.getvalue()
        self._before += len(data)
        self.seek(0)
        self.truncate()
        return data


def _columnar(schema: Any, batches: Iterable[Any], kind: Literal["parquet", "arrow"]) -> Iterator[bytes]:  # noqa: ANN401
    arrow = pyarrow()
    sink = _Outgoing()
    target = arrow.PythonFile(sink, mode="w")
    plain = _without_dictionaries(schema, arrow)
    writer = pyarrow(".parquet").ParquetWriter(target, plain) if kind == "parquet" else arrow.ipc.new_file(target, plain)
    with writer:
        for batch in batches:
            writer.write_table(arrow.Table.from_batches([batch]).cast(plain))
            yield sink.take()
    yield sink.take()


def _without_dictionaries(schema: Any, arrow: Any) -> Any:  # noqa: ANN401
    """An Arrow file cannot replace a dictionary from batch to batch, so text is written as text."""
    return arrow.schema(
        [(field.name, field.type.value_type if arrow.types.is_dictionary(field.type) else field.type) for field in schema]
    )
