"""Where summaries go: default writers, their steps, threads, and what is said when there is none."""

from __future__ import annotations

import gc
import logging
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepscope import summary
from stepscope._native import EventFile, NamePool
from stepscope.summary import writers
from stepscope.writer.recording import calls


def test_writers_nest_and_steps_return(tmp_path: Path, read: Any) -> None:
    outer, inner = summary.create_file_writer(tmp_path / "outer"), summary.create_file_writer(tmp_path / "inner")
    with outer.as_default(step=10) as entered:
        assert entered is outer
        assert summary.scalar("a", 1.0) is True
        with inner.as_default(step=20):
            summary.scalar("a", 2.0)
        with inner.as_default():
            summary.scalar("a", 3.0)
        summary.scalar("a", 4.0, step=11)
    assert summary.experimental.get_step() is None
    outer.close()
    inner.close()
    assert (read(tmp_path / "outer")["a"].steps, read(tmp_path / "outer")["a"].values) == ([10, 11], [1.0, 4.0])
    assert (read(tmp_path / "inner")["a"].steps, read(tmp_path / "inner")["a"].values) == ([20, 10], [2.0, 3.0])


@pytest.mark.slow
def test_a_writer_can_be_set_for_good(tmp_path: Path, read: Any) -> None:
    summary.create_file_writer(str(tmp_path)).set_as_default(step=1)
    gc.collect()
    summary.create_file_writer(tmp_path / "another").close()
    summary.scalar("a", 1.0)
    summary.experimental.set_step(np.int64(5))
    summary.scalar("a", 2.0)
    summary.flush()
    assert read(tmp_path)["a"].steps == [1, 5]


def test_every_thread_has_a_default_of_its_own(tmp_path: Path) -> None:
    found: list[object] = []
    with summary.create_file_writer(tmp_path).as_default(step=1):
        thread = threading.Thread(target=lambda: found.extend([summary.experimental.get_step(), summary.should_record_summaries()]))
        thread.start()
        thread.join()
        assert summary.should_record_summaries() is True
    assert found == [None, False]


def test_without_a_writer_it_is_said_once_how_to_set_one(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(writers, "_warned", False)
    with caplog.at_level(logging.WARNING):
        assert summary.scalar("a", 1.0, 1) is False
        assert summary.histogram("a", [1.0], 1) is False
        assert summary.graph(b"") is False
    (said,) = caplog.messages
    assert "create_file_writer" in said
    assert "as_default" in said


def test_a_noop_writer_is_no_missing_writer(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(writers, "_warned", False)
    noop = summary.create_noop_writer()
    with caplog.at_level(logging.WARNING), noop.as_default(step=1):
        assert summary.scalar("a", 1.0) is False
    noop.init()
    noop.flush()
    noop.close()
    assert caplog.messages == []


def test_a_noop_writer_leaves_the_default_in_force(tmp_path: Path, read: Any) -> None:
    writer = summary.create_file_writer(tmp_path)
    with writer.as_default(), summary.create_noop_writer().as_default(step=9):
        assert summary.scalar("a", 1.0, step=1) is True
    writer.close()
    assert read(tmp_path)["a"].steps == [1]


@pytest.mark.parametrize("call", [lambda: summary.scalar("a", 1.0), lambda: summary.text("a", "b"), lambda: summary.log({"a": 1.0})])
def test_a_step_has_to_be_known(tmp_path: Path, call: Any) -> None:
    with summary.create_file_writer(tmp_path).as_default():
        with pytest.raises(ValueError, match="Give the summary a step: "):
            call()
        with summary.record_if(False):
            assert call() is False


def test_a_closed_writer_says_so(tmp_path: Path) -> None:
    writer = summary.create_file_writer(tmp_path)
    writer.init()
    writer.close()
    writer.close()
    writer.flush()
    with pytest.raises(RuntimeError, match="this one is closed"):
        writer.as_default()


def is_closed(folder: Path) -> bool:
    """Whether the run's file says that it came to its end."""
    (path,) = folder.iterdir()
    events = EventFile(str(path), NamePool())
    events.scan()
    return events.session_status == 2


@pytest.mark.slow
def test_writers_that_are_gone_are_closed_by_the_next(tmp_path: Path) -> None:
    gc.collect()
    folders = [tmp_path / str(index) for index in range(3)]
    for folder in folders:
        with summary.create_file_writer(folder).as_default():
            summary.scalar("a", 1.0, 1)
    gc.collect()
    assert not is_closed(folders[-1])
    summary.create_file_writer(tmp_path / "last").close()
    deadline = time.monotonic() + 60
    while not all(is_closed(folder) for folder in folders) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert all(is_closed(folder) for folder in folders)


def test_the_options_reach_the_file(tmp_path: Path) -> None:
    summary.create_file_writer(tmp_path, 5, 500, ".mine", "name").close()
    summary.create_file_writer(str(tmp_path / "default")).close()
    assert [path.suffix for path in tmp_path.glob("*tfevents*")] == [".mine"]
    assert [path.suffix for path in (tmp_path / "default").iterdir()] == [".v2"]


@pytest.mark.parametrize(("folder", "error"), [(None, ValueError), (3, TypeError)])
def test_a_folder_has_to_be_given(folder: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="Give create_file_writer the folder"):
        summary.create_file_writer(folder)


def test_only_a_writer_can_be_flushed(tmp_path: Path, read: Any) -> None:
    with pytest.raises(ValueError, match="Give flush a writer"):
        summary.flush("writer")
    writer = summary.create_file_writer(tmp_path)
    with writer.as_default():
        summary.scalar("a", 1.0, 1)
    summary.flush(writer)
    assert read(tmp_path)["a"].values == [1.0]


def test_an_error_leaves_no_writer_behind(tmp_path: Path) -> None:
    writer = summary.create_file_writer(tmp_path)
    with pytest.raises(KeyError), writer.as_default(step=1):
        raise KeyError
    assert calls.writer is None
    assert calls.step is None
