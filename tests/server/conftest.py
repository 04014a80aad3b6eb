"""Fixtures of the tests of server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

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

MakeClient = Callable[..., TestClient]


@pytest.fixture
def folder(tmp_path: Path) -> LogFolder:
    """An empty log folder."""
    path = tmp_path / "logs"
    path.mkdir()
    return LogFolder(path)


@pytest.fixture
def notes(tmp_path: Path) -> UserState:
    """The user's notes, in a data folder of the test's own."""
    return UserState(tmp_path / "data")


@pytest.fixture
def page_folder(tmp_path: Path) -> Path:
    """A built page: an index and one hashed asset."""
    page = tmp_path / "page"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("<!doctype html><title>page</title>")
    (page / "assets" / "index-abc123.js").write_text("export const answer = 42;\n" * 200)
    (tmp_path / "secret.txt").write_text("not for the web")
    return page


@pytest.fixture
def make_client(folder: LogFolder, notes: UserState, page_folder: Path) -> Iterator[MakeClient]:
    """Makes a client of a server on the log folder."""
    open_clients: list[TestClient] = []

    def make(settings: Settings | None = None, who: Who = local_user) -> TestClient:
        project = Project(Reads(folder.library), folder.loader, notes, (Root("", str(folder.path)),))
        application = Application(project, settings or Settings(page_folder=page_folder), who)
        client = TestClient(application.asgi, base_url="http://localhost", follow_redirects=False)
        client.__enter__()
        open_clients.append(client)
        return client

    yield make
    for client in open_clients:
        client.__exit__(None, None, None)


@pytest.fixture
def client(make_client: MakeClient) -> TestClient:
    """A client of a server with the usual settings."""
    return make_client()
