"""A piece of the trace is the same from the disk and from the profile, and one on the disk is answered before the profile is read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from analyses.timeline import timeline
from log_folder import LogFolder
from session.drawn_sessions import analysed
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile
from stepscope.session import kept_answers
from stepscope.session.kept_answers import KeptAnswers
from stepscope.session.reader import Reading, SessionReader
from stepscope.session.trace_tile import TILE, Tile, TileWanted, make_tile
from stepscope.store.answer_cache import AnswerCache

STEPS = """
    main   1111222233334444
    main   il..il..il..il..
    gpu 0    KK  KK  KK  KK
"""
WANTED = TileWanted(start_us=0, end_us=16_000, columns=100, tracks="0,1", lines=8)
LONG = 30.0


class NotedAnswers(KeptAnswers):
    """Says when an answer that was made in memory is on the disk."""

    def __init__(self, cache: AnswerCache) -> None:
        super().__init__(cache)
        self.noted = threading.Event()

    def keep(self, question: str, paths: Sequence[str], answer: msgspec.Struct, check: Callable[[], None]) -> None:
        super().keep(question, paths, answer, check)
        self.noted.set()


class Visit:
    """A reader of one profile that has just started, and a gate that holds its reading back."""

    def __init__(self, folder: LogFolder, cache: Path) -> None:
        self.read = 0
        self.gate = threading.Event()
        folder.library.profiles.use_reader(self._read)
        self.answers = NotedAnswers(AnswerCache("program", cache))
        self.reader = SessionReader(folder.library, self.answers)

    def _read(self, _: str) -> Profile:
        assert self.gate.wait(LONG)
        self.read += 1
        return timeline(STEPS)

    def ask(self, wait: float = LONG) -> Tile | Reading:
        return self.reader.ask_open(TILE, self.reader.sessions()[0], WANTED, wait)


def logs(path: Path) -> LogFolder:
    path.mkdir()
    (path / "a.1794770412963.pt.trace.json").write_text("{}")
    folder = LogFolder(path)
    folder.load()
    return folder


def test_it_is_the_same_from_the_disk() -> None:
    made = make_tile(analysed(timeline(STEPS)), WANTED)
    again = msgspec.json.decode(msgspec.json.encode(made), type=Tile)
    assert again == made
    (spans, *_) = again.tracks
    assert spans.of_spans()["count"].sum() + spans.hidden > 0


def test_one_on_the_disk_does_not_wait_for_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "WORTH_SECONDS", 0.0)
    first = Visit(logs(tmp_path / "first"), tmp_path / "cache")
    first.gate.set()
    made = first.ask()
    assert isinstance(made, Tile)

    folder = LogFolder(tmp_path / "first")
    folder.load()
    second = Visit(folder, tmp_path / "cache")
    assert second.ask() == made
    assert second.read == 0
    second.gate.set()
    assert second.reader.analysed(second.reader.sessions()[0].timed(), WANTED)  # opened meanwhile, or now
    assert second.ask() == made
    assert second.read == 1


def test_the_first_after_slow_reading_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of tracks has opened the profile, so the piece itself is quick; the next visit would read the profile for it."""
    monkeypatch.setattr(kept_answers, "WORTH_SECONDS", 0.0)
    first = Visit(logs(tmp_path / "first"), tmp_path / "cache")
    first.gate.set()
    first.reader.analysed(first.reader.sessions()[0].timed(), WANTED)
    made = first.ask()
    assert first.answers.noted.wait(LONG)

    folder = LogFolder(tmp_path / "first")
    folder.load()
    second = Visit(folder, tmp_path / "cache")
    assert second.ask() == made
    assert second.read == 0
    second.gate.set()


def test_without_one_on_the_disk_it_says_how_far_reading_is(tmp_path: Path) -> None:
    visit = Visit(logs(tmp_path / "logs"), tmp_path / "cache")
    assert isinstance(visit.ask(0.0), Reading)
    visit.gate.set()
    assert isinstance(visit.ask(), Tile)


def test_unknown_tracks_are_refused() -> None:
    with pytest.raises(BadInput):
        make_tile(analysed(timeline(STEPS)), msgspec.structs.replace(WANTED, tracks="77"))
