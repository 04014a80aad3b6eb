"""Queries: what they cannot do, how they end when they ask for too much, and where errors are."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from stepscope.jobs.job import Cancelled
from stepscope.model.errors import BadInput, Refused, StepscopeError, TooMuch
from stepscope.sql import engine
from stepscope.sql.database import Database, Question
from stepscope.sql.engine import BadQuery, Limits, explained
from stepscope.sql.query_messages import Ask
from stepscope.sql.query_process import NotRun, check_query, settings

OUTSIDE = [
    "SELECT * FROM read_csv('{file}')",
    "SELECT * FROM read_text('{file}')",
    "SELECT * FROM read_blob('{file}')",
    "SELECT * FROM read_json('{file}')",
    "SELECT * FROM read_parquet('{file}')",
    "SELECT * FROM sniff_csv('{file}')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM '{file}'",
    "SELECT * FROM query('SELECT * FROM read_text(''{file}'')')",
    "SELECT * FROM 'http://127.0.0.1:1/x.parquet'",
    "SELECT * FROM duckdb_secrets()",
    "COPY (SELECT 1) TO '{folder}/out.csv'",
    "COPY runs FROM '{file}'",
    "ATTACH '{folder}/out.db'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "EXPORT DATABASE '{folder}/out'",
    "PRAGMA database_list",
    "PRAGMA enable_external_access=true",
    "SET enable_external_access = true",
    "SET memory_limit = '64GB'",
    "RESET threads",
    "CALL pragma_version()",
    "CREATE TABLE x AS SELECT 1",
    "INSERT INTO runs VALUES (1)",
    "DELETE FROM runs",
    "DROP VIEW runs",
    "CHECKPOINT",
]

LIMITS = Question(limits=Limits(seconds=1.0, memory_bytes=256 << 20))
GENEROUS = Question(limits=Limits(seconds=120.0, memory_bytes=256 << 20))


@pytest.mark.parametrize("sql", OUTSIDE)
@pytest.mark.slow
def test_nothing_outside_of_the_tables_is_reached(database: Database, tmp_path: Path, sql: str) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("word\nsesame\n")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises((Refused, BadQuery)) as refused:
        database.query(sql.format(file=secret, folder=tmp_path))
    assert "sesame" not in refused.value.message
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM range(1000000000) a, range(1000000) b",
        "WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM r) SELECT max(a) FROM r",
        "SELECT levenshtein(repeat('a', 200000), repeat('b', 200000))",  # cannot be interrupted
    ],
)
@pytest.mark.slow
def test_a_query_that_takes_too_long_is_ended(database: Database, sql: str) -> None:
    with pytest.raises(TooMuch) as ended:
        database.query(sql, LIMITS)
    assert ended.value.code == "query_too_slow"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT list(a.range) FROM range(100000000000) a",
        "SELECT string_agg(repeat('x', 1000000), '') FROM range(100000)",
        "SELECT length(repeat('x', 3000000000))",  # memory that DuckDB does not count
    ],
)
@pytest.mark.slow
def test_a_query_that_needs_too_much_memory_is_ended(database: Database, sql: str) -> None:
    with pytest.raises(TooMuch) as ended:
        database.query(sql, GENEROUS)
    assert ended.value.code in {"query_too_large", "query_ended"}


@pytest.mark.slow
def test_a_large_answer_is_read_only_as_far_as_it_is_wanted(database: Database) -> None:
    found = database.query("SELECT * FROM range(1000000000000)", GENEROUS, rows=10_000)
    assert (found.table.num_rows, found.more, found.table["range"][9_999].as_py()) == (10_000, True, 9_999)


@pytest.mark.slow
def test_a_query_that_nobody_waits_for_is_ended(database: Database) -> None:
    left = threading.Event()

    def checkpoint() -> None:
        if left.is_set():
            raise Cancelled("", "cancelled")

    with database.answering("SELECT * FROM range(1000000000000)", Question(checkpoint=checkpoint), []) as found:
        next(found.batches)
        left.set()
        with pytest.raises(Cancelled):
            list(found.batches)


@pytest.mark.parametrize(
    ("sql", "code", "position"),
    [
        ("SELEC 1", "bad_query", 0),
        ("SELECT name,\n  nosuch\nFROM runs", "bad_query", 15),
        ("SELECT " + "1 + " * 60 + "nosuch FROM runs", "bad_query", 7 + 4 * 60),
        ("SELECT * FROM nosuch", "bad_query", 14),
        ("SELECT 'abc'::INT", "bad_query", 12),
        ("", "empty_query", None),
        ("SELECT 1; SELECT 2", "several_statements", None),
        ("SELECT $1", "parameters", None),
    ],
)
@pytest.mark.slow
def test_errors_say_where_they_are(database: Database, sql: str, code: str, position: int | None) -> None:
    with pytest.raises(BadQuery) as bad:
        database.query(sql)
    assert (bad.value.code, bad.value.position) == (code, position)
    assert "LINE" not in bad.value.message


def test_a_missing_table_is_answered_with_those_there_are() -> None:
    text = 'Catalog Error: Table with name x does not exist!\nDid you mean "pg_enum"?\n\nLINE 1: FROM x\n             ^'
    error = explained("CatalogException", text, "FROM x", Limits())
    assert "pg_enum" not in error.message
    assert "kernels" in error.message
    assert error.position == 5


def test_lack_of_memory_is_said_in_one_way() -> None:
    for error in ("OutOfMemoryException", "MemoryError"):
        found = explained(error, "Out of Memory Error: failed", "", Limits(memory_bytes=64 << 20))
        assert (type(found), found.code, "64 MiB" in found.message) == (TooMuch, "query_too_large", True)


def test_a_text_that_is_too_long_starts_no_process(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(engine.subprocess, "Popen", never)
    with pytest.raises(TooMuch):
        database.query("SELECT 1 " * 20_000)


@pytest.mark.slow
def test_a_process_that_dies_is_an_error_and_not_a_wait(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "COMMAND", (engine.sys.executable, "-c", "import os; os._exit(9)"))
    with pytest.raises(TooMuch) as ended:
        database.query("SELECT 1")
    assert ended.value.code == "query_ended"


@pytest.mark.parametrize(("sql", "word"), [("DROP TABLE x", "not_a_query"), ("", "empty_query"), ("SELECT ?", "parameters")])
def test_only_a_select_is_run(sql: str, word: str) -> None:
    import duckdb

    connection = duckdb.connect(":memory:", config=settings(Ask(sql, 64 << 20, 1, [])))
    with pytest.raises(NotRun) as refused:
        check_query(connection, sql)
    assert refused.value.word == word


@pytest.mark.slow
def test_what_reading_a_table_raises_is_the_answer() -> None:
    def fail(_: object) -> engine.SharedTable:
        raise BadInput("No.", "no")

    with pytest.raises(StepscopeError) as failed, engine.answering("SELECT * FROM ops", fail):
        pass
    assert failed.value.code == "no"


@pytest.mark.slow
def test_only_the_tables_that_are_named_are_read() -> None:
    read: list[str] = []

    class Seen(Exception):
        pass

    def seen(table: engine.Table) -> engine.SharedTable:
        read.append(table.name)
        raise Seen

    for sql in ("FROM steps", "DESCRIBE kernels", "WITH ops AS (SELECT 1) SELECT * FROM ops, main.HPARAMS"):
        with pytest.raises(Seen), engine.answering(sql, seen):
            pass
    assert read == ["steps", "kernels", "hparams"]
