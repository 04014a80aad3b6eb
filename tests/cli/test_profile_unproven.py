"""Recordings of devices of which no real capture could be had say so in the terminal and to the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

import xspace_bytes as xb
from log_folder import LogFolder
from stepscope.cli.verbs import run_verbs
from stepscope.dashboards.context import Project
from stepscope.ingest.loader import Root
from stepscope.server.app import Application
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

US = 1_000_000


def recording(kind: str) -> bytes:
    """A device of that kind with an operation in each of three steps."""
    plane = xb.Plane(f"/device:{kind}:0").set(device_vendor="Nvidia") if kind == "GPU" else xb.Plane("/device:TPU:0")
    lines = ("XLA Ops",) if kind == "TPU" else ("Stream #7(Compute)",)
    for line in lines:
        plane.line(line, *(plane.event("fusion.1", at * 10 * US, 5 * US) for at in range(3)), id=7)
    return xb.space(plane)


@pytest.mark.parametrize(("kind", "words"), [("TPU", "TPU profiles"), ("GPU", "NVIDIA")])
def test_it_is_said_in_the_terminal_and_to_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, words: str) -> None:
    folder = tmp_path / "logs" / "plugins" / "profile" / "s"
    folder.mkdir(parents=True)
    (folder / "h.xplane.pb").write_bytes(recording(kind))
    assert run_verbs(["profile", "report", str(folder / "h.xplane.pb")]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert words in printed
    assert "real capture" in printed

    logs = LogFolder(tmp_path / "logs")
    logs.load()
    project = Project(Reads(logs.library), logs.loader, UserState(tmp_path / "data"), (Root("", str(logs.path)),))
    client = TestClient(Application(project).asgi, base_url="http://localhost")
    (session,) = client.get("/api/v1/profile/sessions").json()["sessions"]
    report = client.get(f"/api/v1/profile/{session['id']}/report").json()["answer"]
    (note,) = [note for note in report["data_quality"]["notes"] if note["code"] == "unproven_reader"]
    assert words in note["text"]
