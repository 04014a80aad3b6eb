"""What users type is kept across servers, by project and user, bounded, and never created before it is needed."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from stepscope.model.errors import BadInput, Refused, TooMuch
from stepscope.model.identity import RunId
from stepscope.store import user_state
from stepscope.store.user_state import RunState, UserState

RUN = RunId("5f2a9c01b7d3")
NOTE_OF_OLD_FILE = "diverged at step 900 — lr too high"
OLD_FILE = Path(__file__).resolve().parents[1] / "store" / "notes_version_1.sql"
VALUES = ("note", "name", True, True)


def test_nothing_is_made_before_something_is_kept(tmp_path: Path) -> None:
    notes = UserState(tmp_path / "data").of("local")
    assert notes.read("/logs") == {}
    assert not (tmp_path / "data").exists()


def test_fields_change_one_by_one_and_clear(tmp_path: Path) -> None:
    notes = UserState(tmp_path).of("local")
    notes.change("/logs", RUN, {"note": "n", "hidden": True})
    assert notes.change("/logs", RUN, {"display_name": "d"}) == RunState("d", "n", None, hidden=True, author="local")
    assert notes.change("/logs", RUN, {"note": None, "hidden": False}) == RunState("d", author="local")
    assert notes.read("/logs") == {RUN: RunState("d", author="local")}
    assert notes.read("/other") == {}


def test_labels_of_several_runs_are_kept_for_all_users(tmp_path: Path) -> None:
    state = UserState(tmp_path)
    other = RunId("000000000001")
    changed = state.of("ann").change_runs("/logs", [RUN, other], {"labels": [" good ", "good", "", "keep"]})
    assert {run: found.labels for run, found in changed.items()} == {RUN: ("good", "keep"), other: ("good", "keep")}
    assert state.of("bob").read("/logs")[other].labels == ("good", "keep")
    assert state.of("bob").change("/logs", RUN, {"labels": []}).labels == ()


def test_another_server_sees_it(tmp_path: Path) -> None:
    one, two = UserState(tmp_path).of("local"), UserState(tmp_path).of("local")
    one.change("/logs", RUN, {"note": "from one"})
    assert two.read("/logs")[RUN].note == "from one"
    two.change("/logs", RUN, {"colour": "#123456"})
    assert one.read("/logs")[RUN] == RunState(None, "from one", "#123456", author="local")


def test_servers_starting_and_writing_at_once_lose_nothing(tmp_path: Path) -> None:
    for attempt in range(10):
        folder = tmp_path / str(attempt)
        start = threading.Barrier(4)
        problems: list[Exception] = []

        def write(place: int, folder: Path = folder, start: threading.Barrier = start, problems: list[Exception] = problems) -> None:
            server = UserState(folder).of("local")
            start.wait(60)
            try:
                for run in range(5):
                    server.change("/logs", RunId(f"{run:012x}"), {("note", "display_name", "hidden", "pinned")[place]: VALUES[place]})
            except Exception as problem:
                problems.append(problem)

        threads = [threading.Thread(target=write, args=(place,)) for place in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []
        assert (
            list(UserState(folder).of("local").read("/logs").values())
            == [RunState("name", "note", None, hidden=True, pinned=True, author="local")] * 5
        )


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"note": "x" * 20_001}, TooMuch),
        ({"display_name": "x" * 201}, TooMuch),
        ({"colour": "#12345"}, BadInput),
        ({"colour": "#12345g"}, BadInput),
        ({"colour": "#123456\n"}, BadInput),
        ({"note": 3}, BadInput),
        ({"hidden": 1}, BadInput),
        ({"labels": "one"}, BadInput),
        ({"labels": ["a,b"]}, BadInput),
        ({"labels": ["x" * 51]}, TooMuch),
        ({"labels": [str(place) for place in range(21)]}, TooMuch),
    ],
)
def test_bounds(tmp_path: Path, changes: dict[str, object], error: type[Exception]) -> None:
    notes = UserState(tmp_path).of("local")
    with pytest.raises(error):
        notes.change("/logs", RUN, changes)
    assert notes.read("/logs") == {}


def test_so_many_runs_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_state, "MAX_RUNS", 2)
    notes = UserState(tmp_path).of("local")
    for run in "ab":
        notes.change("/logs", RunId(run), {"note": "x"})
    with pytest.raises(TooMuch):
        notes.change("/logs", RunId("c"), {"note": "x"})
    notes.change("/logs", RunId("a"), {"note": "y"})
    notes.change("/other", RunId("c"), {"note": "x"})


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    notes = UserState(tmp_path / "file").of("local")
    assert notes.read("/logs") == {}
    with pytest.raises(Refused, match="STEPSCOPE_DATA_DIR"):
        notes.change("/logs", RUN, {"note": "x"})


def test_a_damaged_file_costs_the_notes_and_not_the_page(tmp_path: Path) -> None:
    (tmp_path / "notes.sqlite3").write_bytes(b"not a database" * 100)
    notes = UserState(tmp_path).of("local")
    assert notes.read("/logs") == {}
    with pytest.raises(Refused):
        notes.change("/logs", RUN, {"note": "x"})


def test_it_is_in_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEPSCOPE_DATA_DIR", str(tmp_path / "mine"))
    UserState().of("local").change("/logs", RUN, {"note": "x"})
    assert (tmp_path / "mine" / "notes.sqlite3").exists()


def test_names_and_notes_are_shared_with_their_author(tmp_path: Path) -> None:
    state = UserState(tmp_path)
    ann, bob = state.of("ann"), state.of("bob")
    ann.change("/logs", RUN, {"note": "lr too high", "display_name": "baseline"})
    assert bob.read("/logs") == {RUN: RunState("baseline", "lr too high", author="ann")}
    bob.change("/logs", RUN, {"note": "no, the data"})
    assert ann.read("/logs")[RUN] == RunState("baseline", "no, the data", author="bob")


def test_colours_hidden_pinned_and_layouts_are_personal(tmp_path: Path) -> None:
    state = UserState(tmp_path)
    ann, bob = state.of("ann"), state.of("bob")
    ann.change("/logs", RUN, {"colour": "#123456", "hidden": True})
    bob.change("/logs", RUN, {"pinned": True})
    assert ann.read("/logs")[RUN] == RunState(colour="#123456", hidden=True)
    assert bob.read("/logs")[RUN] == RunState(pinned=True)
    ann.keep_layout("/logs", "one")
    assert (ann.read_layout("/logs"), bob.read_layout("/logs")) == ("one", None)


def test_marks_are_shared(tmp_path: Path) -> None:
    state = UserState(tmp_path)
    state.of("ann").mark_memory("/logs", "vram", "GB")
    assert state.of("bob").memory_marks("/logs") == {"vram": "GB"}


def test_a_link_to_a_folder_is_the_same_project(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "logs")
    notes = UserState(tmp_path / "data").of("local")
    notes.change(str(tmp_path / "link"), RUN, {"note": "n"})
    assert notes.read(str(tmp_path / "logs"))[RUN].note == "n"


def test_a_moved_folder_is_attached_to_its_project_again(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    state = UserState(tmp_path / "data")
    notes = state.of("local")
    notes.change(str(old), RUN, {"note": "n"})
    old.rename(new)
    assert notes.read(str(new)) == {}
    state.attach(str(new), state.project(str(old)))
    assert notes.read(str(new))[RUN].note == "n"
    assert UserState(tmp_path / "data").of("local").read(str(new))[RUN].note == "n"


def test_a_bucket_has_a_project_of_its_own(tmp_path: Path) -> None:
    notes = UserState(tmp_path).of("local")
    notes.change("gs://team/runs", RUN, {"note": "n"})
    assert (notes.read("gs://team/runs")[RUN].note, notes.read("gs://team/other")) == ("n", {})


def test_a_folder_whose_name_is_no_text_keeps_notes(tmp_path: Path) -> None:
    folder = os.fsdecode(b"/logs/\xff")
    notes = UserState(tmp_path).of("local")
    notes.change(folder, RUN, {"note": "n"})
    assert notes.read(folder)[RUN].note == "n"


def old_file(folder: Path) -> sqlite3.Connection:
    """A file that an older server wrote."""
    folder.mkdir(exist_ok=True)
    connection = sqlite3.connect(folder / "notes.sqlite3")
    connection.executescript(OLD_FILE.read_text())
    return connection


def test_an_older_file_is_brought_forward_whole(tmp_path: Path) -> None:
    old_file(tmp_path).close()
    notes = UserState(tmp_path).of("local")
    assert notes.read("/logs/mnist") == {
        RUN: RunState(None, NOTE_OF_OLD_FILE, "#1f77b4", pinned=True, author="local"),
        RunId("aaaaaaaaaaaa"): RunState("baseline", author="local"),
        RunId("bbbbbbbbbbbb"): RunState(hidden=True),
    }
    assert notes.read("/logs/other")[RUN].note == "elsewhere"
    assert notes.read_layout("/logs/mnist") == '{"categories":[]}'
    assert (notes.memory_marks("/logs/mnist"), notes.memory_marks("/logs/other")) == ({"torch/allocated": "GiB"}, {"vram": "MB"})
    tables = {name for (name,) in sqlite3.connect(tmp_path / "notes.sqlite3").execute("SELECT name FROM sqlite_master")}
    assert not tables & {"run_state", "layout", "memory_mark"}


def test_two_servers_bring_an_older_file_forward_at_once(tmp_path: Path) -> None:
    for attempt in range(5):
        folder = tmp_path / str(attempt)
        old_file(folder).close()
        start = threading.Barrier(4)
        found: list[str | None] = []

        def read(folder: Path = folder, start: threading.Barrier = start, found: list[str | None] = found) -> None:
            notes = UserState(folder).of("local")
            start.wait(60)
            found.append(notes.read("/logs/mnist")[RunId("aaaaaaaaaaaa")].display_name)

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == ["baseline"] * 4


def test_what_an_older_server_writes_later_is_taken_over_too(tmp_path: Path) -> None:
    UserState(tmp_path).of("local").change("/logs/mnist", RUN, {"note": "old", "display_name": "kept"})
    old_file(tmp_path).close()
    assert UserState(tmp_path).of("local").read("/logs/mnist")[RUN].display_name == "kept"
    assert UserState(tmp_path).of("local").read("/logs/mnist")[RUN].note != "old"


def test_of_a_link_and_its_target_nothing_is_lost(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "logs")
    connection = old_file(tmp_path / "data")
    rows = [(str(tmp_path / "logs"), "r", "name", None, None, 0, 0, 1.0), (str(tmp_path / "link"), "r", None, "note", None, 0, 1, 2.0)]
    with connection:
        connection.executemany("INSERT INTO run_state VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.close()
    state = UserState(tmp_path / "data").of("local").read(str(tmp_path / "logs"))[RunId("r")]
    assert state == RunState("name", "note", pinned=True, author="local")


def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    UserState(tmp_path).of("local").change("/logs", RUN, {"note": "x"})
    with sqlite3.connect(tmp_path / "notes.sqlite3") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    notes = UserState(tmp_path).of("local")
    assert notes.read("/logs") == {}
    with pytest.raises(Refused, match="newer version"):
        notes.change("/logs", RUN, {"note": "y"})
