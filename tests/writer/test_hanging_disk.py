"""A disk that hangs: no call of the training touches it, or waits for a thread that does for longer than the stated bound."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from child_environment import with_sources
from stepscope.run_folders import naming, new_run
from stepscope.writer import SummaryWriter, event_stream
from stepscope.writer.background import is_background
from stepscope.writer.bell import Bell

ReadFile = Callable[[Path], Any]

# What programs and the writer ask of a file system by path.
ASKED = ("open", "mkdir", "makedirs", "stat", "lstat", "listdir", "scandir", "rename", "replace", "unlink", "rmdir", "access")


class Disk:
    """A file system below a folder that hangs until told to work; a fake at the outermost boundary."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = os.fspath(folder)
        self._works = threading.Event()
        self.asked_by_training: list[str] = []
        for name in ASKED:
            monkeypatch.setattr(os, name, self._hanging(name, getattr(os, name)))

    def _hanging(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def ask(*arguments: Any, **options: Any) -> Any:
            path = arguments[0] if arguments else "."
            if isinstance(path, str | os.PathLike) and os.fspath(path).startswith(self._folder):
                if is_background():
                    self._works.wait(60)
                elif not self._works.is_set():
                    self.asked_by_training.append(f"{name} {path}")
            return real(*arguments, **options)

        return ask

    def work(self) -> None:
        self._works.set()


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    folder = tmp_path / "hangs"
    folder.mkdir()
    disk = Disk(folder, monkeypatch)
    yield disk
    disk.work()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long calls of the training were ready to wait."""
    found: list[float] = []
    wait = Bell.wait

    def noted(self: Bell, condition: Callable[[], bool], seconds: float | None = None) -> bool:
        if not is_background():
            found.append(float("inf") if seconds is None else seconds)
        return wait(self, condition, seconds)

    monkeypatch.setattr(Bell, "wait", noted)
    return found


def load_all(folder: Path) -> None:
    """Loads the parts of the writer, as a training has that logs for a while: loading reads another disk."""
    with SummaryWriter(folder) as writer:
        writer.add_text("a", "b")
        writer.add_histogram("a", np.ones(3))
        writer.add_hparams({"a": 1}, {"b": 2})
        writer.add_embedding(np.ones((2, 2)))


def test_no_call_touches_the_disk(tmp_path: Path, disk: Disk, waits: list[float], read_file: ReadFile) -> None:
    load_all(tmp_path / "works")
    top = tmp_path / "hangs" / "run"
    waits.clear()
    writer = SummaryWriter(top)
    assert waits == [0.1], "the file is waited for, shortly"
    for step in range(10):
        writer.add_scalar("a", step, step)
        writer.add_text("t", "text", step)
        writer.add_histogram("h", np.ones(3), step)
        writer.add_scalars("lines", {f"key{number}": step for number in range(5)}, step)
    writer.add_embedding(np.ones((2, 2)), tag="vectors")
    assert waits == [0.1]
    writer.add_hparams({"lr": 0.1}, {"loss": 0.5}, run_name="trial")
    assert waits == [0.1, pytest.approx(0.1, abs=0.01)]
    assert disk.asked_by_training == []
    assert not top.exists()
    disk.work()
    writer.flush()
    (own,) = top.glob("*tfevents*")
    assert [point[0] for point in read_file(own).points["a"]] == list(range(10))
    (trial,) = (top / "trial").iterdir()
    assert (read_file(trial).session, list(read_file(trial).points)) == (2, ["loss"]), "flush waits for hyperparameters as well"
    for number in range(5):
        (line,) = (top / f"lines_key{number}").iterdir()
        assert len(read_file(line).points["lines"]) == 10
    assert (top / "00000" / "vectors" / "tensors.tsv").exists()
    writer.close()


def test_a_new_run_gets_a_folder_of_its_own(
    tmp_path: Path, disk: Disk, waits: list[float], monkeypatch: pytest.MonkeyPatch, read_file: ReadFile
) -> None:
    monkeypatch.setattr(naming, "LONGEST_WAIT_SECONDS", 0.15)
    logs = tmp_path / "hangs" / "logs"
    runs = [new_run(logs, lr=0.5) for _ in range(2)]
    for number, run in enumerate(runs):
        run.train.add_scalar("loss", number, 1)
    assert max(waits) == 0.15
    assert disk.asked_by_training == []
    disk.work()
    for run in runs:
        run.close()
    found = {run.name: [read_file(path).points for path in Path(run.log_dir, "train").iterdir()] for run in runs}
    assert len(found) == 2
    assert [points["loss"][0][2] for (points,) in found.values()] == [0.0, 1.0]


def test_what_the_disk_refuses_is_said_by_the_call_that_makes_the_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(event_stream, "LONGEST_BLOCK_SECONDS", 60.0)
    monkeypatch.setattr("stepscope.writer.summary_writer.LONGEST_BLOCK_SECONDS", 60.0)  # so that a busy machine answers in time
    (tmp_path / "taken").write_text("a file where the folder should be")
    writer = SummaryWriter(tmp_path / "taken")
    (record,) = caplog.records
    assert str(tmp_path / "taken") in record.getMessage()
    writer.close()


@pytest.fixture
def real_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, which can be frozen."""
    if shutil.which("fsfreeze") is None or shutil.which("mkfs.ext4") is None:
        pytest.skip("needs fsfreeze and ext4")
    image, place = tmp_path / "image", tmp_path / "frozen"
    image.write_bytes(bytes(16 << 20))
    place.mkdir()
    made = subprocess.run(["mkfs.ext4", "-q", str(image)], capture_output=True, check=False)
    mounted = made.returncode == 0 and subprocess.run(["mount", "-o", "loop", str(image), str(place)], capture_output=True, check=False)
    if not mounted or mounted.returncode != 0:
        pytest.skip("needs the right to mount a file system")
    yield place
    subprocess.run(["fsfreeze", "--unfreeze", str(place)], capture_output=True, check=False)
    subprocess.run(["umount", "--lazy", str(place)], check=True)


LOGGING = """
import sys, numpy as np
from stepscope import new_run
from stepscope.writer import SummaryWriter
open_before = SummaryWriter(f"{sys.argv[1]}/before")
open_before.add_histogram("h", np.ones(3), 0)
open_before.add_text("t", "text", 0)
open_before.flush()
print("open", flush=True)
sys.stdin.readline()
writer = SummaryWriter(f"{sys.argv[1]}/run")
for each in (open_before, writer):
    for step in range(100):
        each.add_scalar("a", step, step)
    each.add_scalars("lines", {"x": 1.0, "y": 2.0}, 1)
    each.add_hparams({"lr": 0.1}, {"loss": 0.5}, run_name="trial")
    each.add_histogram("h", np.ones(3), 1)
run = new_run(f"{sys.argv[1]}/runs", lr=0.5)
run.train.add_scalar("a", 1.0, 1)
print("logged", flush=True)
sys.stdin.readline()
for each in (open_before, writer, run):
    each.close()
"""


def test_a_frozen_file_system(real_disk: Path, read_file: ReadFile) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", LOGGING, str(real_disk)],
        env=with_sources(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    thaw = threading.Timer(60, lambda: subprocess.run(["fsfreeze", "--unfreeze", str(real_disk)], capture_output=True, check=False))
    subprocess.run(["fsfreeze", "--freeze", str(real_disk)], check=True)
    thaw.start()
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "logged\n"
    assert thaw.is_alive(), "the calls returned only when the disk worked again"
    thaw.cancel()
    subprocess.run(["fsfreeze", "--unfreeze", str(real_disk)], check=True)
    _, errors = process.communicate("\n", timeout=100)
    assert (process.returncode, errors) == (0, "")
    for top in (real_disk / "before", real_disk / "run"):
        (own,) = top.glob("*tfevents*")
        assert [point[0] for point in read_file(own).points["a"]] == list(range(100))
        assert {path.name for path in top.iterdir() if path.is_dir()} == {"lines_x", "lines_y", "trial"}
    assert [read_file(path).session for path in (real_disk / "runs").glob("*/train/*")] == [2]
