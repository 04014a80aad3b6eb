"""The notes' file maps nothing, leaves the write-ahead log of earlier versions, and takes the notes of several servers."""

from __future__ import annotations

import multiprocessing
import sqlite3
from pathlib import Path

import pytest

from stepscope.model.identity import RunId
from stepscope.store.user_state import UserState

NOTES = 20


def write_notes(folder: Path, server: int) -> None:
    state = UserState(folder)
    for number in range(NOTES):
        state.change("project", "me", RunId(f"{server}-{number}"), {"note": str(number)})
    state.close()


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.slow
def test_several_servers_write_into_one_file(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    servers = [context.Process(target=write_notes, args=(tmp_path, server)) for server in range(3)]
    for server in servers:
        server.start()
    for server in servers:
        server.join(120)
    assert [server.exitcode for server in servers] == [0, 0, 0]
    assert len(UserState(tmp_path).read("project", "me")) == 3 * NOTES


def test_nothing_is_mapped_beside_the_file(tmp_path: Path) -> None:
    state = UserState(tmp_path)
    state.change("project", "me", RunId("run"), {"note": "mine"})
    assert files(tmp_path) == {"notes.sqlite3"}
    state.close()


@pytest.fixture
def earlier(tmp_path: Path) -> sqlite3.Connection:
    """The file as an earlier version left it, and has it open."""
    state = UserState(tmp_path)
    state.change("project", "me", RunId("run"), {"note": "mine"})
    state.close()
    connection = sqlite3.connect(tmp_path / "notes.sqlite3", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("UPDATE run_note SET note = 'theirs'")
    return connection


def test_a_file_with_a_write_ahead_log_is_used_and_later_changed(earlier: sqlite3.Connection, tmp_path: Path) -> None:
    state = UserState(tmp_path)
    assert state.read("project", "me")[RunId("run")].note == "theirs"
    state.change("project", "me", RunId("run"), {"note": "mine again"})
    state.close()
    earlier.close()
    state = UserState(tmp_path)
    assert state.read("project", "me")[RunId("run")].note == "mine again"
    assert files(tmp_path) == {"notes.sqlite3"}
    state.close()
