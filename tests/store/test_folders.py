"""Where Stepscope keeps its own files, also for a user without a home."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from stepscope.store.answer_cache import AnswerCache
from stepscope.store.checkpoint import Checkpoint
from stepscope.store.folders import cache_folder, data_folder
from stepscope.store.profile_cache import ProfileCache


@pytest.fixture(autouse=True)
def linux(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("STEPSCOPE_CACHE_DIR", "STEPSCOPE_DATA_DIR", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)


def test_own_variables_come_first_and_then_the_desktops(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert (cache_folder(), data_folder()) == (tmp_path / ".cache/stepscope", tmp_path / ".local/share/stepscope")
    monkeypatch.setenv("XDG_CACHE_HOME", "/c")
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert (cache_folder(), data_folder()) == (Path("/c/stepscope"), tmp_path / ".local/share/stepscope")
    monkeypatch.setenv("STEPSCOPE_CACHE_DIR", "/own")
    monkeypatch.setenv("STEPSCOPE_DATA_DIR", "/data")
    assert (cache_folder(), data_folder()) == (Path("/own"), Path("/data"))


def test_a_user_without_a_home_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    assert not cache_folder().parent.exists()
    assert not data_folder().parent.exists()


def test_a_home_that_is_no_folder_is_an_empty_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HOME", "/dev/null/home")
    recording = tmp_path / "trace.json"
    recording.write_text("{}")
    with caplog.at_level(logging.DEBUG):
        Checkpoint([("", str(tmp_path))]).open()
        assert ProfileCache("1").load(str(recording)) is None
        assert AnswerCache("1").load("question", {}) is None
    assert caplog.records == []
