"""Fixtures of the tests of compat: a log folder, and clients of servers on folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from log_folder import LogFolder
from stepscope.dashboards.context import Project
from stepscope.ingest.loader import Root
from stepscope.server.app import Application
from stepscope.server.settings import Settings
from stepscope.server.who import Who, local_user
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

Serve = Callable[..., TestClient]


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Makes a client of a server on a folder."""
    applications: list[Application] = []

    def make(folder: LogFolder, settings: Settings | None = None, who: Who = local_user) -> TestClient:
        folder.load()
        notes = UserState(tmp_path_factory.mktemp("notes"))
        project = Project(Reads(folder.library), folder.loader, notes, (Root("", str(folder.path)),), title="A title")
        applications.append(Application(project, settings, who))
        return TestClient(applications[-1].asgi, base_url="http://localhost", follow_redirects=False)

    yield make
    for application in applications:
        application.close()


@pytest.fixture
def folder(tmp_path: Path) -> LogFolder:
    """An empty log folder."""
    path = tmp_path / "logs"
    path.mkdir()
    return LogFolder(path)


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Path:
    """Logs of TensorFlow, Keras, torch and TensorBoard's own API."""
    top = tmp_path_factory.mktemp("logs")
    run_in_peers(Path(__file__).parent / "logs_of_peers.py", top)
    return top
