"""The process that runs one query on DuckDB: one SELECT, without files, network or extensions.

Some functions of SQL cannot be interrupted and take memory that DuckDB does not count, so a query has a process of its own, which the
server ends when its time is over, and which cannot get more memory than it may use.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import warnings
from typing import IO, Any

import duckdb

from stepscope.model.process_messages import receive, send
from stepscope.sql.packages import pyarrow
from stepscope.sql.query_messages import Ask, Tables, Told

ROWS_AT_ONCE = 8_192
_ROOM = 256 << 20
"""Memory of the process beside that of the query."""
_LOWER_PRIORITY = 5


class NotRun(Exception):
    """Why a query is not run: a word, and what DuckDB knows nothing of."""

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


def answer(asked: Ask, questions: IO[bytes], answers: IO[bytes]) -> None:
    """Runs the query and sends its rows. Raises NotRun or what DuckDB raises."""
    arrow = pyarrow()
    connection = duckdb.connect(":memory:", config=settings(asked))
    check_query(connection, asked.sql)
    send(answers, Told("tables", tables=named_tables(connection, asked)))
    received = receive(questions, Tables)
    if received is None:
        return
    for name, path in received[0].paths.items():
        connection.register(name, arrow.ipc.open_stream(arrow.memory_map(path)).read_all())
    connection.execute("SET lock_configuration = true")
    _bound_memory(asked.memory_bytes)
    found: Any = _bound(connection, asked.sql)
    names = [(str(name), str(kind)) for name, kind in zip(found.columns, found.types, strict=True)]
    reader: Any = found.to_arrow_reader(ROWS_AT_ONCE)
    send(answers, Told("columns", columns=names), _stream(reader.schema, []))
    for batch in reader:
        send(answers, Told("rows"), _stream(reader.schema, [batch]))
    send(answers, Told("done"))


def _bound(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.DuckDBPyRelation:
    """The query, ready to be read row by row."""
    try:
        return connection.sql(sql)
    except duckdb.Error:
        connection.execute(sql)  # fails in the same way, and says where in the text
        raise


def settings(asked: Ask) -> dict[str, Any]:
    """Everything that could reach outside of the process is off; the configuration is locked before the query runs."""
    return {
        "enable_external_access": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "allow_unsigned_extensions": "false",
        "python_enable_replacements": "false",
        "temp_directory": "",
        "memory_limit": f"{asked.memory_bytes >> 20}MiB",
        "threads": str(asked.threads),
    }


def check_query(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """That the text is one SELECT. Raises NotRun."""
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise NotRun("several_statements" if statements else "empty_query")
    if statements[0].type not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
        raise NotRun("not_a_query")
    if statements[0].named_parameters:
        raise NotRun("parameters")


def named_tables(connection: duckdb.DuckDBPyConnection, asked: Ask) -> list[str]:
    """The tables that the query names: some take long to read, so others are not."""
    try:
        named = {name.lower() for name in connection.get_table_names(asked.sql)}
    except duckdb.PermissionException:
        raise
    except duckdb.Error:  # some statements, such as UNPIVOT, can only be looked at with the tables; the words are enough
        named = set(re.findall(r"\w+", asked.sql.lower()))
    return [name for name in asked.tables if name in named]


def _stream(schema: Any, batches: list[Any]) -> memoryview:  # noqa: ANN401 - pyarrow carries no types
    arrow = pyarrow()
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return memoryview(sink.getvalue())


def _bound_memory(more: int) -> None:
    """From now on the process gets only so much more memory: some functions take it without asking DuckDB."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + more + _ROOM, used + more + _ROOM))


def main() -> None:
    """Answers one question. Whatever libraries print goes to stderr."""
    warnings.simplefilter("ignore")
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with contextlib.suppress(AttributeError, OSError):
        os.nice(_LOWER_PRIORITY)
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        received = receive(questions, Ask)
        if received is None:
            return
        try:
            answer(received[0], questions, answers)
        except NotRun as problem:
            send(answers, Told("failed", error=problem.word))
        except Exception as problem:  # noqa: BLE001 (whatever the libraries raise is the answer)
            send(answers, Told("failed", error=type(problem).__name__, words=str(problem)[:20_000]))
    os._exit(0)  # DuckDB's threads may still be busy with a query that failed


if __name__ == "__main__":
    main()
