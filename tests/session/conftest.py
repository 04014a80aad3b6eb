"""Fixtures of the tests of sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from log_folder import LogFolder


@pytest.fixture
def folder(tmp_path: Path) -> LogFolder:
    """An empty log folder."""
    path = tmp_path / "logs"
    path.mkdir()
    return LogFolder(path)
