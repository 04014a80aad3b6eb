"""What users type about runs (notes, names, colours, hidden, pinned), the layouts they make and the series they mark: one SQLite file.

It is in their data folder, and nothing is created before something is written. Several servers may share the file: SQLite's
write-ahead log orders the writers, and each read asks the file again.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from stepscope.model.errors import BadInput, Refused, TooMuch
from stepscope.model.identity import RunId
from stepscope.store.folders import data_folder

MAX_NAME = 200
MAX_NOTE = 20_000
MAX_RUNS = 100_000
"""Runs of one log folder that may have something noted."""
MAX_LAYOUT = 1 << 20
"""Bytes of a layout."""
MAX_LAYOUTS = 10_000
"""Log folders that may have one."""
MAX_TAG = 2_000
"""Characters of a series' name that is marked."""
MAX_MARKS = 200
"""Series of one log folder that may be marked."""

_LOCK_SECONDS = 10.0
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS run_state (
  folder TEXT NOT NULL, run TEXT NOT NULL,
  display_name TEXT, note TEXT, colour TEXT, hidden INTEGER NOT NULL, pinned INTEGER NOT NULL, changed REAL NOT NULL,
  PRIMARY KEY (folder, run)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS memory_mark (folder TEXT, tag TEXT, unit TEXT NOT NULL, PRIMARY KEY (folder, tag)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS layout (folder TEXT PRIMARY KEY, content TEXT NOT NULL, changed REAL NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class RunState:
    """What the user noted about one run."""

    display_name: str | None = None
    note: str | None = None
    colour: str | None = None
    hidden: bool = False
    pinned: bool = False


class UserState:
    """Reads and writes what users noted, per log folder and run id. Safe from any thread."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = (folder or data_folder()) / "notes.sqlite3"
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def read(self, folder: str) -> dict[RunId, RunState]:
        """Everything noted about the runs of a log folder; empty when nothing was, or the file cannot be read."""
        with self._lock:
            if self._connection is None and not self._path.exists():
                return {}
            try:
                rows = self._open().execute(
                    "SELECT run, display_name, note, colour, hidden, pinned FROM run_state WHERE folder = ?", (folder,)
                )
                return {RunId(row[0]): RunState(row[1], row[2], row[3], bool(row[4]), bool(row[5])) for row in rows}
            except (sqlite3.Error, OSError):
                return {}

    def change(self, folder: str, run: RunId, changes: Mapping[str, object]) -> RunState:
        """Changes some fields of one run's state and returns the whole. Raises BadInput, TooMuch or Refused."""
        checked = {name: _check(name, value) for name, value in changes.items()}
        with self._lock, self._writing():
            return self._change(folder, run, checked)

    def read_layout(self, folder: str) -> str | None:
        """The layout kept for a log folder; None when there is none, or the file cannot be read."""
        with self._lock:
            if self._connection is None and not self._path.exists():
                return None
            try:
                row = self._open().execute("SELECT content FROM layout WHERE folder = ?", (folder,)).fetchone()
            except (sqlite3.Error, OSError):
                return None
            return None if row is None else str(row[0])

    def keep_layout(self, folder: str, layout: str | None) -> None:
        """Keeps a layout in place of the one before; None removes it. Raises TooMuch or Refused."""
        if layout is not None and len(layout.encode()) > MAX_LAYOUT:
            raise TooMuch(f"A layout can have at most {MAX_LAYOUT >> 10:,} KiB; remove some charts.", "layout_too_large")
        with self._lock, self._writing():
            connection = self._open()
            if layout is None:
                connection.execute("DELETE FROM layout WHERE folder = ?", (folder,))
                return
            others = connection.execute("SELECT count(*) FROM layout WHERE folder != ?", (folder,)).fetchone()[0]
            if others >= MAX_LAYOUTS:
                raise TooMuch(f"At most {MAX_LAYOUTS:,} log folders can have a layout; remove some first.", "too_many_layouts")
            connection.execute("INSERT OR REPLACE INTO layout VALUES (?, ?, ?)", (folder, layout, time.time()))

    def memory_marks(self, folder: str) -> dict[str, str]:
        """The series of a log folder that are marked as memory, and the unit of each; empty when the file cannot be read."""
        with self._lock:
            if self._connection is None and not self._path.exists():
                return {}
            try:
                rows = self._open().execute("SELECT tag, unit FROM memory_mark WHERE folder = ? ORDER BY tag", (folder,))
                return {str(tag): str(unit) for tag, unit in rows}
            except (sqlite3.Error, OSError):
                return {}

    def mark_memory(self, folder: str, tag: str, unit: str | None) -> None:
        """Marks a series as memory in that unit; None removes the mark. Raises TooMuch or Refused."""
        if len(tag) > MAX_TAG:
            raise TooMuch(f"A marked series' name can have at most {MAX_TAG:,} characters; log it under a shorter one.", "too_long")
        tag = tag.encode("utf-8", "replace").decode("utf-8")
        with self._lock, self._writing():
            connection = self._open()
            if unit is None:
                connection.execute("DELETE FROM memory_mark WHERE folder = ? AND tag = ?", (folder, tag))
                return
            others = connection.execute("SELECT count(*) FROM memory_mark WHERE folder = ? AND tag != ?", (folder, tag)).fetchone()[0]
            if others >= MAX_MARKS:
                raise TooMuch(f"At most {MAX_MARKS:,} series of a folder can be marked; remove some marks first.", "too_many_marks")
            connection.execute("INSERT OR REPLACE INTO memory_mark VALUES (?, ?, ?)", (folder, tag, unit))

    def close(self) -> None:
        """Closes the file; a later call opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _writing(self) -> Generator[None]:
        """Turns what the file system refuses into a sentence."""
        try:
            yield
        except (sqlite3.Error, OSError) as problem:
            raise Refused(
                f"The data folder {self._path.parent} cannot be written ({problem}); set STEPSCOPE_DATA_DIR to one that can.",
                "data_folder",
            ) from problem

    def _change(self, folder: str, run: RunId, changes: Mapping[str, Any]) -> RunState:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            row = connection.execute(
                "SELECT display_name, note, colour, hidden, pinned FROM run_state WHERE folder = ? AND run = ?", (folder, run)
            ).fetchone()
            if row is None and self._count(connection, folder) >= MAX_RUNS:
                raise TooMuch(f"At most {MAX_RUNS:,} runs of a folder can carry notes; clear some first.", "too_many_notes")
            old = RunState() if row is None else RunState(row[0], row[1], row[2], bool(row[3]), bool(row[4]))
            state = RunState(**{**asdict(old), **changes})
            connection.execute(
                "INSERT OR REPLACE INTO run_state VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (folder, run, state.display_name, state.note, state.colour, state.hidden, state.pinned, time.time()),
            )
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        return state

    def _count(self, connection: sqlite3.Connection, folder: str) -> int:
        return int(connection.execute("SELECT count(*) FROM run_state WHERE folder = ?", (folder,)).fetchone()[0])

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            deadline = time.monotonic() + _LOCK_SECONDS
            while self._connection is None:
                try:
                    self._connection = self._connect()
                except sqlite3.OperationalError as problem:
                    # Switching to the write-ahead log does not wait for a lock as everything else does.
                    if "locked" not in str(problem) or time.monotonic() > deadline:
                        raise
                    time.sleep(0.02)
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_LOCK_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(_SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection


def _check(name: str, value: object) -> str | bool | None:
    if name in ("hidden", "pinned"):
        if not isinstance(value, bool):
            raise BadInput(f"{name} must be true or false.", "bad_value")
        return value
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise BadInput(f"{name} must be a text or null.", "bad_value")
    limit = MAX_NOTE if name == "note" else MAX_NAME
    if len(value) > limit:
        raise TooMuch(f"{name} can have at most {limit:,} characters; shorten it.", "too_long")
    if name == "colour" and not _COLOUR.fullmatch(value):
        raise BadInput("colour must look like #1f77b4.", "bad_colour")
    return value.encode("utf-8", "replace").decode("utf-8")
