"""A library with its loader on a folder, stopped at the end, and short ways to look into it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import event_bytes as eb
from stepscope.ingest.loader import Loader, Root
from stepscope.sources import local_folder
from stepscope.store.library import Change, Library


class Followed:
    """One loader, its library and every change it published."""

    def __init__(self, roots: list[Root], interval: float) -> None:
        self.library = Library()
        self.loader = Loader(self.library, roots, reload_interval=interval, cache=False, threads=2)
        self.changes: list[Change] = []
        self.library.listen(self.changes.append)

    def runs(self) -> dict[str, int]:
        """Points of each run."""
        return {run.name: sum(file.events.points for file in run.files) for run in self.library.snapshot.runs}

    def tags(self, changes: list[Change]) -> dict[str, set[bytes]]:
        """Run and tag names of the series that these changes name."""
        by_id = {run.id: run.name for run in self.library.snapshot.runs}
        named: dict[str, set[bytes]] = {}
        for change in changes:
            for run, tags in change.series.items():
                named.setdefault(by_id.get(run, "gone"), set()).update(self.library.names.name(tag) for tag in tags)
        return named

    def wait(self, done: Callable[[], bool], seconds: float = 40) -> None:
        """Until something holds, or fails."""
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, (self.runs(), self.library.snapshot.progress)
            time.sleep(0.02)

    def _listens(self) -> bool:
        notifier = self.loader._notifier
        return notifier is not None and notifier.listening.is_set()

    def live(self) -> Followed:
        """Starts following and waits until the first load is done and notification listens."""
        self.loader.start()
        self.wait(lambda: self.library.snapshot.progress.state == "live")
        self.wait(self._listens)
        self.loader.reload()
        self.changes.clear()
        return self


@pytest.fixture
def follow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Followed]]:
    """Makes loaders on the test's folder (or on given roots) and stops them."""
    monkeypatch.setattr(local_folder, "IDLE_MS", 50)  # so that nobody waits long until it listens
    made: list[Followed] = []

    def make(*roots: Root, interval: float = 60.0) -> Followed:
        made.append(Followed(list(roots) or [Root("", str(tmp_path / "logs"))], interval))
        return made[-1]

    (tmp_path / "logs").mkdir()
    yield make
    for followed in made:
        followed.loader.stop()


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """The folder being followed."""
    return tmp_path / "logs"


@pytest.fixture
def write_run(logs: Path) -> Callable[..., Path]:
    """Writes a run of some steps of some tags and returns its file."""

    def write(name: str, steps: int = 3, tags: tuple[bytes, ...] = (b"loss",), wall: float = 1000.0) -> Path:
        records = [eb.scalar(tag, step, wall + step, step) for step in range(steps) for tag in tags]
        return eb.write(logs / name / f"events.out.tfevents.{int(wall)}", eb.version(wall), *records)

    return write


@pytest.fixture
def append() -> Callable[..., None]:
    """Appends records to a file, as a writer does."""

    def add(path: Path, *records: bytes) -> None:
        with path.open("ab") as writer:
            writer.write(b"".join(records))
            writer.flush()
            os.fsync(writer.fileno())

    return add
