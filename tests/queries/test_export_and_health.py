"""Export at full resolution, and the health of files."""

from __future__ import annotations

import csv
import importlib
import io
import json
import math
import sys
from typing import Any

import pytest

from log_folder import START, LogFolder
from stepscope.model.errors import NeedsExtra
from stepscope.queries import export as export_module
from stepscope.queries.export import Format, Wanted, export
from stepscope.queries.health import file_health
from stepscope.session.reads import Reads


def exported(reads: Reads, kind: Format, tag: str = "loss", run_name: str = "a") -> bytes:
    """One series of the first run as a file."""
    view = reads.views.view()
    wanted = [Wanted(str(view.runs[0].record.id), run_name, reads.views.tag_id(tag), tag)]
    return b"".join(export(reads.series, view, wanted, "latest", kind))


def test_csv_has_every_point_and_quotes_names(folder: LogFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_module, "_ROWS_AT_ONCE", 3)
    tag = 'lo"ss, =1+1\nx'
    folder.write("a", {tag: [0.1 * step for step in range(10)]})
    rows = list(csv.reader(io.StringIO(exported(Reads(folder.load()), "csv", tag).decode())))
    assert rows[0] == ["run", "tag", "step", "wall_time", "value", "segment"]
    assert len(rows) == 11
    assert rows[4] == ["a", tag, "3", repr(START + 3), repr(0.1 * 3), "0"]


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "+1", "-1+1", "@SUM(1)", "\tx", "\r=1", "=a,b"])
def test_csv_shows_names_that_a_spreadsheet_would_run(folder: LogFolder, name: str) -> None:
    folder.write("a", {name: [-1.5]})
    text = exported(Reads(folder.load()), "csv", name, run_name=name).decode()
    (row,) = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assert row == [f"'{name}", f"'{name}", "0", repr(START), "-1.5", "0"]


def test_json_has_every_point_and_words_for_what_json_lacks(folder: LogFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_module, "_ROWS_AT_ONCE", 2)
    folder.write("a", {"loss": [1.0, math.nan, -math.inf]})
    rows = json.loads(exported(Reads(folder.load()), "json"))
    assert [row["value"] for row in rows] == [1.0, "NaN", "-Infinity"]
    assert rows[0] == {"run": "a", "tag": "loss", "step": 0, "wall_time": START, "value": 1.0, "segment": 0}


def test_json_of_nothing_is_a_list(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0]})
    assert json.loads(exported(Reads(folder.load()), "json", "none")) == []


def test_parquet_has_every_point(folder: LogFolder) -> None:
    parquet: Any = importlib.import_module("pyarrow.parquet")
    folder.write("a", {"loss": [float(step) for step in range(300)]})
    table = parquet.read_table(io.BytesIO(exported(Reads(folder.load()), "parquet")))
    assert table.column_names == ["run", "tag", "step", "wall_time", "value", "segment"]
    assert table["value"].to_pylist() == [float(step) for step in range(300)]
    assert set(table["run"].to_pylist()) == {"a"}


def test_parquet_without_pyarrow_names_the_extra(folder: LogFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write("a", {"loss": [1.0]})
    reads = Reads(folder.load())
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(NeedsExtra, match=r"stepscope\[sql\]"):
        exported(reads, "parquet")


def test_a_damaged_file_comes_first_and_says_why(folder: LogFolder) -> None:
    folder.write("good", {"loss": [1.0, 2.0]})
    path = folder.write("bad", {"loss": [1.0, 2.0, 3.0]})
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    first, second = file_health(folder.load().snapshot)
    assert (first.file, first.state, first.skipped) == (str(path), "damaged", 1)
    assert first.reason
    assert first.offset is not None
    assert (second.state, second.reason, second.skipped) == ("good", None, 0)
    assert second.bytes == second.bytes_read > 0


def test_a_file_that_ends_inside_a_record_is_waiting(folder: LogFolder) -> None:
    path = folder.write("a", {"loss": [1.0, 2.0]})
    path.write_bytes(path.read_bytes()[:-5])
    (row,) = file_health(folder.load().snapshot)
    assert (row.state, row.skipped) == ("waiting", 0)
    assert row.bytes_read < row.bytes


def test_the_list_can_be_cut(folder: LogFolder) -> None:
    for place in range(3):
        folder.write(f"r{place}", {"loss": [1.0]})
    assert len(file_health(folder.load().snapshot, limit=2)) == 2
