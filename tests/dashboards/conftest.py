"""A server on a folder of profiles that tests draw as timelines: files hold only a name, and the drawing is what is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboards.profile_server import ProfileServer


@pytest.fixture
def profiles(tmp_path: Path) -> Iterator[ProfileServer]:
    """The server, with an empty folder."""
    server = ProfileServer(tmp_path / "logs")
    with server.client:
        yield server
