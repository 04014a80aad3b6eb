"""New event files after so many bytes or seconds: each stands alone, and every point is in one of them, once."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import stepscope
from stepscope.writer import SummaryWriter, event_log

ReadFile = Callable[[Path], Any]


@pytest.fixture
def read(log: Path, read_file: ReadFile) -> Callable[[], list[Any]]:
    """The files of the folder in the order of their names, which is TensorBoard's."""
    return lambda: [read_file(path) for path in sorted(log.iterdir())]


def steps(files: list[Any], tag: str = "a") -> list[int]:
    return [point[0] for written in files for point in written.points.get(tag, [])]


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_file_is_followed_when_it_is_large(log: Path, read: Callable[[], list[Any]], precision: Any) -> None:
    with SummaryWriter(log, purge_step=3, precision=precision, max_file_bytes=50_000) as writer:
        for step in range(10_000):
            writer.add_scalar("a", step, step)
    files = read()
    assert len(files) >= 7
    assert steps(files) == list(range(10_000))
    sizes = [written.path.stat().st_size for written in files]
    assert all(50_000 <= size < 50_200 for size in sizes[:-1])
    assert {(written.version, written.skipped, written.pending) for written in files} == {(b"brain.Event:2", 0, 0)}
    assert [written.writer for written in files] == [b"stepscope.writer"] + [b"stepscope.writer, continued"] * (len(files) - 1)
    assert [written.start_steps for written in files] == [[3], *[[]] * (len(files) - 1)]
    assert [written.session == 2 for written in files] == [*[False] * (len(files) - 1), True]


def test_a_file_is_followed_when_it_is_old_and_there_is_more(
    log: Path, read: Callable[[], list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = 0.0
    clock = SimpleNamespace(time=time.time, monotonic=lambda: time.monotonic() + passed)
    monkeypatch.setattr(event_log, "time", clock)
    with SummaryWriter(log, max_file_age=3600) as writer:
        writer.add_scalar("a", 1.0, 0)
        writer.flush()
        passed += 3601
        writer.flush()
        assert len(read()) == 1, "nothing to write is no reason for a file"
        for step in (1, 2):
            writer.add_scalar("a", 1.0, step)
            writer.flush()
    assert [steps([written]) for written in read()] == [[0], [1, 2]]


def test_arrays_follow_into_new_files(log: Path, read_file: ReadFile) -> None:
    with SummaryWriter(log, max_file_bytes=20_000) as writer:
        for step in range(100):
            writer.add_histogram("h", np.arange(50.0), step)
            writer.add_scalar("a", step, step)
    files = [read_file(path) for path in sorted(log.iterdir())]
    assert len(files) > 3
    assert steps(files) == list(range(100))
    assert sum(written.path.read_bytes().count(b"\x0a\x01h") for written in files) == 100


def test_rotated_lines_of_add_scalars(log: Path, read_file: ReadFile) -> None:
    with SummaryWriter(log, max_file_bytes=1000) as writer:
        for step in range(100):
            writer.add_scalars("loss", {"a": step}, step)
    files = [read_file(path) for path in sorted((log / "loss_a").iterdir())]
    assert len(files) > 3
    assert steps(files, "loss") == list(range(100))


@pytest.mark.parametrize("options", [{"max_file_bytes": 0}, {"max_file_age": 0}, {"max_file_age": float("nan")}])
def test_wrong_options_are_refused(log: Path, options: Any) -> None:
    with pytest.raises(ValueError, match="Give max_file"):
        SummaryWriter(log, **options)
    assert not log.exists()


def test_inspect_counts_every_point_once(log: Path, verbs: Callable[..., Any]) -> None:
    with SummaryWriter(log, max_file_bytes=5000) as writer:
        for step in range(1000):
            writer.add_scalar("loss", step, step)
    said = verbs("inspect", "--no-cache", "--tag", "loss", log).stdout
    assert "1,000" in said or "1000" in said
    assert "superseded" not in said


def test_a_new_file_is_no_restart_whatever_its_first_step(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run", max_file_bytes=2000) as writer:
        for number in range(1000):
            writer.add_scalar("no step", number)
            writer.add_scalar("late", number, number ^ 1)
    (tmp_path / "again").mkdir()
    shutil.copytree(tmp_path / "run", tmp_path / "again", dirs_exist_ok=True)
    with SummaryWriter(tmp_path / "again") as writer:
        writer.add_scalar("late", 0.5, 900)
    runs = stepscope.open(tmp_path).runs
    assert len(runs["run"].scalars("no step").value) == 1000
    assert runs["run"].scalars("late").step.tolist() == list(range(1000))
    assert runs["again"].scalars("late").step.tolist() == list(range(901)), "a new writer is one"


def test_records_that_were_torn_off_go_whole_into_the_next_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = b"\x04" + b"\0" * 11 + b"body" + b"\0" * 4
    file = event_log.EventLog(str(tmp_path), "", lambda _: record)
    file.write()
    file.add(record * 3, 3)
    real = event_log.os.write
    monkeypatch.setattr(event_log.os, "write", lambda handle, data: real(handle, data[:27]) if len(data) > 40 else refuse())
    with pytest.raises(OSError, match="no more"):
        file.write()
    assert file.waiting == 33
    Path(file.path).unlink()
    assert file.is_gone()
    assert file.abandon() == 0
    assert (file.waiting, file.waiting_points) == (40, 3)
    monkeypatch.undo()
    file.write()
    file.close()
    (path,) = tmp_path.iterdir()
    assert path.read_bytes() == record * 3


def refuse() -> int:
    raise OSError("no more")
