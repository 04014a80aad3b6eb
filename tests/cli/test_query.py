"""`stepscope query`: rows in the terminal, as JSON and as files, and one sentence for what cannot be run."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow.ipc
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

from log_folder import LogFolder
from stepscope.cli.query import aligned, command
from stepscope.model.errors import BadInput, StepscopeError
from stepscope.sql.all_tables import ALL_TABLES


@pytest.fixture
def logs(folder: LogFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LogFolder:
    monkeypatch.setenv("STEPSCOPE_DATA_DIR", str(tmp_path / "data"))
    folder.write("a", {"loss": [3, 2, 1], "lr": [0.1]})
    folder.write("b", {"loss": [5.0]})
    return folder


def query(logs: LogFolder, *arguments: str | Path, given: str | None = None) -> Result:
    result = CliRunner().invoke(command, [str(logs.path), "--no-cache", *map(str, arguments)], catch_exceptions=False, input=given)
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.slow
def test_rows_are_aligned_below_their_names(logs: LogFolder) -> None:
    said = query(logs, "SELECT run, min(value) AS low, count(*) AS n FROM points WHERE tag = 'loss' GROUP BY run ORDER BY run").output
    assert said.splitlines() == ["run  low  n", "a      1  3", "b      5  1"]


@pytest.mark.slow
def test_json_has_every_row(logs: LogFolder) -> None:
    said = query(logs, "--json", "--run", "a", "SELECT step, value FROM points WHERE tag = 'loss' ORDER BY step").stdout
    assert json.loads(said) == [{"step": 0, "value": 3.0}, {"step": 1, "value": 2.0}, {"step": 2, "value": 1.0}]


@pytest.mark.slow
def test_files_have_all_rows(logs: LogFolder, tmp_path: Path) -> None:
    sql = "SELECT run, step, value FROM points WHERE tag = 'loss' ORDER BY ALL"
    for option, name in (("--csv", "x.csv"), ("--json-file", "x.json"), ("--parquet", "x.parquet"), ("--arrow", "x.arrow")):
        assert query(logs, option, tmp_path / name, sql).output.startswith(f"{tmp_path / name}: 4 rows, ")
    rows = json.loads((tmp_path / "x.json").read_text())
    assert rows[0] == {"run": "a", "step": 0, "value": 3.0}
    assert pyarrow.parquet.read_table(tmp_path / "x.parquet").to_pylist() == rows
    assert pyarrow.ipc.open_file(io.BytesIO((tmp_path / "x.arrow").read_bytes())).read_all().to_pylist() == rows
    assert (tmp_path / "x.csv").read_text().splitlines()[:2] == ["run,step,value", "a,0,3.0"]


@pytest.mark.slow
def test_a_query_can_come_from_standard_input_and_be_cut(logs: LogFolder) -> None:
    found = query(logs, "-", "--rows", "2", given="SELECT step FROM points")
    assert len(found.stdout.splitlines()) == 3
    assert "2 rows" in found.stderr


def test_the_tables_are_listed_without_reading_anything(logs: LogFolder) -> None:
    lines = query(logs, "--tables").output.splitlines()
    assert [line.partition(":")[0] for line in lines if not line.startswith(" ")] == [table.name for table in ALL_TABLES]
    assert sum(line.startswith("  ") for line in lines) == sum(len(table.columns) for table in ALL_TABLES)


@pytest.mark.parametrize("arguments", [(), ("SELECT 1", "--csv", "x.txt"), ("SELECT 1", "--csv", "x.csv", "--arrow", "x.arrow")])
def test_what_cannot_be_run_is_refused_before_anything_is_read(logs: LogFolder, arguments: tuple[str, ...]) -> None:
    with pytest.raises(BadInput):
        CliRunner().invoke(command, [str(logs.path), *arguments], catch_exceptions=False)


@pytest.mark.slow
def test_limits_are_those_given(logs: LogFolder) -> None:
    with pytest.raises(StepscopeError) as ended:
        query(logs, "--timeout", "0.2", "SELECT count(*) FROM range(1000000000000)")
    assert ended.value.code == "query_too_slow"


def test_text_is_shortened_where_lines_would_not_fit() -> None:
    lines = aligned(["name", "n"], [["x" * 100, "\x1b[2J"], ["1", "22"]], [False, True], 40)
    assert [len(line) for line in lines] == [40, 40, 40]
    assert "\x1b" not in "".join(lines)
    assert lines[1].endswith("  1")
