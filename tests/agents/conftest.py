"""Fixtures of the tests of agents: a folder with series and two profiles, and a server on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboards.profile_server import ProfileServer
from session.drawn_sessions import INPUT_BOUND
from stepscope.agents.all_tools import ALL_TOOLS
from stepscope.agents.protocol import AgentServer


@pytest.fixture
def profiles(tmp_path: Path) -> ProfileServer:
    server = ProfileServer(tmp_path / "logs")
    server.folder.write("a", {"loss": [1.0 / (step + 1) for step in range(5_000)], "lr": [0.1]})
    server.record("a", "worker0", INPUT_BOUND)
    server.record("b", "worker0", INPUT_BOUND.replace("KKKKKK", "KKK   "), time=1_794_770_999_999)
    server.folder.load()
    return server


@pytest.fixture
def server(profiles: ProfileServer) -> AgentServer:
    return AgentServer(ALL_TOOLS, profiles.reads, profiles.folder.load)
