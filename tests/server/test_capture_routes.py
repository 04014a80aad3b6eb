"""Capturing over HTTP: only listed processes, as a job that says what went wrong; and a real one from end to end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from child_environment import ROOT, with_sources
from log_folder import LogFolder
from stepscope.cli.serve import parse_addresses
from stepscope.dashboards.context import Project
from stepscope.ingest.loader import Root
from stepscope.model.errors import BadInput
from stepscope.server.app import Application
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

LISTED = "127.0.0.1:1"
PATIENCE = 100.0
MakeClient = Callable[..., TestClient]


@pytest.fixture
def listing(folder: LogFolder, notes: UserState) -> Iterator[TestClient]:
    """A server whose operator has listed one process, at a port where none can be."""
    project = Project(Reads(folder.library), folder.loader, notes, (Root("", str(folder.path)),), capture_from=(LISTED,))
    with TestClient(Application(project).asgi, base_url="http://localhost") as client:
        yield client


def finished(client: TestClient, job: dict[str, Any]) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE
    while job["finished"] is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
        job = client.get(f"/api/v1/jobs/{job['id']}").json()
    return job


def test_nothing_is_listed_by_default(client: TestClient) -> None:
    assert client.get("/api/v1/capture").json() == {"addresses": []}
    answer = client.post("/api/v1/capture", json={})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "no_targets")


@pytest.mark.parametrize("address", ["127.0.0.1:2", "localhost:1", "169.254.169.254:80", " 127.0.0.1:1"])
def test_other_addresses_are_refused(address: str, listing: TestClient) -> None:
    assert listing.get("/api/v1/capture").json() == {"addresses": [LISTED]}
    answer = listing.post("/api/v1/capture", json={"addresses": [address]})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_listed")


@pytest.mark.parametrize("body", [{"duration_ms": 0}, {"duration_ms": 10**9}, {"to": "/etc"}, {"addresses": ["a" * 301]}])
def test_what_is_out_of_bounds_is_refused(body: dict[str, Any], listing: TestClient) -> None:
    assert listing.post("/api/v1/capture", json=body).status_code in (400, 413)


def test_a_capture_that_fails_says_why(listing: TestClient, folder: LogFolder) -> None:
    answer = listing.post("/api/v1/capture", json={"duration_ms": 10})
    error = answer.json()["error"]["message"] if answer.status_code >= 400 else finished(listing, answer.json())["error"]
    assert LISTED in error or "stepscope[capture]" in error
    assert not (folder.path / "captured").exists()


def test_addresses_of_the_command_line() -> None:
    assert parse_addresses(["a:1,b:2", "[::1]:3"]) == ("a:1", "b:2", "[::1]:3")
    assert parse_addresses([]) == ()
    with pytest.raises(BadInput):
        parse_addresses(["not an address"])


@contextmanager
def serving(command: list[str], environment: dict[str, str]) -> Iterator[str]:
    process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def ask(address: str, path: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{address}api/v1/{path}", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


@pytest.mark.peers
@pytest.mark.slow
def test_a_running_process_is_captured_and_shown(peers_python: str, tmp_path: Path) -> None:
    script = "import grpc, os; print(os.path.dirname(grpc.__file__))"
    grpc = subprocess.run([peers_python, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra" / "grpc").symlink_to(grpc)  # The one package of the peers that the server needs.
    (tmp_path / "logs").mkdir()
    environment = with_sources()
    extended = {**environment, "PYTHONPATH": os.pathsep.join([environment["PYTHONPATH"], str(tmp_path / "extra")])}
    training = [peers_python, str(ROOT / "tests" / "capture" / "remote_process.py"), "python"]
    with serving(training, environment) as port:
        listed = f"127.0.0.1:{port}"
        command = [sys.executable, "-m", "stepscope", "serve", str(tmp_path / "logs"), "--port", "0", "--capture-from", listed]
        with serving(command, extended) as address:
            job = ask(address, "capture", {"addresses": [listed], "duration_ms": 300})
            deadline = time.monotonic() + PATIENCE
            while job["finished"] is None and time.monotonic() < deadline:
                time.sleep(0.05)
                job = ask(address, f"jobs/{job['id']}")
            assert (job["state"], job["error"]) == ("done", None)
            assert [run["name"] for run in ask(address, "runs")["runs"]] == ["captured"]
