"""Fixtures of the tests of queries."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from log_folder import LogFolder


@pytest.fixture
def folder(tmp_path: Path) -> LogFolder:
    """An empty log folder."""
    path = tmp_path / "logs"
    path.mkdir()
    return LogFolder(path)
