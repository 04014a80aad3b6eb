"""Tests of reading run over a place in each source."""

from __future__ import annotations

from pathlib import Path

import pytest

from log_places import LocalPlace, MemoryPlace, Place
from memory_source import MemorySource
from stepscope.sources import all_sources


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> MemorySource:
    """The source in memory, registered as memory://."""
    source = MemorySource()
    monkeypatch.setitem(all_sources.OPENED, "memory", source)
    return source


@pytest.fixture(params=["local", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path, memory: MemorySource) -> Place:
    """Each source in turn."""
    return LocalPlace(tmp_path / "logs") if request.param == "local" else MemoryPlace(memory)
