"""Fixtures of the tests of SQL: a folder with two runs, a restart and a drawn profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboards.profile_server import ProfileServer
from session.drawn_sessions import INPUT_BOUND
from stepscope.sql.database import Database


@pytest.fixture
def profiles(tmp_path: Path) -> ProfileServer:
    """Runs `a`, which restarts at step 2, and `b`; `b` has a profile of four steps of 10 ms."""
    server = ProfileServer(tmp_path / "logs")
    server.folder.write("a", {"loss": [4.0, 3.0, 2.0], "lr": [0.5]})
    server.folder.write("a", {"loss": [(2, 1.0), (3, float("nan"))]}, file="events.out.tfevents.2", start=1_700_001_000.0)
    server.folder.write("b", {"loss": [8.0]})
    server.record("b", "worker0", INPUT_BOUND)
    server.folder.load()
    return server


@pytest.fixture
def database(profiles: ProfileServer) -> Database:
    return Database(profiles.reads)
