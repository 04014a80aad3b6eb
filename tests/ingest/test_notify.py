"""Notification of changes: which folders are watched, when it listens, and sources that cannot watch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from stepscope.ingest import notify
from stepscope.ingest.notify import Notifier


class Watched:
    """A source that tells what a test says, when the test says so."""

    def __init__(self, *, able: bool = True, fails: bool = False) -> None:
        self.able, self.fails = able, fails
        self.told: Callable[[set[str]], None] | None = None
        self.folders: Sequence[str] = ()
        self.ready = threading.Event()

    def can_watch(self, path: str) -> bool:
        return self.able

    def watch(self, folders: Sequence[str], tell: Callable[[set[str]], None], stop: threading.Event) -> None:
        if self.fails:
            self.ready.set()
            raise OSError("too many folders")
        self.told, self.folders = tell, folders
        self.ready.set()
        stop.wait()


def notifier(monkeypatch: pytest.MonkeyPatch, source: Watched, *paths: str) -> tuple[Notifier, list[set[str]]]:
    heard: list[set[str]] = []
    monkeypatch.setattr(notify, "source_of", lambda path: source)
    return Notifier(paths, heard.append), heard


def test_the_first_word_is_about_every_folder_and_then_of_what_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Watched()
    made, heard = notifier(monkeypatch, source, "/a", "/b")
    made.start()
    assert source.ready.wait(60)
    assert source.told is not None
    assert (list(source.folders), made.complete, made.listening.is_set()) == (["/a", "/b"], True, False)
    source.told(set())
    assert (heard, made.listening.is_set()) == ([{"/a", "/b"}], True)
    source.told({"/a/run"})
    source.told(set())
    assert heard == [{"/a", "/b"}, {"/a/run"}]
    made.stop()


def test_a_source_that_cannot_watch_is_polled(monkeypatch: pytest.MonkeyPatch) -> None:
    made, _ = notifier(monkeypatch, Watched(able=False), "/a")
    assert (made.complete, made.listening.is_set()) == (False, True)


def test_a_system_that_has_no_more_watches_is_polled(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Watched(fails=True)
    made, heard = notifier(monkeypatch, source, "/a")
    made.start()
    assert source.ready.wait(60)
    for thread in made._threads:
        thread.join(60)
    assert (made.complete, heard) == (False, [])


def test_a_folder_that_was_made_anew_has_to_be_watched_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    made, _ = notifier(monkeypatch, Watched(), str(folder))
    assert not made.outdated()
    folder.mkdir()
    assert made.outdated()
