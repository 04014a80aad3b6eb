"""The cache of answers: told again while files and program are the same, and never when anything of them is another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec import Struct

from stepscope.session import kept_answers
from stepscope.session.kept_answers import KeptAnswers
from stepscope.store.answer_cache import AnswerCache
from stepscope.store.profile_cache import identify


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, which keeps every answer however quickly it was made."""
    monkeypatch.setenv("STEPSCOPE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(kept_answers, "WORTH_SECONDS", -1.0)
    return tmp_path / "cache" / "answers"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "recording"
    path.write_bytes(b"what was recorded")
    return path


class Said(Struct):
    """An answer."""

    text: str


class Asked:
    """Answers, and counts how often it had to."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> Said:
        self.times += 1
        return Said(f"answer {self.times}\n€")


def ask(asked: Asked, *paths: Path, question: str = "report") -> str:
    """As a new process would."""
    return KeptAnswers().answer(question, [str(path) for path in paths], Said, asked).text


def test_an_answer_is_worked_out_once(recording: Path) -> None:
    asked = Asked()
    assert ask(asked, recording) == ask(asked, recording) == "answer 1\n€"
    assert asked.times == 1


def test_another_question_or_file_has_another_answer(recording: Path, tmp_path: Path) -> None:
    asked = Asked()
    other = tmp_path / "other"
    other.write_bytes(recording.read_bytes())
    answers = [ask(asked, recording), ask(asked, recording, question="ops"), ask(asked, other), ask(asked, recording, other)]
    assert len(set(answers)) == 4


def test_a_file_that_changed_is_asked_about_again(recording: Path) -> None:
    asked = Asked()
    ask(asked, recording)
    state = recording.stat()
    recording.write_bytes(b"what was recordeD")
    os.utime(recording, ns=(state.st_atime_ns, state.st_mtime_ns))  # same size, same time: the content tells
    ask(asked, recording)
    assert asked.times == 2


def test_a_file_that_comes_or_goes_counts(recording: Path, tmp_path: Path) -> None:
    asked = Asked()
    settings = tmp_path / "devices.toml"
    ask(asked, recording, settings)
    assert ask(asked, recording, settings) == "answer 1\n€"
    settings.write_text("more")
    ask(asked, recording, settings)
    settings.unlink()
    ask(asked, recording, settings)
    assert asked.times == 3


def test_a_file_that_changes_while_it_is_asked_about_is_not_kept(recording: Path, cache: Path) -> None:
    def make() -> Said:
        recording.write_bytes(b"something else")
        return Said("old")

    KeptAnswers().answer("report", [str(recording)], Said, make)
    assert not cache.exists()


def test_another_program_answers_itself(recording: Path, tmp_path: Path) -> None:
    files = {str(recording): identify(str(recording))}
    assert AnswerCache("one", tmp_path).save("report", files, "text")
    assert AnswerCache("one", tmp_path).load("report", files) == "text"
    assert AnswerCache("two", tmp_path).load("report", files) is None


@pytest.mark.parametrize("damage", [b"", b"x", b"stepscope answer 1\n", b"stepscope answer 1\n0000garbage"])
def test_damage_only_costs_another_answer(recording: Path, cache: Path, damage: bytes) -> None:
    asked = Asked()
    ask(asked, recording)
    (kept,) = [path for path in cache.iterdir() if path.name != "lock"]
    kept.write_bytes(damage)
    assert ask(asked, recording) == "answer 2\n€"


def test_a_quick_answer_is_not_kept(recording: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "WORTH_SECONDS", 60.0)
    ask(Asked(), recording)
    assert not cache.exists()


def test_old_answers_make_room(recording: Path, tmp_path: Path) -> None:
    kept = AnswerCache("program", tmp_path, limit_bytes=5_000)
    files = {str(recording): identify(str(recording))}
    for number in range(8):
        kept.save(f"question {number}", files, "x" * 1_500)
        place = max((tmp_path / "answers").iterdir(), key=lambda path: path.stat().st_mtime_ns)
        os.utime(place, (number, number))
    found = [number for number in range(8) if kept.load(f"question {number}", files) is not None]
    assert found
    assert found[-1] == 7
    assert len(found) < 4
