"""What the writer's tests share: reading a folder back, whole and with every checksum, through the native scanner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from stepscope._native import EventFile, NamePool

Point = tuple[int, float, float]


@dataclass
class Written:
    """What one event file holds."""

    path: Path
    points: dict[str, list[Point]] = field(default_factory=dict)
    skipped: int = 0
    pending: int = 0
    session: int = 0
    start_steps: list[int] = field(default_factory=list)
    version: bytes = b""
    writer: bytes = b""


ReadFile = Callable[[Path], Written]
ReadFiles = Callable[[Path], list[Written]]


def _read(path: Path) -> Written:
    """Every point of a file, by tag and in order."""
    names = NamePool()
    events = EventFile(str(path), names)
    events.scan()
    found = Written(
        path,
        skipped=events.skipped,
        pending=events.pending,
        session=events.session_status,
        start_steps=events.start_steps.tolist(),
        version=events.file_version,
        writer=events.writer,
    )
    for index, (tag, kind) in enumerate(zip(events.tag_ids(), events.kinds(), strict=True)):
        if kind == 0:
            step, wall, value = events.scalars(index)
            name = names.name(int(tag)).decode()
            found.points[name] = list(zip(step.tolist(), wall.tolist(), value.tolist(), strict=True))
    return found


@pytest.fixture(scope="session")
def read_file() -> ReadFile:
    """Reads one event file."""
    return _read


@pytest.fixture(scope="session")
def read_files() -> ReadFiles:
    """Reads the event files of a folder, oldest first."""

    def read(folder: Path) -> list[Written]:
        return [_read(path) for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_ctime_ns)]

    return read


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A folder to write into, which does not exist yet."""
    return tmp_path / "run"
