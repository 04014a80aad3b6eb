"""SQL over HTTP: tables, rows, errors with their place, cancellation, and files."""

from __future__ import annotations

import csv
import io
import time
from typing import Any

import pytest
from starlette.testclient import TestClient

from log_folder import LogFolder
from stepscope.dashboards.query.dashboard import QUERY
from stepscope.sql.all_tables import ALL_TABLES

LONG = 60.0


def run(client: TestClient, sql: str, **more: Any) -> Any:
    """The answer, asked for until it is there."""
    answer = client.post("/api/v1/query/run", json={"sql": sql, **more})
    end = time.monotonic() + LONG
    while answer.status_code == 200 and answer.json()["job"]["state"] in {"queued", "running"} and time.monotonic() < end:
        answer = client.get(f"/api/v1/query/run/{answer.json()['job']['id']}")
    return answer


def test_the_tables_have_columns_units_and_meanings(client: TestClient) -> None:
    answer = client.get("/api/v1/query/tables").json()
    assert answer["missing"] is None
    assert [table["name"] for table in answer["tables"]] == [table.name for table in ALL_TABLES]
    points = next(table for table in answer["tables"] if table["name"] == "points")
    assert next(column for column in points["columns"] if column["key"] == "wall_time")["unit"] == "s since 1970"


def test_there_is_something_to_query_as_soon_as_there_is_a_run(folder: LogFolder, client: TestClient) -> None:
    def has_data() -> bool:
        return {tab["id"]: tab["has_data"] for tab in client.get("/api/v1/folder").json()["tabs"]}[QUERY.id]

    assert not has_data()
    folder.write("a", {"loss": [1]})
    folder.load()
    assert has_data()


@pytest.mark.slow
def test_rows_come_with_units_and_say_when_there_are_more(folder: LogFolder, client: TestClient) -> None:
    folder.write("a", {"loss": [3, float("inf"), 1]})
    folder.load()
    answer = run(client, "SELECT step, value, [step] AS list FROM points ORDER BY step", rows=2).json()
    assert [column["unit"] for column in answer["columns"]] == ["step", "as logged", ""]
    assert (answer["rows"], answer["more"]) == ([[0, 3.0, "[0]"], [1, "Infinity", "[1]"]], True)
    assert answer["job"]["state"] == "done"


@pytest.mark.slow
def test_an_error_has_its_place(client: TestClient) -> None:
    answer = run(client, "SELECT nosuch FROM runs")
    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["error"]["position"]) == (400, "bad_query", 7)
    assert run(client, "SELECT * FROM read_text('/etc/passwd')").status_code == 403
    assert "position" not in client.get("/api/v1/query/run/unknown").json()["error"]


@pytest.mark.slow
def test_a_query_can_be_cancelled(client: TestClient) -> None:
    job = client.post("/api/v1/query/run", json={"sql": "SELECT count(*) FROM range(1000000000000)"}).json()["job"]
    assert job["state"] in {"queued", "running"}
    client.post(f"/api/v1/jobs/{job['id']}/cancel", json={})
    end = time.monotonic() + LONG
    while (answer := client.get(f"/api/v1/query/run/{job['id']}")).status_code == 200 and time.monotonic() < end:
        time.sleep(0.05)
    assert answer.json()["error"]["code"] == "cancelled"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "arrow"])
def test_all_rows_become_a_file(folder: LogFolder, client: TestClient, kind: str) -> None:
    folder.write("a", {"loss": [3, 2]})
    folder.load()
    job = client.post("/api/v1/query/export", json={"sql": "SELECT step, value FROM points ORDER BY step", "format": kind}).json()
    end = time.monotonic() + LONG
    while job["state"] != "done" and time.monotonic() < end:
        job = client.get(f"/api/v1/jobs/{job['id']}").json()
        assert job["error"] is None
    answer = client.get(f"/api/v1/{job['result_at']}")
    assert f'filename="query.{kind}"' in answer.headers["content-disposition"]
    if kind == "csv":
        assert list(csv.reader(io.StringIO(answer.text))) == [["step", "value"], ["0", "3.0"], ["1", "2.0"]]
    elif kind == "json":
        assert answer.json() == [{"step": 0, "value": 3.0}, {"step": 1, "value": 2.0}]
    else:
        assert answer.content[:4] == (b"PAR1" if kind == "parquet" else b"ARRO")
