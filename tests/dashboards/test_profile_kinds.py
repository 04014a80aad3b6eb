"""What names mean on the page, and a server that sees a changed list of one's own at once, whatever it has kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from log_folder import LogFolder
from stepscope.dashboards.context import Project
from stepscope.ingest.loader import Root
from stepscope.server.app import Application
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file for names of one's own, which is not there yet."""
    monkeypatch.setenv("STEPSCOPE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("STEPSCOPE_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    return tmp_path / "data" / "span_kinds.toml"


@pytest.fixture
def ask(tmp_path: Path, kinds: Path) -> Ask:
    """Asks a server on a folder with one recording: steps of a millisecond with 300 µs in a loader of one's own."""
    folder = tmp_path / "logs" / "train"
    folder.mkdir(parents=True)
    place = {"ph": "X", "pid": 1, "tid": 1}
    events: list[dict[str, Any]] = []
    for step in range(5):
        at = 1000 * step
        events += [
            {**place, "cat": "user_annotation", "name": f"ProfilerStep#{step}", "ts": at, "dur": 1000},
            {**place, "cat": "user_annotation", "name": "load_batch", "ts": at, "dur": 300},
            {**place, "cat": "cpu_op", "name": "aten::mm", "ts": at + 300, "dur": 600},
        ]
    (folder / "host_1.1700000000000.pt.trace.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    logs = LogFolder(tmp_path / "logs")
    logs.load()
    project = Project(Reads(logs.library), logs.loader, UserState(tmp_path / "data"), (Root("", str(tmp_path / "logs")),))
    client = TestClient(Application(project).asgi, base_url="http://localhost")

    def get(route: str, **query: Any) -> dict[str, Any]:
        for _ in range(50):
            answer = client.get(f"/api/v1/profile/{route}", params=query)
            assert answer.status_code == 200, answer.text
            if not answer.json().get("reading"):
                return answer.json()
        raise AssertionError("The profile is never read.")

    return get


def input_wait(ask: Ask) -> float:
    (session,) = ask("sessions")["sessions"]
    return ask(f"{session['id']}/report")["answer"]["parts"]["input"]


def test_the_table_has_the_file_and_the_rows_of_every_format(ask: Ask, kinds: Path) -> None:
    got = ask("kinds")
    assert (got["file"], got["problem"]) == (str(kinds), "")
    root = next(row for row in got["kinds"] if row["pattern"] == "Iterator::Root")
    assert (root["kind"], root["held_against"], root["origin"]) == ("input", "host events", "TensorFlow or JAX profile")
    assert not any(row["yours"] for row in got["kinds"])
    kinds.write_text('input = ["load_batch"]')
    assert ask("kinds")["kinds"][0] == {
        "pattern": "load_batch",
        "kind": "input",
        "held_against": "names of spans",
        "origin": str(kinds),
        "yours": True,
    }


def test_a_server_that_runs_sees_a_changed_list(ask: Ask, kinds: Path) -> None:
    assert input_wait(ask) == 0
    kinds.write_text('input = ["load_batch"]')
    assert input_wait(ask) == pytest.approx(0.3)
    kinds.write_text('input = ["other"]')
    assert input_wait(ask) == 0
    kinds.unlink()
    assert input_wait(ask) == 0


def test_a_bad_list_is_said_and_the_table_is_that_of_the_formats(ask: Ask, kinds: Path) -> None:
    kinds.write_text("input = 3")
    got = ask("kinds")
    assert "input" in got["problem"]
    assert got["kinds"][0]["origin"] == "TensorFlow or JAX profile"
