"""A server on a folder of profiles that tests draw as timelines: files hold only a name, and the drawing is what is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from analyses.timeline import timeline
from log_folder import LogFolder
from stepscope.dashboards.context import Project
from stepscope.ingest.loader import Root
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile
from stepscope.server.app import Application
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState


class ProfileServer:
    """Writes files named as torch names them, says what is drawn in each, and asks the API."""

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.folder = LogFolder(path)
        self.drawn: dict[str, Callable[[], Profile]] = {}
        self.read: list[str] = []
        self.reads = Reads(self.folder.library)
        self.folder.library.profiles.use_reader(self._read)
        project = Project(self.reads, self.folder.loader, UserState(path.parent / "data"), (Root("", str(path)),))
        self.client = TestClient(Application(project).asgi, base_url="http://localhost")

    def _read(self, path: str) -> Profile:
        self.read.append(Path(path).name)
        return self.drawn[path]()

    def record(self, run: str, worker: str, picture: str, *, time: int = 1_794_770_412_963, rank: int = -1, **names: Any) -> Path:
        """A worker's file with the profile that the picture shows."""
        return self.put(run, worker, lambda: replace(timeline(picture, **names), rank=rank, framework="PyTorch"), time=time)

    def put(self, run: str, worker: str, read: Callable[[], Profile], *, time: int = 1_794_770_412_963) -> Path:
        """A worker's file and what reading it gives."""
        path = self.folder.path / run / f"{worker}.{time}.pt.trace.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
        self.drawn[str(path)] = read
        return path

    def broken(self, run: str, worker: str, message: str) -> Path:
        """A worker's file that cannot be read."""

        def fail() -> Profile:
            raise BadInput(message, "truncated")

        return self.put(run, worker, fail)

    def sessions(self) -> list[dict[str, Any]]:
        """The list of sessions, after looking at the folder."""
        self.folder.load()
        return self.get("sessions")["sessions"]

    def get(self, route: str, status: int = 200, **query: Any) -> dict[str, Any]:
        """One answer, asked for until everything has been read."""
        for _ in range(20):
            answer = self.client.get(f"/api/v1/profile/{route}", params=query)
            assert answer.status_code == status, answer.text
            if not answer.json().get("reading"):
                return answer.json()
        raise AssertionError("The profile is never read.")

    def part(self, part: str, session: str, status: int = 200, **query: Any) -> dict[str, Any]:
        """What a part answers about a session, or the error."""
        answer = self.get(f"{session}/{part}", status, **query)
        return answer["answer"] if status == 200 else answer

    def report(self, **query: Any) -> dict[str, Any]:
        """The report of the only session."""
        (session,) = self.sessions()
        return self.part("report", session["id"], **query)

    def steps(self, **query: Any) -> list[dict[str, Any]]:
        """The steps of the only session."""
        (session,) = self.sessions()
        return self.part("steps", session["id"], **query)["steps"]
