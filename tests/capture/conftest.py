"""What the tests of the monitor share: reading all scalars of a folder back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stepscope._native import EventFile, NamePool

Points = dict[str, list[tuple[int, float, float]]]


def _points(folder: Path) -> Points:
    found: Points = {}
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        names = NamePool()
        events = EventFile(str(path), names)
        events.scan()
        for index, (tag, kind) in enumerate(zip(events.tag_ids(), events.kinds(), strict=True)):
            if kind == 0:
                columns = [column.tolist() for column in events.scalars(index)]
                found.setdefault(names.name(int(tag)).decode(), []).extend(zip(*columns, strict=True))
    return found


@pytest.fixture(scope="session")
def points_of() -> Callable[[Path], Points]:
    """Tag to (step, wall time, value), over all files of the folder."""
    return _points
