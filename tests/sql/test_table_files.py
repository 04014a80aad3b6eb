"""Files of tables: the same rows in every format, and nothing in them that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest

from stepscope.sql.table_files import TableFormat, file_pieces, json_value


def two_batches() -> pa.Table:
    names = [pa.DictionaryArray.from_arrays(pa.array(np.zeros(2, np.int32)), pa.array([word])) for word in ("=1+1", "b,c")]
    return pa.Table.from_batches(
        [
            pa.RecordBatch.from_arrays([names[0], pa.array([1.5, math.nan]), pa.array([[1], None])], ["name", "value", "list"]),
            pa.RecordBatch.from_arrays([names[1], pa.array([math.inf, None]), pa.array([[], [2, 3]])], ["name", "value", "list"]),
        ]
    )


def written(kind: TableFormat) -> bytes:
    table = two_batches()
    return b"".join(file_pieces(table.schema, table.to_batches(), kind))


def test_csv_has_text_that_no_spreadsheet_runs() -> None:
    found = list(csv.reader(io.StringIO(written("csv").decode())))
    assert found == [
        ["name", "value", "list"],
        ["'=1+1", "1.5", "[1]"],
        ["'=1+1", "nan", ""],
        ["b,c", "inf", "[]"],
        ["b,c", "", "[2,3]"],
    ]


def test_json_has_words_for_what_is_no_number() -> None:
    found = json.loads(written("json"))
    assert [row["value"] for row in found] == [1.5, "NaN", "Infinity", None]
    assert [row["list"] for row in found] == [[1], None, [], [2, 3]]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_columns_are_the_same_in_other_formats(kind: TableFormat) -> None:
    data = io.BytesIO(written(kind))
    found = pyarrow.parquet.read_table(data) if kind == "parquet" else pyarrow.ipc.open_file(data).read_all()
    assert found["name"].to_pylist() == ["=1+1", "=1+1", "b,c", "b,c"]
    assert found["list"].to_pylist() == [[1], None, [], [2, 3]]
    assert math.isnan(found["value"][1].as_py())


@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "arrow"])
def test_an_answer_without_rows_is_a_file_too(kind: TableFormat) -> None:
    data = b"".join(file_pieces(two_batches().schema, [], kind))
    if kind == "json":
        assert json.loads(data) == []
    elif kind == "csv":
        assert data == b"name,value,list\n"
    else:
        read = pyarrow.parquet.read_table(io.BytesIO(data)) if kind == "parquet" else pyarrow.ipc.open_file(data).read_all()
        assert (read.num_rows, read.column_names) == (0, ["name", "value", "list"])


def test_sums_are_numbers() -> None:
    assert [json_value(value) for value in (Decimal(12), Decimal("1.5"), b"x", {"a": [math.nan]})] == [12, 1.5, "b'x'", {"a": ["NaN"]}]
