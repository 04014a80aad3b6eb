"""The tables: their columns follow from declarations, and their values are those that the other answers have."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dashboards.profile_server import ProfileServer
from hparam_logs import trial
from stepscope.model.errors import TooMuch
from stepscope.session.all_parts import ALL_PARTS
from stepscope.sql import points, spans
from stepscope.sql.all_tables import ALL_TABLES, BY_NAME
from stepscope.sql.arrow_rows import schema_of
from stepscope.sql.database import Database, Question
from stepscope.sql.table import Reading, Scope


def rows(database: Database, table: str, scope: Scope | None = None) -> list[dict[str, Any]]:
    """A table as it is read, without a query."""
    return BY_NAME[table].read(Reading(database._reads, scope or Scope(), now=1_700_000_000.0)).to_pylist()


@pytest.mark.parametrize("table", ALL_TABLES, ids=lambda table: table.name)
def test_a_table_has_the_declared_columns(profiles: ProfileServer, table: Any) -> None:
    assert all(column.meaning for column in table.columns)
    found = table.read(Reading(profiles.reads))
    assert found.column_names == [column.key for column in table.columns]
    # Text may be written once and pointed to, and small numbers be narrower; nothing is lost on the way to the declared type.
    assert found.cast(schema_of(*table.kinds)).num_rows == found.num_rows


def test_the_tables_of_the_issue_are_there() -> None:
    assert set(BY_NAME) == {"points", "runs", "hparams", "spans", "ops", "kernels", "steps", "memory", "rules"}


def test_points_are_those_of_the_charts(database: Database) -> None:
    found = [(row["run"], row["tag"], row["step"], row["value"], row["segment"]) for row in rows(database, "points")]
    found.sort(key=lambda row: row[:3])
    assert found[:3] == [("a", "loss", 0, 4.0, 0), ("a", "loss", 1, 3.0, 0), ("a", "loss", 2, 1.0, 1)]
    assert math.isnan(found[3][3])
    assert found[4:] == [("a", "lr", 0, 0.5, 0), ("b", "loss", 0, 8.0, 0)]


def test_points_that_a_restart_logged_again_are_there_on_demand(database: Database) -> None:
    found = rows(database, "points", Scope(("a",), ("lo*",), "all"))
    assert [(row["step"], row["value"]) for row in found[:4]] == [(0, 4.0), (1, 3.0), (2, 2.0), (2, 1.0)]


def test_long_and_short_series_are_in_one_table(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "_SMALL", 3)
    found = [(row["run"], row["tag"], row["step"]) for row in rows(Database(profiles.reads), "points")]
    assert sorted(found) == sorted([("a", "loss", step) for step in range(4)] + [("a", "lr", 0), ("b", "loss", 0)])


def test_more_points_than_fit_are_refused(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "MOST_POINTS", 5)
    with pytest.raises(TooMuch):
        rows(database, "points")
    assert len(rows(database, "points", Scope(runs=("a",), tags=("loss",)))) == 4


def test_steps_ops_and_rules_say_what_their_parts_say(profiles: ProfileServer, database: Database) -> None:
    steps = rows(database, "steps")
    assert [(row["run"], row["step"], row["ms"], row["parts_input"]) for row in steps] == [
        ("b", step, 10.0, 3.0) for step in (1, 2, 3, 4)
    ]
    assert [(row["count"], row["total_us"]) for row in rows(database, "kernels")] == [(4, 24_000.0)]
    fires = {row["rule"] for row in rows(database, "rules") if row["verdict"] == "fires"}
    assert "input_bound" in fires
    session = profiles.reads.sessions.sessions()[0]
    parts = {part.id: part for part in ALL_PARTS}
    answer = profiles.reads.sessions.answer(parts["ops"], session, parts["ops"].wanted())
    found = rows(database, "ops")
    assert [(row["name"], row["total_us"], row["rank"]) for row in found] == [(op.name, op.total_us, op.rank) for op in answer.ops]


def test_spans_have_times_steps_and_links(database: Database) -> None:
    found = rows(database, "spans")
    kernels = [row for row in found if row["kind"] == "kernel"]
    assert [(row["step"], row["start_ns"], row["duration_ns"]) for row in kernels] == [
        (step + 1, (10 * step + 4) * 1_000_000, 6_000_000) for step in range(4)
    ]
    assert {(row["process"], row["role"]) for row in kernels} == {("GPU 0", "stream")}
    launches = {row["row"]: row for row in found if row["kind"] == "runtime"}
    assert [launches[row["cause"]]["end_ns"] for row in kernels] == [row["start_ns"] for row in kernels]
    assert all(row["end_ns"] - row["start_ns"] == row["duration_ns"] for row in found)


def test_more_spans_than_fit_are_refused(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "MOST_SPANS", 5)
    with pytest.raises(TooMuch):
        rows(database, "spans")


def test_hparams_are_rows(profiles: ProfileServer) -> None:
    trial(profiles.folder.path / "b", {"lr": 0.1, "optimizer": "adam", "bias": True})
    profiles.folder.load()
    found = [(row["run"], row["name"], row["number"], row["text"]) for row in rows(Database(profiles.reads), "hparams")]
    assert sorted(found, key=lambda row: row[1]) == [
        ("b", "bias", None, "True"),
        ("b", "lr", 0.1, None),
        ("b", "optimizer", None, "adam"),
    ]


def test_a_profile_that_cannot_be_read_is_noted(profiles: ProfileServer) -> None:
    problem = "The file is cut short."
    profiles.broken("c", "worker0", problem)
    profiles.folder.load()
    reading = Reading(profiles.reads)
    assert {row["run"] for row in BY_NAME["steps"].read(reading).to_pylist()} == {"b"}
    assert len(reading.notes) == 1
    assert problem in reading.notes[0]


def test_only_the_newest_profiles_are_read(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepscope.sql.table.MOST_SESSIONS", 1)
    profiles.record("c", "worker0", "main 12", time=1_794_770_999_999)
    profiles.folder.load()
    reading = Reading(profiles.reads)
    assert [one.run.name for one in reading.sessions()] == ["c"]
    assert len(reading.notes) == 1


@pytest.mark.slow
def test_a_query_joins_tables_and_keeps_units(database: Database) -> None:
    found = database.query(
        "SELECT p.run, max(p.step), avg(s.ms), any_value(s.ms) AS ms, count(*) AS n FROM points p JOIN steps s USING (run) "
        "WHERE tag = 'loss' GROUP BY ALL",
        Question(),
    )
    assert found.table.to_pylist() == [{"run": "b", "max(p.step)": 0, "avg(s.ms)": 10.0, "ms": 10.0, "n": 4}]
    assert [column.unit for column in found.columns] == ["", "step", "ms", "ms", ""]


@pytest.mark.slow
def test_a_table_is_read_once_for_many_queries(database: Database, profiles: ProfileServer) -> None:
    for _ in range(2):
        assert database.query("SELECT count(*) AS n FROM points").table.to_pylist() == [{"n": 6}]
    assert len(profiles.reads.tables._values) == 1
    profiles.folder.write("b", {"loss": [(1, 7.0)]})
    profiles.folder.load()
    assert database.query("SELECT count(*) AS n FROM points").table.to_pylist() == [{"n": 7}]


@pytest.mark.slow
def test_text_that_points_to_other_words_in_each_batch_is_right(profiles: ProfileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "_SMALL", 1)
    found = Database(profiles.reads).query("SELECT run, tag, count(*) AS n FROM points GROUP BY ALL ORDER BY ALL")
    assert [tuple(row.values()) for row in found.table.to_pylist()] == [("a", "loss", 4), ("a", "lr", 1), ("b", "loss", 1)]
