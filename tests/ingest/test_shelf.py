"""The loader's books: which files have something new, what changed since the last publication, and names of runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import event_bytes as eb
from stepscope._native import NamePool
from stepscope.formats.run_files import open_events
from stepscope.ingest.shelf import Root, Shelf, readable, run_name
from stepscope.sources.source import FoundFile


def found(path: Path) -> FoundFile:
    info = path.stat()
    return FoundFile(str(path), info.st_size, info.st_mtime, info.st_ino)


@pytest.fixture
def shelf() -> Shelf:
    names = NamePool()
    return Shelf(names, lambda file: open_events(file.path, names))


def test_runs_are_named_by_their_path_below_the_root() -> None:
    only, named = Root("", "/logs"), Root("mine", "/logs")
    assert [run_name(only, path) for path in ("/logs", "/logs/a", f"/logs/a{os.sep}b")] == [".", "a", "a/b"]
    assert [run_name(named, path) for path in ("/logs", "/logs/a")] == ["mine", "mine/a"]
    assert readable(os.fsdecode(b"caf\xe9")) == "caf\\xe9"


def test_a_file_is_due_when_it_is_new_or_changed(shelf: Shelf, tmp_path: Path) -> None:
    root, path = Root("", str(tmp_path)), eb.write(tmp_path / "a" / "events.out.tfevents.1", eb.version(1.0))
    folder = str(path.parent)
    first = shelf.take_folder(root, folder, [found(path)])
    assert [record.path for record in first] == [str(path)]
    assert shelf.take_folder(root, folder, [found(path)]) == []
    with path.open("ab") as file:
        file.write(eb.scalar(b"loss", 0, 1.0, 1.0))
    assert shelf.take_folder(root, folder, [found(path)]) == first


def test_records_are_made_once_for_each_change(shelf: Shelf, tmp_path: Path) -> None:
    root, path = Root("", str(tmp_path)), eb.write(tmp_path / "a" / "events.out.tfevents.1", eb.version(1.0))
    shelf.take_folder(root, str(path.parent), [found(path)])
    records = shelf.refresh_records()
    assert records is not None
    assert [(record.name, [file.path for file in record.files]) for record in records] == [("a", [str(path)])]
    shelf.list_changed = False
    assert shelf.refresh_records() is None


def test_a_run_without_files_is_dropped(shelf: Shelf, tmp_path: Path) -> None:
    root, path = Root("", str(tmp_path)), eb.write(tmp_path / "a" / "events.out.tfevents.1", eb.version(1.0))
    shelf.take_folder(root, str(path.parent), [found(path)])
    shelf.refresh_records()
    assert shelf.take_folder(root, str(path.parent), []) == []
    assert (shelf.runs, shelf.refresh_records()) == ({}, ())
    assert shelf.take_folder(root, str(tmp_path / "empty"), []) == []


def test_what_a_walk_did_not_meet_goes_unless_it_could_not_look(shelf: Shelf, tmp_path: Path) -> None:
    root = Root("", str(tmp_path))
    for name in ("a", "b/c"):
        path = eb.write(tmp_path / name / "events.out.tfevents.1", eb.version(1.0))
        shelf.take_folder(root, str(path.parent), [found(path)])
    shelf.drop_missing(root, set(), [str(tmp_path / "b")])
    assert [run.name for run in shelf.runs.values()] == ["b/c"]
    shelf.drop_missing(Root("other", "/elsewhere"), set(), [])
    assert [run.name for run in shelf.runs.values()] == ["b/c"]
    shelf.drop_missing(root, set(), [])
    assert shelf.runs == {}


def test_a_folder_behind_a_link_is_known_by_its_own_path(shelf: Shelf, tmp_path: Path) -> None:
    path = eb.write(tmp_path / "a" / "events.out.tfevents.1", eb.version(1.0))
    shelf.take_folder(Root("", str(tmp_path)), str(path.parent), [found(path)])
    (tmp_path / "link").symlink_to(path.parent)
    assert shelf.known_as(str(tmp_path / "link")) == str(path.parent)
    assert shelf.known_as(str(tmp_path)) == str(tmp_path)
    assert shelf.folders_below(str(tmp_path)) == {str(path.parent)}
