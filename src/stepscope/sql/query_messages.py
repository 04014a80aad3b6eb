"""What the server and the process that runs a query say to each other; rows are behind the messages, as Arrow streams."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Ask(Struct, frozen=True):
    """The query and what it may use."""

    sql: str
    memory_bytes: int
    threads: int
    tables: list[str]
    """Names of all tables."""


class Tables(Struct, frozen=True):
    """Where the tables are that the query names: paths of Arrow streams."""

    paths: dict[str, str]


class Told(Struct, frozen=True):
    """What the process says: which tables it needs, the columns of the answer, a batch of rows, the end, or why there is no answer."""

    kind: Literal["tables", "columns", "rows", "done", "failed"]
    tables: list[str] = []
    columns: list[tuple[str, str]] = []
    """Name and type of each."""
    error: str = ""
    """The class of the error: one of DuckDB's, or a word of ours."""
    words: str = ""
