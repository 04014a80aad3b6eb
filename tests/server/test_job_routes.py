"""Jobs through the API: exports and reloads in the background, progress, cancel, ownership and live events."""

from __future__ import annotations

import asyncio
import json
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import HTTPConnection
from starlette.testclient import TestClient

from log_folder import LogFolder, decay
from stepscope.dashboards import folder_routes
from stepscope.dashboards.context import Project
from stepscope.dashboards.scalars import dashboard
from stepscope.model.user import LOCAL_USER, Role, User
from stepscope.queries import export_file
from stepscope.queries.export import export
from stepscope.server.live import Live
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

LONG = 20.0
EXPORT = "/api/v1/scalars/export"
MakeClient = Callable[..., TestClient]


def by_header(request: HTTPConnection) -> User:
    """Who a request says that it is from; a stand-in for sign-in. They may only look."""
    return User(request.headers["x-user"], "", Role.VIEWER)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where exports are written."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Exports stop after their first piece until this is set, and are not waited for."""
    go = threading.Event()

    def slow(*arguments: Any) -> Any:
        for place, piece in enumerate(export(*arguments)):
            yield piece
            if place == 0:
                assert go.wait(LONG)

    monkeypatch.setattr(export_file, "export", slow)
    monkeypatch.setattr(dashboard, "EXPORT_WAIT", 0.0)
    return go


@pytest.fixture
def filled(folder: LogFolder) -> LogFolder:
    """Two runs with a series each, long enough for several pieces."""
    for run in ("a", "b"):
        folder.write(run, {"loss": decay(10_000)})
    folder.load()
    return folder


def wait_for(client: TestClient, job: str, state: str, **headers: str) -> dict[str, Any]:
    """The job once it is in that state."""
    deadline = time.monotonic() + LONG
    while time.monotonic() < deadline:
        row = client.get(f"/api/v1/jobs/{job}", headers=headers).json()
        if row["state"] == state:
            return row
        time.sleep(0.01)
    raise AssertionError(f"The job never was {state}.")


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_an_export_in_the_background_is_the_streamed_one(filled: LogFolder, client: TestClient, temporary: Path, kind: str) -> None:
    job = client.post(EXPORT, json={"format": kind, "tag": ["loss"]}).json()
    assert (job["state"], job["done"], job["total"], job["unit"]) == ("done", 2, 2, "series")
    answer = client.get(f"/api/v1/{job['result_at']}")
    streamed = client.get(f"{EXPORT}?format={kind}&tag=loss")
    assert answer.content == streamed.content
    assert answer.headers["content-disposition"] == streamed.headers["content-disposition"] == f'attachment; filename="loss.{kind}"'
    assert answer.headers["content-type"] == streamed.headers["content-type"]


def test_the_same_export_is_made_once(filled: LogFolder, client: TestClient, temporary: Path) -> None:
    first, second = (client.post(EXPORT, json={"tag": ["loss"]}).json()["id"] for _ in range(2))
    assert first == second
    assert len(list(temporary.iterdir())) == 1
    assert client.post(EXPORT, json={"tag": ["loss"], "format": "json"}).json()["id"] != first


def test_a_running_export_says_how_far_it_is(filled: LogFolder, client: TestClient, temporary: Path, held: threading.Event) -> None:
    job = client.post(EXPORT, json={"tag": ["loss"]}).json()
    assert job["state"] in ("queued", "running")
    row = wait_for(client, job["id"], "running")
    assert (row["title"], row["result_at"], row["finished"]) == (job["title"], None, None)
    assert [one["id"] for one in client.get("/api/v1/jobs").json()["jobs"]] == [job["id"]]
    early = client.get(f"{EXPORT}/{job['id']}")
    assert (early.status_code, early.json()["error"]["code"]) == (404, "not_done")
    held.set()
    assert wait_for(client, job["id"], "done")["result_at"] == f"scalars/export/{job['id']}"


def test_a_cancelled_export_leaves_no_file(filled: LogFolder, client: TestClient, temporary: Path, held: threading.Event) -> None:
    job = client.post(EXPORT, json={"tag": ["loss"]}).json()
    wait_for(client, job["id"], "running")
    assert client.post(f"/api/v1/jobs/{job['id']}/cancel").status_code == 200
    held.set()
    wait_for(client, job["id"], "cancelled")
    assert list(temporary.iterdir()) == []
    answer = client.get(f"{EXPORT}/{job['id']}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "cancelled")


def test_an_export_that_fails_says_why(filled: LogFolder, client: TestClient, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> Any:
        raise OSError(28, "No space left on device")
        yield b""

    monkeypatch.setattr(export_file, "export", full)
    answer = client.post(EXPORT, json={"tag": ["loss"]})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "no_room")
    (row,) = client.get("/api/v1/jobs").json()["jobs"]
    assert (row["state"], "No space left" in row["error"]) == ("failed", True)
    assert list(temporary.iterdir()) == []
    monkeypatch.undo()
    assert client.post(EXPORT, json={"tag": ["loss"]}).json()["state"] == "done", "an error is not kept"


def test_a_run_that_is_not_there_starts_no_job(client: TestClient) -> None:
    assert client.post(EXPORT, json={"run": ["nobody"]}).status_code == 404
    assert client.get("/api/v1/jobs").json() == {"jobs": []}


def test_jobs_belong_to_who_started_them(filled: LogFolder, make_client: MakeClient, temporary: Path) -> None:
    client = make_client(who=by_header)
    ann, bob = {"x-user": "ann"}, {"x-user": "bob"}
    job = client.post(EXPORT, json={"tag": ["loss"]}, headers=ann).json()
    assert client.get("/api/v1/jobs", headers=bob).json() == {"jobs": []}
    for answer in (
        client.get(f"/api/v1/jobs/{job['id']}", headers=bob),
        client.get(f"{EXPORT}/{job['id']}", headers=bob),
        client.post(f"/api/v1/jobs/{job['id']}/cancel", headers=bob),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_job")
    assert client.get(f"{EXPORT}/{job['id']}", headers=ann).status_code == 200


def test_a_viewer_cancels_what_they_started(filled: LogFolder, make_client: MakeClient, temporary: Path, held: threading.Event) -> None:
    client = make_client(who=by_header)
    ann = {"x-user": "ann"}
    job = client.post(EXPORT, json={"tag": ["loss"]}, headers=ann).json()
    assert client.post(f"/api/v1/jobs/{job['id']}/cancel", headers=ann).status_code == 200
    held.set()
    wait_for(client, job["id"], "cancelled", **ann)


def test_a_job_of_another_kind_is_no_export(folder: LogFolder, client: TestClient) -> None:
    folder.load()
    job = client.post("/api/v1/reload").json()["job"]
    answer = client.get(f"{EXPORT}/{job['id']}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_done")


def test_a_long_reload_is_answered_before_it_is_done_and_can_be_cancelled(
    folder: LogFolder, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_routes, "RELOAD_WAIT", 0.05)

    def slow(tell: Callable[[], None]) -> int:
        while True:
            tell()
            time.sleep(0.005)

    monkeypatch.setattr(folder.loader, "reload", slow)
    answer = client.post("/api/v1/reload").json()
    assert (answer["epoch"], answer["job"]["state"]) == (None, "running")
    client.post(f"/api/v1/jobs/{answer['job']['id']}/cancel")
    assert wait_for(client, answer["job"]["id"], "cancelled")["error"] is None


def test_files_go_when_the_server_stops(filled: LogFolder, tmp_path: Path, temporary: Path) -> None:
    from stepscope.server.app import Application

    application = Application(Project(Reads(filled.library), filled.loader, UserState(tmp_path / "data")))
    with TestClient(application.asgi, base_url="http://localhost") as client:
        client.post(EXPORT, json={"tag": ["loss"]})
        assert len(list(temporary.iterdir())) == 1
    application.close()
    assert list(temporary.iterdir()) == []


def test_jobs_are_told_live_and_to_their_owner_alone(folder: LogFolder, tmp_path: Path) -> None:
    folder.load()
    project = Project(Reads(folder.library), folder.loader, UserState(tmp_path / "data"))
    go = threading.Event()

    def work(job: Any) -> None:
        for place in range(1_000):
            job.report(place, 1_000, "rows")
        go.wait(LONG)

    async def states(stream: Any) -> list[str]:
        seen: list[str] = []
        while "done" not in seen:
            name, _, data = (await asyncio.wait_for(anext(stream), LONG)).decode().partition("\n")
            if name == "event: jobs":
                (row,) = json.loads(data.removeprefix("data: "))["jobs"]
                seen.append(row["state"])
                if row["done"] == 999:
                    go.set()
        return seen

    async def main() -> None:
        with ThreadPoolExecutor(2) as workers:
            live = Live(project, workers)
            live.start()
            mine, other = live.stream(LOCAL_USER), live.stream(User("other", "", Role.VIEWER))
            for stream in (mine, other):
                assert (await anext(stream)).startswith(b"event: hello")
            began = time.monotonic()
            project.jobs.submit("a", "Count", work, owner=LOCAL_USER.id)
            seen = await states(mine)
            assert len(seen) <= 4 * (time.monotonic() - began) + 2, "reports are gathered"
            assert b'"jobs":[]' in await asyncio.wait_for(anext(other), LONG)
            late = live.stream(LOCAL_USER)
            assert [(await anext(late)).split(b"\n")[0] for _ in range(2)] == [b"event: hello", b"event: jobs"]
            for stream in (mine, other, late):
                await stream.aclose()
            live.close()

    asyncio.run(main())
    project.jobs.close()
