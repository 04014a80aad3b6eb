"""What users type about runs, the layouts they make and the series they mark: one SQLite file, keyed by project, run and user.

Names, notes, labels and marks say something about the project: they are shared, and their author is recorded. Colours, hidden, pinned
and layouts are how somebody looks at it: each user has their own.

The file is in the data folder, and nothing is created before something is written. Several servers may share it: SQLite's
locks order the writers, and each read asks the file again.
"""

from __future__ import annotations

import json
import re
import sqlite3
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from stepscope.model.errors import BadInput, Refused, TooMuch
from stepscope.model.identity import RunId, project_id
from stepscope.model.user import LOCAL_USER
from stepscope.store.folders import data_folder
from stepscope.store.notes_file import open_notes

MAX_NAME = 200
MAX_NOTE = 20_000
MAX_LABELS = 20
MAX_LABEL = 50
MAX_RUNS = 100_000
"""Runs of one project that may have something noted."""
MAX_LAYOUT = 1 << 20
"""Bytes of a layout."""
MAX_LAYOUTS = 10_000
"""Layouts in all: of every user and project."""
MAX_TAG = 2_000
"""Characters of a series' name that is marked."""
MAX_MARKS = 200
"""Series of one project that may be marked."""

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_SHARED = ("display_name", "note")
_PERSONAL = ("colour", "hidden", "pinned")
_TABLES = (("run_note", _SHARED, "author"), ("run_label", ("labels",), "author"), ("run_look", _PERSONAL, "user"))


@dataclass(frozen=True, slots=True)
class RunState:
    """What is noted about one run, and how one user sees it."""

    display_name: str | None = None
    note: str | None = None
    colour: str | None = None
    hidden: bool = False
    pinned: bool = False
    labels: tuple[str, ...] = ()
    author: str | None = None
    """The id of the user who last changed the name or the note."""


class UserState:
    """Reads and writes what users noted. Safe from any thread."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = (folder or data_folder()) / "notes.sqlite3"
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def of(self, user: str) -> UserNotes:
        """What one user sees and changes."""
        return UserNotes(self, user)

    def project(self, place: str) -> str:
        """The id of the project that lies at a folder or address."""
        own = project_id(place)
        with self._lock:
            found = self._rows("SELECT project FROM attached WHERE own_id = ?", own)
        return str(found[0][0]) if found else own

    def attach(self, place: str, project: str) -> None:
        """Makes a place the one of a known project, such as the new folder of logs that were moved. Raises Refused."""
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO attached VALUES (?, ?, ?)", (project_id(place), project, time.time()))

    def read(self, project: str, user: str) -> dict[RunId, RunState]:
        """Everything noted about the runs of a project; empty when nothing was, or the file cannot be read."""
        states: dict[RunId, RunState] = {}
        with self._lock:
            notes = self._rows("SELECT run, display_name, note, author FROM run_note WHERE project = ?", project)
            labels = self._rows("SELECT run, labels FROM run_label WHERE project = ?", project)
            looks = self._rows("SELECT run, colour, hidden, pinned FROM run_look WHERE project = ? AND user = ?", project, user)
        for run, name, note, author in notes:
            states[RunId(run)] = RunState(name, note, author=author)
        for run, given in labels:
            states[RunId(run)] = replace(states.get(RunId(run), RunState()), labels=tuple(json.loads(given)))
        for run, colour, hidden, pinned in looks:
            shared = states.get(RunId(run), RunState())
            states[RunId(run)] = replace(shared, colour=colour, hidden=bool(hidden), pinned=bool(pinned))
        return states

    def change(self, project: str, user: str, run: RunId, changes: Mapping[str, object]) -> RunState:
        """Changes some fields of one run's state and returns the whole. Raises BadInput, TooMuch or Refused."""
        return self.change_runs(project, user, [run], changes)[run]

    def change_runs(self, project: str, user: str, runs: Sequence[RunId], changes: Mapping[str, object]) -> dict[RunId, RunState]:
        """Changes some fields of runs in one go and returns the whole state of each. Raises BadInput, TooMuch or Refused."""
        checked = {name: _check(name, value) for name, value in changes.items()}
        with self._writing() as connection:
            for run in runs:
                key = {"project": project, "run": run, "changed": time.time()}
                for table, names, whose in _TABLES:
                    given = {name: value for name, value in checked.items() if name in names}
                    if given:
                        row = key | {name: getattr(RunState(), name) for name in names} | given | {whose: user}
                        _upsert(connection, table, row, (*given, whose, "changed"))
        states = self.read(project, user)
        return {run: states.get(run, RunState()) for run in runs}

    def read_layout(self, project: str, user: str) -> str | None:
        """The layout that a user has made for a project; None when there is none, or the file cannot be read."""
        with self._lock:
            found = self._rows("SELECT content FROM own_layout WHERE project = ? AND user = ?", project, user)
        return str(found[0][0]) if found else None

    def keep_layout(self, project: str, user: str, layout: str | None) -> None:
        """Keeps a layout in place of the one before; None removes it. Raises TooMuch or Refused."""
        if layout is not None and len(layout.encode()) > MAX_LAYOUT:
            raise TooMuch(f"A layout can be at most {MAX_LAYOUT >> 10:,} KiB; remove some charts.", "layout_too_large")
        with self._writing() as connection:
            connection.execute("DELETE FROM own_layout WHERE project = ? AND user = ?", (project, user))
            if layout is None:
                return
            if connection.execute("SELECT count(*) FROM own_layout").fetchone()[0] >= MAX_LAYOUTS:
                raise TooMuch(f"At most {MAX_LAYOUTS:,} layouts can be saved; remove some first.", "too_many_layouts")
            connection.execute("INSERT INTO own_layout VALUES (?, ?, ?, ?)", (project, user, layout, time.time()))

    def memory_marks(self, project: str) -> dict[str, str]:
        """The series of a project that are marked as memory, and the unit of each; empty when the file cannot be read."""
        with self._lock:
            rows = self._rows("SELECT tag, unit FROM marked_series WHERE project = ? ORDER BY tag", project)
        return {str(tag): str(unit) for tag, unit in rows}

    def mark_memory(self, project: str, user: str, tag: str, unit: str | None) -> None:
        """Marks a series as memory in that unit; None removes the mark. Raises TooMuch or Refused."""
        if len(tag) > MAX_TAG:
            raise TooMuch(
                f"The name of a marked series can have at most {MAX_TAG:,} characters; log it under a shorter name.", "too_long"
            )
        tag = tag.encode("utf-8", "replace").decode("utf-8")
        with self._writing() as connection:
            connection.execute("DELETE FROM marked_series WHERE project = ? AND tag = ?", (project, tag))
            if unit is None:
                return
            if connection.execute("SELECT count(*) FROM marked_series WHERE project = ?", (project,)).fetchone()[0] >= MAX_MARKS:
                raise TooMuch(f"At most {MAX_MARKS:,} series of a project can be marked; remove some marks first.", "too_many_marks")
            connection.execute("INSERT INTO marked_series VALUES (?, ?, ?, ?, ?)", (project, tag, unit, user, time.time()))

    def close(self) -> None:
        """Closes the file; a later call opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        """What the file answers; nothing when it does not exist or cannot be read. The lock is held."""
        if self._connection is None and not self._path.exists():
            return []
        try:
            return self._open().execute(query, values).fetchall()
        except (sqlite3.Error, OSError):
            return []

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        """One transaction. Turns what the file system refuses into a sentence."""
        with self._lock:
            try:
                connection = self._open()
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:  # SQLite ends it by itself when the disk is full
                        connection.execute("ROLLBACK")
                    raise
            except (sqlite3.Error, OSError) as problem:
                raise Refused(
                    f"Cannot write to the data folder {self._path.parent} ({problem}); set STEPSCOPE_DATA_DIR to a writable folder.",
                    "data_folder",
                ) from problem

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = open_notes(self._path, LOCAL_USER.id)
        return self._connection


@dataclass(frozen=True, slots=True)
class UserNotes:
    """What one user sees and changes of the notes; folders are named by where they lie, and kept under their project's id."""

    state: UserState
    user: str

    def read(self, folder: str) -> dict[RunId, RunState]:
        """Everything noted about the runs of a folder."""
        return self.state.read(self.state.project(folder), self.user)

    def change(self, folder: str, run: RunId, changes: Mapping[str, object]) -> RunState:
        """Changes some fields and returns the whole. Raises BadInput, TooMuch or Refused."""
        return self.change_runs(folder, [run], changes)[run]

    def change_runs(self, folder: str, runs: Sequence[RunId], changes: Mapping[str, object]) -> dict[RunId, RunState]:
        """Changes some fields of runs in one go and returns the whole of each. Raises BadInput, TooMuch or Refused."""
        return self.state.change_runs(self.state.project(folder), self.user, runs, changes)

    def read_layout(self, folder: str) -> str | None:
        """The layout of charts that this user has made on the page."""
        return self.state.read_layout(self.state.project(folder), self.user)

    def keep_layout(self, folder: str, layout: str | None) -> None:
        """Keeps a layout in place of the one before; None removes it. Raises TooMuch or Refused."""
        self.state.keep_layout(self.state.project(folder), self.user, layout)

    def memory_marks(self, folder: str) -> dict[str, str]:
        """The series that are marked as memory, and the unit of each."""
        return self.state.memory_marks(self.state.project(folder))

    def mark_memory(self, folder: str, tag: str, unit: str | None) -> None:
        """Marks a series as memory in that unit; None removes the mark. Raises TooMuch or Refused."""
        self.state.mark_memory(self.state.project(folder), self.user, tag, unit)


def _upsert(connection: sqlite3.Connection, table: str, row: Mapping[str, object], changed: Sequence[str]) -> None:
    """A new row, or the columns that changed of the one that is there. Names are ours; values are bound. Raises TooMuch."""
    mine = " AND user = :user" if "user" in row else ""
    others = f"SELECT count(*) FROM {table} WHERE project = :project AND run != :run{mine}"  # noqa: S608
    if connection.execute(others, row).fetchone()[0] >= MAX_RUNS:
        raise TooMuch(f"At most {MAX_RUNS:,} runs of a project can have notes; clear some first.", "too_many_notes")
    values = ", ".join(f":{name}" for name in row)
    updates = ", ".join(f"{name} = excluded.{name}" for name in changed)
    insert = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({values}) ON CONFLICT DO UPDATE SET {updates}"  # noqa: S608
    connection.execute(insert, row)


def _check(name: str, value: object) -> str | bool | None:
    if name in ("hidden", "pinned"):
        if not isinstance(value, bool):
            raise BadInput(f"{name} must be true or false.", "bad_value")
        return value
    if name == "labels":
        return json.dumps(_checked_labels(value), ensure_ascii=False)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise BadInput(f"{name} must be a string or null.", "bad_value")
    limit = MAX_NOTE if name == "note" else MAX_NAME
    if len(value) > limit:
        raise TooMuch(f"{name} can have at most {limit:,} characters; shorten it.", "too_long")
    if name == "colour" and not _COLOUR.fullmatch(value):
        raise BadInput("colour must look like #1f77b4.", "bad_colour")
    return value.encode("utf-8", "replace").decode("utf-8")


def _checked_labels(value: object) -> list[str]:
    """Each label once, without the spaces around it. Raises BadInput or TooMuch."""
    if not isinstance(value, list) or not all(isinstance(label, str) for label in cast("list[object]", value)):
        raise BadInput("labels must be a list of strings.", "bad_value")
    labels = [label.encode("utf-8", "replace").decode("utf-8").strip() for label in cast("list[str]", value)]
    if any("," in label or not label.isprintable() for label in labels):
        raise BadInput("A label cannot contain commas or line breaks.", "bad_value")
    found = list(dict.fromkeys(label for label in labels if label))
    if len(found) > MAX_LABELS or any(len(label) > MAX_LABEL for label in found):
        raise TooMuch(f"A run can have at most {MAX_LABELS} labels of {MAX_LABEL} characters; remove some.", "too_long")
    return found
