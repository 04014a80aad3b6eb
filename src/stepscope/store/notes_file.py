"""The SQLite file of what users typed: its tables, opening it, and bringing an older file forward."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from stepscope.model.identity import project_id
from stepscope.store.private_files import close_to_others, create_private, make_private_folder

VERSION = 2
"""1 was keyed by the folder's path, for one user."""

_LOCK_SECONDS = 10.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS attached (own_id TEXT PRIMARY KEY, project TEXT NOT NULL, changed REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run_note (
  project TEXT, run TEXT, display_name TEXT, note TEXT, author TEXT NOT NULL, changed REAL NOT NULL, PRIMARY KEY (project, run)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run_look (
  project TEXT, run TEXT, user TEXT, colour TEXT, hidden INTEGER NOT NULL, pinned INTEGER NOT NULL, changed REAL NOT NULL,
  PRIMARY KEY (project, user, run)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run_label (
  project TEXT, run TEXT, labels TEXT NOT NULL, author TEXT NOT NULL, changed REAL NOT NULL, PRIMARY KEY (project, run)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS own_layout (
  project TEXT, user TEXT, content TEXT NOT NULL, changed REAL NOT NULL, PRIMARY KEY (project, user)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS marked_series (
  project TEXT, tag TEXT, unit TEXT NOT NULL, author TEXT NOT NULL, changed REAL NOT NULL, PRIMARY KEY (project, tag)
) WITHOUT ROWID;
"""
_VERSION_1 = ("run_state", "layout", "memory_mark")
# Oldest first, so that of two folders that are the same one (a link and its target) the newer text wins and none is lost.
_FORWARD = {
    "run_state": """
INSERT INTO run_note SELECT project_id(folder), run, display_name, note, :user, changed FROM run_state
  WHERE display_name IS NOT NULL OR note IS NOT NULL ORDER BY changed
  ON CONFLICT DO UPDATE SET display_name = coalesce(excluded.display_name, display_name), note = coalesce(excluded.note, note);
INSERT INTO run_look SELECT project_id(folder), run, :user, colour, hidden, pinned, changed FROM run_state WHERE true ORDER BY changed
  ON CONFLICT DO UPDATE SET colour = coalesce(excluded.colour, colour), hidden = excluded.hidden, pinned = excluded.pinned
""",
    "layout": "INSERT OR REPLACE INTO own_layout SELECT project_id(folder), :user, content, changed FROM layout ORDER BY changed",
    "memory_mark": "INSERT OR REPLACE INTO marked_series SELECT project_id(folder), tag, unit, :user, 0 FROM memory_mark",
}


def open_notes(path: Path, user: str) -> sqlite3.Connection:
    """The open file with today's tables. What an older file holds becomes the given user's. Raises sqlite3.Error or OSError."""
    make_private_folder(path.parent)
    _make_private(path)
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            return _connect(path, user)
        except sqlite3.OperationalError as problem:
            # SQLite does not wait where two that read want to write: one of them has to begin again.
            if "locked" not in str(problem) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _make_private(path: Path) -> None:
    """Creates the file, or closes the one that is there, and what SQLite keeps beside it, which inherits the rights."""
    with contextlib.suppress(FileExistsError):
        create_private(path).close()
    for ending in ("", "-wal", "-shm", "-journal"):
        close_to_others(path.with_name(path.name + ending))


def _connect(path: Path, user: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_LOCK_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _leave_write_ahead_log(connection)
        if connection.execute("PRAGMA user_version").fetchone()[0] > VERSION:
            raise sqlite3.DatabaseError("it was written by a newer version of Stepscope; upgrade this one")
        connection.executescript(_SCHEMA)
        if any(_old_tables(connection)):
            _bring_forward(connection, user)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    except BaseException:
        connection.close()
        raise
    return connection


def _leave_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Earlier versions used it. Its index is mapped: truncated, it kills the process, and on a network home it does not work."""
    connection.execute("PRAGMA busy_timeout = 0")
    with contextlib.suppress(sqlite3.OperationalError):  # such a version has the file open; a later start changes it
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute(f"PRAGMA busy_timeout = {int(1000 * _LOCK_SECONDS)}")


def _old_tables(connection: sqlite3.Connection) -> Iterator[str]:
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return (name for name in _VERSION_1 if name in there)


def _bring_forward(connection: sqlite3.Connection, user: str) -> None:
    """Moves rows of version 1, in one transaction, also those that an older server wrote after this had been done before."""
    connection.create_function("project_id", 1, project_id, deterministic=True)
    connection.execute("BEGIN IMMEDIATE")
    try:
        for table in list(_old_tables(connection)):  # again: another server may have been faster
            for statement in _FORWARD[table].split(";"):
                connection.execute(statement, {"user": user})
            connection.execute(f"DROP TABLE {table}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite ends it by itself when the disk is full
            connection.execute("ROLLBACK")
        raise
