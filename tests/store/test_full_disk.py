"""A full disk under the cache or the notes: nothing unfinished stays, the message names the folder, and space that is freed is used."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from analyses.timeline import timeline
from event_bytes import scalars, write
from small_disk import small_disk
from stepscope.ingest import checkpointing
from stepscope.ingest.loader import Loader, Root
from stepscope.model.errors import Refused
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


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """128 kB, as both of our folders."""
    with small_disk(tmp_path / "small", 128) as place:
        monkeypatch.setenv("STEPSCOPE_CACHE_DIR", str(place / "cache"))
        monkeypatch.setenv("STEPSCOPE_DATA_DIR", str(place / "data"))
        yield place


def fill(disk: Path) -> Path:
    """Takes all the space that is left."""
    path = disk / "filling"
    with open(path, "wb", buffering=0) as file:
        while True:
            try:
                file.write(bytes(4096))
            except OSError:
                return path


def left_in(folder: Path) -> list[str]:
    """What there is beside locks."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.name != "lock")


def test_a_checkpoint_leaves_no_pack_behind(
    disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(checkpointing, "WORTH_SECONDS", -1.0)
    write(tmp_path / "logs" / "run" / "events.out.tfevents.1.x", scalars(b"loss", range(20_000)))

    def start_and_stop() -> None:
        loader = Loader(Library(), [Root("", str(tmp_path / "logs"))], reload_interval=0)
        loader.load()
        loader.stop()

    for _ in range(3):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            start_and_stop()
        (message,) = [record.getMessage() for record in caplog.records]
        assert str(disk / "cache") in message
        assert "events.out.tfevents" not in message
        assert left_in(disk / "cache") == []


def test_an_index_that_does_not_fit_leaves_what_there_was(disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpointing, "WORTH_SECONDS", -1.0)
    write(tmp_path / "logs" / "run" / "events.out.tfevents.1.x", scalars(b"loss", range(100)))

    def start_and_stop() -> None:
        loader = Loader(Library(), [Root("", str(tmp_path / "logs"))], reload_interval=0)
        loader.load()
        loader.stop()

    start_and_stop()
    before = left_in(disk / "cache")
    write(tmp_path / "logs" / "other" / "events.out.tfevents.1.x", scalars(b"loss", range(100)))
    filling = fill(disk)
    start_and_stop()
    assert left_in(disk / "cache") == before
    filling.unlink()
    start_and_stop()
    assert len(left_in(disk / "cache")) == len(before) + 1


def test_profiles_and_answers_leave_no_draft_behind(disk: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    recording = tmp_path / "trace.json"
    recording.write_text("{}")
    profiles, answers = ProfileCache("1"), AnswerCache("1")
    assert profiles.save(str(recording), identify(str(recording)), timeline(STEPS))
    before = left_in(disk / "cache")
    fill(disk)
    with caplog.at_level(logging.WARNING):
        assert not profiles.save(str(recording), identify(str(recording)), timeline(STEPS * 20))
        assert not answers.save("question", {}, "x" * 100_000)
    assert [str(disk / "cache") in record.getMessage() for record in caplog.records] == [True, True]
    assert left_in(disk / "cache") == before
    assert profiles.load(str(recording)) is not None
    assert np.array_equal(profiles.load(str(recording)).spans.start, timeline(STEPS).spans.start)  # type: ignore[union-attr]


def test_a_note_is_refused_with_the_folder_and_kept_when_there_is_room(disk: Path) -> None:
    state = UserState()
    run = RunId("run")
    state.change("project", "me", run, {"note": "first"})
    filling = fill(disk)
    with pytest.raises(Refused) as refused:
        state.change("project", "me", run, {"note": "x" * 20_000})
    assert str(disk / "data") in refused.value.message
    assert "rollback" not in refused.value.message
    filling.unlink()
    assert state.change("project", "me", run, {"note": "second"}).note == "second"
    assert UserState().read("project", "me")[run].note == "second"
    state.close()
