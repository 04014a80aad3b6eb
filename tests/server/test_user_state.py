"""What users type is kept across servers, bounded, and never created before it is needed."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from stepscope.model.errors import BadInput, Refused, TooMuch
from stepscope.model.identity import RunId
from stepscope.store import user_state
from stepscope.store.user_state import RunState, UserState, data_folder

RUN = RunId("5f2a9c01b7d3")


def test_nothing_is_made_before_something_is_kept(tmp_path: Path) -> None:
    notes = UserState(tmp_path / "data")
    assert notes.read("/logs") == {}
    assert not (tmp_path / "data").exists()


def test_fields_change_one_by_one_and_clear(tmp_path: Path) -> None:
    notes = UserState(tmp_path)
    notes.change("/logs", RUN, {"note": "n", "hidden": True})
    assert notes.change("/logs", RUN, {"display_name": "d"}) == RunState("d", "n", None, hidden=True)
    assert notes.change("/logs", RUN, {"note": None, "hidden": False}) == RunState("d")
    assert notes.read("/logs") == {RUN: RunState("d")}
    assert notes.read("/other") == {}


def test_another_server_sees_it(tmp_path: Path) -> None:
    one, two = UserState(tmp_path), UserState(tmp_path)
    one.change("/logs", RUN, {"note": "from one"})
    assert two.read("/logs")[RUN].note == "from one"
    two.change("/logs", RUN, {"colour": "#123456"})
    assert one.read("/logs")[RUN] == RunState(None, "from one", "#123456")


def test_two_servers_writing_at_once_lose_nothing(tmp_path: Path) -> None:
    servers = [UserState(tmp_path), UserState(tmp_path)]

    def write(place: int) -> None:
        for run in range(50):
            servers[place].change("/logs", RunId(f"{run:012x}"), {("note", "display_name")[place]: f"{place}"})

    threads = [threading.Thread(target=write, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(servers[0].read("/logs").values()) == {RunState("1", "0")}


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
    ],
)
def test_bounds(tmp_path: Path, changes: dict[str, object], error: type[Exception]) -> None:
    notes = UserState(tmp_path)
    with pytest.raises(error):
        notes.change("/logs", RUN, changes)
    assert notes.read("/logs") == {}


def test_so_many_runs_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_state, "MAX_RUNS", 2)
    notes = UserState(tmp_path)
    for run in "ab":
        notes.change("/logs", RunId(run), {"note": "x"})
    with pytest.raises(TooMuch):
        notes.change("/logs", RunId("c"), {"note": "x"})
    notes.change("/logs", RunId("a"), {"note": "y"})
    notes.change("/other", RunId("c"), {"note": "x"})


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    notes = UserState(tmp_path / "file")
    assert notes.read("/logs") == {}
    with pytest.raises(Refused, match="STEPSCOPE_DATA_DIR"):
        notes.change("/logs", RUN, {"note": "x"})


def test_a_damaged_file_costs_the_notes_and_not_the_page(tmp_path: Path) -> None:
    (tmp_path / "notes.sqlite3").write_bytes(b"not a database" * 100)
    notes = UserState(tmp_path)
    assert notes.read("/logs") == {}
    with pytest.raises(Refused):
        notes.change("/logs", RUN, {"note": "x"})


def test_where_the_data_folder_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEPSCOPE_DATA_DIR", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.delenv("STEPSCOPE_DATA_DIR")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr("sys.platform", "linux")
    assert data_folder() == tmp_path / "xdg" / "stepscope"
    monkeypatch.setattr("sys.platform", "darwin")
    assert data_folder().parts[-3:] == ("Library", "Application Support", "stepscope")
