"""What users type is kept across servers, bounded, and never created before it is needed."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from stepscope.model.errors import BadInput, Refused, TooMuch
from stepscope.model.identity import RunId
from stepscope.store import user_state
from stepscope.store.user_state import RunState, UserState

RUN = RunId("5f2a9c01b7d3")
VALUES = ("note", "name", True, True)


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


def test_servers_starting_and_writing_at_once_lose_nothing(tmp_path: Path) -> None:
    for attempt in range(10):
        folder = tmp_path / str(attempt)
        start = threading.Barrier(4)
        problems: list[Exception] = []

        def write(place: int, folder: Path = folder, start: threading.Barrier = start, problems: list[Exception] = problems) -> None:
            server = UserState(folder)
            start.wait(10)
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
        assert list(UserState(folder).read("/logs").values()) == [RunState("name", "note", None, hidden=True, pinned=True)] * 5


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


def test_it_is_in_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEPSCOPE_DATA_DIR", str(tmp_path / "mine"))
    UserState().change("/logs", RUN, {"note": "x"})
    assert (tmp_path / "mine" / "notes.sqlite3").exists()
