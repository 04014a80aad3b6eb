"""Profiles in a log folder: which runs they belong to, that they appear and vanish, and that they cost no event file."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepscope.formats import all_formats
from stepscope.formats.format import RunFileFormat
from stepscope.formats.open_profile import find_sessions
from stepscope.ingest.loader import Root

Write = Callable[..., Path]


def put(folder: Path, name: str, content: bytes = b"") -> Path:
    """Writes a file that is called as profilers call theirs; its content is read only when somebody asks."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(content)
    return path


def sessions(one: Any) -> dict[str, list[tuple[str, list[str]]]]:
    """Sessions and their workers by run."""
    return {
        run.name: [(session.name, [file.worker for file in session.files]) for session in run.profiles]
        for run in one.library.snapshot.runs
        if run.profiles
    }


def test_a_session_belongs_to_the_run_above_plugins(follow: Any, logs: Path, write_run: Write) -> None:
    write_run("train")
    put(logs / "train/plugins/profile/s1", "a.xplane.pb")
    put(logs / "train/plugins/profile/s1", "b.xplane.pb")
    one = follow(interval=0)
    one.loader.load()
    assert sessions(one) == {"train": [("s1", ["a", "b"])]}
    assert one.runs() == {"train": 3}


def test_a_folder_with_a_profile_alone_is_a_run(follow: Any, logs: Path) -> None:
    put(logs / "only/plugins/profile/s1", "a.xplane.pb")
    put(logs / "torch", "worker0.1794770412963029757.pt.trace.json")
    one = follow(interval=0)
    one.loader.load()
    assert one.runs() == {"only": 0, "torch": 0}
    assert sessions(one) == {"only": [("s1", ["a"])], "torch": [("worker0.1794770412963029757", ["worker0"])]}


def test_a_session_folder_may_be_the_log_folder(follow: Any, logs: Path) -> None:
    folder = put(logs / "plugins/profile/s1", "a.xplane.pb").parent
    one = follow(Root("", str(folder)), interval=0)
    one.loader.load()
    assert sessions(one) == {".": [("s1", ["a"])]}


def test_a_candidate_that_is_no_profile_makes_no_run(follow: Any, logs: Path) -> None:
    put(logs / "config", "settings.json", b'{"learning_rate": 0.1}')
    one = follow(interval=0)
    one.loader.load()
    assert one.runs() == {}


@pytest.mark.parametrize("notified", [True, False])
def test_profiles_appear_and_vanish_live(
    notified: bool, follow: Any, logs: Path, write_run: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not notified:
        monkeypatch.setattr("stepscope.sources.local_folder.notifies", lambda _: False)
    write_run("train")
    one = follow(interval=60.0 if notified else 0.05).live()
    folder = put(logs / "train/plugins/profile/s1", "a.xplane.pb").parent
    one.wait(lambda: sessions(one) == {"train": [("s1", ["a"])]})
    assert any(change.runs_changed for change in one.changes)
    one.changes.clear()
    path = put(logs / "other", "worker0.1794770412963029757.pt.trace.json")
    one.wait(lambda: "other" in sessions(one))
    path.write_bytes(b"changed")
    one.wait(lambda: one.library.snapshot.by_id[run_of(one, "other")].profiles[0].files[0].size == 7)
    shutil.rmtree(folder)
    one.wait(lambda: "train" not in sessions(one))
    shutil.rmtree(path.parent)
    one.wait(lambda: set(one.runs()) == {"train"})


def run_of(one: Any, name: str) -> Any:
    return next(run.id for run in one.library.snapshot.runs if run.name == name)


def test_a_run_keeps_its_profiles_when_its_event_files_go(follow: Any, logs: Path, write_run: Write) -> None:
    path = write_run("train")
    put(logs / "train", "worker0.1794770412963029757.pt.trace.json")
    one = follow(interval=0)
    one.loader.load()
    path.unlink()
    one.loader.reload()
    assert one.runs() == {"train": 0}
    assert list(sessions(one)) == ["train"]


def test_the_page_and_the_verbs_find_the_same_sessions_behind_links(follow: Any, logs: Path, tmp_path: Path) -> None:
    put(tmp_path / "elsewhere/plugins/profile/s1", "a.xplane.pb")
    put(logs / "here/plugins/profile/s2", "a.xplane.pb")
    (logs / "linked").symlink_to(tmp_path / "elsewhere")
    (logs / "here" / "loop").symlink_to(logs)
    one = follow(interval=0)
    one.loader.load()
    assert sessions(one) == {"linked": [("s1", ["a"])], "here": [("s2", ["a"])]}
    assert {session.name for session in find_sessions(str(logs))} == {"s1", "s2"}


def test_a_new_kind_of_file_is_one_format(follow: Any, logs: Path, write_run: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = RunFileFormat("notes", "Notes", lambda name: name.endswith(".md"), lambda head, _: head.startswith(b"# "))
    monkeypatch.setattr(all_formats, "FORMATS", (*all_formats.FORMATS, notes))
    monkeypatch.setattr(all_formats, "RUN_FILE_FORMATS", (*all_formats.RUN_FILE_FORMATS, notes))
    write_run("train")
    path = put(logs / "train", "notes.md", b"# Second try")
    put(logs / "train", "other.md", b"no heading")
    put(logs / "alone", "notes.md", b"# Not trained yet")
    one = follow(interval=0)
    one.loader.load()

    def others() -> dict[str, list[tuple[str, str]]]:
        return {run.name: [(Path(file.path).name, file.format) for file in run.others] for run in one.library.snapshot.runs}

    assert others() == {"train": [("notes.md", "notes")], "alone": [("notes.md", "notes")]}
    path.unlink()
    shutil.rmtree(logs / "alone")
    one.loader.reload()
    assert others() == {"train": []}
