"""The cache and the notes are for their owner alone, whatever the umask, and those of earlier versions become so when opened."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyses.timeline import timeline
from event_bytes import scalars, write
from stepscope.ingest import checkpointing
from stepscope.ingest.loader import Loader, Root
from stepscope.model.identity import RunId
from stepscope.store.answer_cache import AnswerCache
from stepscope.store.library import Library
from stepscope.store.profile_cache import ProfileCache, identify
from stepscope.store.user_state import UserState

STEPS = """
    main   11112222
    main   il..il..
    gpu 0    KK  KK
"""


@pytest.fixture(autouse=True, params=[0o022, 0o000], ids=["umask 022", "umask 000"])
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of its own, where new files are open to others."""
    for name in ("STEPSCOPE_CACHE_DIR", "STEPSCOPE_DATA_DIR", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(checkpointing, "WORTH_SECONDS", -1.0)
    before = os.umask(request.param)
    (tmp_path / "home").mkdir()
    yield tmp_path / "home"
    os.umask(before)


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def use_everything(folder: Path) -> None:
    """Writes and reads a checkpoint, a profile, an answer and a note."""
    write(folder / "logs" / "run" / "events.out.tfevents.1.x", scalars(b"loss", range(100)))
    recording = folder / "trace.json"
    recording.write_text("{}")
    read_everything(folder)
    loader = Loader(Library(), [Root("", str(folder / "logs"))], reload_interval=0)
    loader.load()
    loader.stop()
    assert ProfileCache("1").save(str(recording), identify(str(recording)), timeline(STEPS))
    assert AnswerCache("1").save("question", {}, "answer")
    state = UserState()
    state.change("project", "me", RunId("run"), {"note": "mine"})
    state.close()


def read_everything(folder: Path) -> None:
    Loader(Library(), [Root("", str(folder / "logs"))], reload_interval=0).load()
    ProfileCache("1").load(str(folder / "trace.json"))
    AnswerCache("1").load("question", {})
    state = UserState()
    state.read("project", "me")
    state.close()


def open_to_others(home: Path) -> list[str]:
    """Folders and files of ours that somebody else can reach and open."""
    found: list[str] = []
    for top in (home / ".cache" / "stepscope", home / ".local" / "share" / "stepscope"):
        found += [str(path.relative_to(home)) for path in (top, *top.rglob("*")) if rights(path) & 0o077]
    return found


def test_new_folders_and_files_are_closed(home: Path, tmp_path: Path) -> None:
    use_everything(tmp_path)
    assert open_to_others(home) == []
    assert len(list(home.rglob("*"))) > 10


def test_those_of_earlier_versions_are_closed_when_they_are_opened(home: Path, tmp_path: Path) -> None:
    use_everything(tmp_path)
    tops = (home / ".cache" / "stepscope", home / ".local" / "share" / "stepscope")
    for top in tops:
        for path in (top, *top.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
    read_everything(tmp_path)
    assert [rights(top) for top in tops] == [0o700, 0o700]
    assert rights(tops[1] / "notes.sqlite3") == 0o600
    (saved,) = (path for path in (tops[0] / "profiles").iterdir() if path.name != "lock")
    assert rights(saved) == 0o600


def test_a_folder_that_the_user_chose_stays_as_it_is(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = tmp_path / "chosen"
    chosen.mkdir(mode=0o755)
    chosen.chmod(0o755)
    monkeypatch.setenv("STEPSCOPE_CACHE_DIR", str(chosen))
    monkeypatch.setenv("STEPSCOPE_DATA_DIR", str(chosen))
    use_everything(tmp_path)
    assert rights(chosen) == 0o755
    assert [str(path) for path in chosen.rglob("*") if rights(path) & 0o077] == []
    assert list(home.iterdir()) == []
