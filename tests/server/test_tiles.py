"""Frames that are tiles are kept by the browser and asked for again; other frames are not kept at all."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Route as Endpoint
from starlette.testclient import TestClient

from log_folder import LogFolder
from stepscope.dashboards.context import Project
from stepscope.dashboards.frame import CONTENT_TYPE
from stepscope.dashboards.route import Frame, Role, Route
from stepscope.server.dispatch import endpoint
from stepscope.server.who import local_user
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState


def client_of(answer: Frame, folder: LogFolder, tmp_path: Path) -> TestClient:
    """A server with one route that answers so."""
    project = Project(Reads(folder.library), folder.loader, UserState(tmp_path / "data"))
    route = Route("GET", "/tile", Role.VIEWER, "A tile", lambda *_: answer)
    served = endpoint(route, project, ThreadPoolExecutor(1), local_user)
    return TestClient(Starlette(routes=[Endpoint("/tile", served)]))


@pytest.mark.parametrize(("forever", "kept"), [(False, "private, no-cache"), (True, "private, max-age=31536000, immutable")])
def test_a_tile_is_kept_by_the_browser(folder: LogFolder, tmp_path: Path, forever: bool, kept: str) -> None:
    client = client_of(Frame(b"columns", tile=True, forever=forever), folder, tmp_path)
    first = client.get("/tile")
    assert (first.content, first.headers["content-type"], first.headers["cache-control"]) == (b"columns", CONTENT_TYPE, kept)
    again = client.get("/tile", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    other = client_of(Frame(b"changed", tile=True, forever=forever), folder, tmp_path)
    assert other.get("/tile", headers={"if-none-match": first.headers["etag"]}).content == b"changed"


def test_another_frame_is_not_kept(folder: LogFolder, tmp_path: Path) -> None:
    answer = client_of(Frame(b"columns"), folder, tmp_path).get("/tile")
    assert (answer.headers["cache-control"], "etag" in answer.headers) == ("no-store", False)
