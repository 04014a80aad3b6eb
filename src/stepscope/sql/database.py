"""Queries over a library: tables are read once for each epoch and kept, and results are Arrow tables with units."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from stepscope.model.declared import Column
from stepscope.model.identity import RunId
from stepscope.queries.runs import RunState
from stepscope.session.reads import Reads
from stepscope.sql.engine import Answering, Limits, answering
from stepscope.sql.packages import pyarrow
from stepscope.sql.shared_table import SharedTable
from stepscope.sql.table import Reading, Scope, Table


@dataclass(frozen=True, slots=True)
class Result:
    """The first rows of an answer, as an Arrow table."""

    columns: tuple[Column, ...]
    table: Any
    more: bool
    """Whether there are rows after these."""
    seconds: float
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What may be chosen of a query, and who waits for it."""

    scope: Scope = field(default_factory=Scope)
    limits: Limits = field(default_factory=Limits)
    states: Mapping[RunId, RunState] = field(default_factory=dict[RunId, RunState])
    now: float = 0.0
    checkpoint: Callable[[], None] = field(default=lambda: None)


class Database:
    """All tables of one library; what was read for one query serves the next. Safe from any thread."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads

    def table(self, table: Table, question: Question, notes: list[str]) -> SharedTable:
        """A table that queries can map; what it leaves out is added to `notes`."""

        def make() -> tuple[tuple[SharedTable, tuple[str, ...]], int]:
            reading = Reading(self._reads, question.scope, question.states, question.now, question.checkpoint)
            made = SharedTable(table.read(reading))
            return (made, tuple(reading.notes)), made.size

        # Runs have a status, which changes as time passes, and notes of the user who asks.
        key = (table.name, question.scope, self._reads.library.snapshot.epoch)
        found, left_out = make()[0] if table.name == "runs" else self._reads.tables.get(key, make)
        notes.extend(note for note in left_out if note not in notes)
        return found

    @contextmanager
    def answering(self, sql: str, question: Question, notes: list[str]) -> Generator[Answering]:
        """A query at work. Raises what `stepscope.sql.engine.answering` raises."""
        with answering(sql, lambda table: self.table(table, question, notes), question.limits, question.checkpoint) as found:
            yield found

    def query(self, sql: str, question: Question | None = None, rows: int = 1_000_000) -> Result:
        """The first rows of the answer."""
        began = time.perf_counter()
        notes: list[str] = []
        arrow = pyarrow()
        with self.answering(sql, question or Question(), notes) as found:
            batches: list[Any] = []
            left = rows
            more = False
            for batch in found.batches:
                if batch.num_rows > left:
                    more = True
                batches.append(batch.slice(0, left))
                left -= batches[-1].num_rows
                if more:
                    break
            table = arrow.Table.from_batches(batches, schema=found.schema)
            return Result(found.columns, table, more, time.perf_counter() - began, tuple(notes))
