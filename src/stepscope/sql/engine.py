"""One SQL query over declared tables: run in a process of its own, bounded in time and memory, with errors that say where they are."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

from stepscope.model.declared import Column
from stepscope.model.errors import BadInput, Refused, StepscopeError, TooMuch
from stepscope.model.process_messages import receive, send
from stepscope.sql.all_tables import BY_NAME
from stepscope.sql.packages import duckdb, pyarrow
from stepscope.sql.query_messages import Ask, Tables, Told
from stepscope.sql.shared_table import SharedTable
from stepscope.sql.table import Table

LONGEST_SQL = 100_000
"""Letters of a query."""
COMMAND = (sys.executable, "-m", "stepscope.sql.query_process")

_LOOK_SECONDS = 0.05
"""How often a running query is looked at: has it taken too long, or does nobody wait any more?"""
_PLACE = re.compile(r"\n\s*LINE (\d+): (.*)\n( *)\^", re.DOTALL)
_KIND = re.compile(r"^(?:\w+ )+Error: ")
_AGGREGATE = re.compile(r"^(?:sum|min|max|avg|mean|median|any_value|first|last|mode|stddev)\((?:\w+\.)?\"?(\w+)\"?\)$")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one query may use; reading the tables that it names comes before its time."""

    seconds: float = 30.0
    memory_bytes: int = 1 << 30
    threads: int = 2


class BadQuery(BadInput):
    """The query cannot be run; `position` is the letter of it where that was found, counted from 0, or None."""

    def __init__(self, message: str, code: str = "bad_query", position: int | None = None) -> None:
        super().__init__(message, code)
        self.position = position


@dataclass(frozen=True, slots=True)
class Answering:
    """A query at work: its columns, and its rows as Arrow batches, which are made while they are read."""

    columns: tuple[Column, ...]
    schema: Any
    batches: Iterator[Any]


@dataclass(slots=True)
class _Watch:
    """Ends the process when its time is over or nobody waits for it, and remembers why."""

    process: subprocess.Popen[bytes]
    checkpoint: Callable[[], None]
    end: float = float("inf")
    problem: StepscopeError | None = None
    done: threading.Event = field(default_factory=threading.Event)

    def run(self, seconds: float) -> None:
        while not self.done.wait(_LOOK_SECONDS) and self.problem is None:
            try:
                self.checkpoint()
            except StepscopeError as problem:
                self.problem = problem
            if time.monotonic() > self.end:
                self.problem = TooMuch(f"The query took longer than {seconds:g} s; filter more, or aggregate.", "query_too_slow")
        if self.problem is not None:
            self.process.kill()


@contextmanager
def answering(
    sql: str,
    read: Callable[[Table], SharedTable],
    limits: Limits | None = None,
    checkpoint: Callable[[], None] = lambda: None,
) -> Generator[Answering]:
    """Runs a query; `read` gives each table that it names, and `checkpoint` raises when nobody waits any more.

    Raises BadQuery, TooMuch when a limit is reached, Refused for what is no query, NeedsExtra, or what `read` and `checkpoint` raise.
    """
    duckdb()  # what is missing is said here, and not by a process that ends
    pyarrow()
    limits = limits or Limits()
    if len(sql) > LONGEST_SQL:
        raise TooMuch(f"A query can have at most {LONGEST_SQL:,} characters.", "query_too_long")
    with _process() as process:
        watch = _Watch(process, checkpoint)
        watcher = threading.Thread(target=watch.run, args=(limits.seconds,), daemon=True)
        watcher.start()
        try:
            yield _asked(process, sql, read, limits, watch)
        finally:
            watch.done.set()
            watcher.join()


def _asked(
    process: subprocess.Popen[bytes], sql: str, read: Callable[[Table], SharedTable], limits: Limits, watch: _Watch
) -> Answering:
    questions, answers = process.stdin, process.stdout
    assert questions is not None
    assert answers is not None
    _say(questions, Ask(sql, limits.memory_bytes, limits.threads, list(BY_NAME)))
    used = [BY_NAME[name] for name in _hear(answers, sql, limits, watch)[0].tables]
    shared = {table.name: read(table) for table in used}
    watch.end = time.monotonic() + limits.seconds
    _say(questions, Tables({name: table.path for name, table in shared.items()}))
    told, data = _hear(answers, sql, limits, watch)
    schema = pyarrow().ipc.open_stream(data).schema

    def batches() -> Iterator[Any]:
        while True:
            told, data = _hear(answers, sql, limits, watch)
            if told.kind == "done":
                shared.clear()  # mapped until here
                return
            yield from pyarrow().ipc.open_stream(data)

    return Answering(tuple(_column(name, kind, used) for name, kind in told.columns), schema, batches())


@contextmanager
def _process() -> Generator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    process = subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=_environment(), start_new_session=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def _environment() -> dict[str, str]:
    """That of the server, with the modules that it imports from where it does."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def _say(stream: IO[bytes], message: Ask | Tables) -> None:
    with contextlib.suppress(OSError):  # what ended the process is found when its answer is read
        send(stream, message)


def _hear(stream: IO[bytes], sql: str, limits: Limits, watch: _Watch) -> tuple[Told, bytes]:
    """The next message. Raises what went wrong instead."""
    received = receive(stream, Told)
    if watch.problem is not None:
        raise watch.problem
    if received is None:
        raise TooMuch("The query ended unexpectedly, perhaps out of memory; filter more, or aggregate.", "query_ended")
    if received[0].kind == "failed":
        raise explained(received[0].error, received[0].words, sql, limits)
    return received


def _too_large(limits: Limits) -> TooMuch:
    return TooMuch(
        f"The query needs more than {limits.memory_bytes >> 20} MiB of memory; filter more, or aggregate.", "query_too_large"
    )


_NOT_RUN: dict[str, StepscopeError] = {
    "empty_query": BadQuery("The query is empty; try SELECT * FROM runs.", "empty_query"),
    "several_statements": BadQuery("Run one statement at a time; PIVOT needs the values in IN (…).", "several_statements"),
    "parameters": BadQuery("The query has parameters; write their values into it.", "parameters"),
    "not_a_query": Refused("Only SELECT queries can be run; the tables are read-only.", "not_a_query"),
    "PermissionException": Refused("Queries cannot read files, use the network or change settings.", "outside"),
}


def explained(error: str, text: str, sql: str, limits: Limits) -> StepscopeError:
    """What the process says, in the error tree, with the place in the query instead of a picture of it."""
    if error in _NOT_RUN:
        return _NOT_RUN[error]
    if error in ("OutOfMemoryException", "MemoryError", "ArrowMemoryError") or "bad_alloc" in text:
        return _too_large(limits)
    place = _PLACE.search("\n" + text)
    position = None if place is None else _position(sql, int(place[1]), place[2], len(place[3]))
    said = _KIND.sub("", text.partition("\nLINE ")[0].strip()).replace("\n", " ")
    if error == "CatalogException" and said.startswith("Table with name"):
        said = f"{said.partition('!')[0]}. The tables are {', '.join(BY_NAME)}"
    return BadQuery((said[:1_000] or "The query failed").rstrip(".! ") + ".", "bad_query", position)


def _position(sql: str, line: int, shown: str, caret: int) -> int | None:
    """The place in the query of what the caret points at. DuckDB cuts long lines, so the shown text is looked for."""
    lines = sql.split("\n")
    if not 1 <= line <= len(lines):
        return None
    whole = lines[line - 1]
    cut = shown.startswith("...") and not whole.startswith("...")
    text = shown[3:] if cut else shown
    inside = whole.find(text.removesuffix("..."))
    place = caret - len(f"LINE {line}: ") - (3 if cut else 0) + max(inside, 0)
    return sum(len(each) + 1 for each in lines[: line - 1]) + min(max(place, 0), len(whole))


def _column(name: str, kind: str, used: list[Table]) -> Column:
    """A column of the answer; one that has the name of a declared column, or is an aggregate of it, has its unit."""
    inner = _AGGREGATE.match(name.lower())
    for key, same in ((name, True), (inner[1] if inner else "", False)):
        found = [column for table in used for column in table.columns if key and column.key == key]
        if len({column.unit for column in found}) == 1:
            return Column(name, kind, found[0].unit, found[0].meaning if same else "")
    return Column(name, kind, "", "")
