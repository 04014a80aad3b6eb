"""The command line as a process: addresses on their own line, one-sentence errors, exit codes, and a clean stop."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from log_folder import LogFolder
from stepscope import __version__
from stepscope.model.identity import run_id
from stepscope.model.user import LOCAL_USER
from stepscope.store.user_state import UserState

Run = Callable[..., subprocess.CompletedProcess[str]]
SOURCES = Path(__file__).resolve().parents[2] / "src"


class Served:
    """A `stepscope` process that serves, and the address it printed."""

    def __init__(self, *arguments: str | Path, data: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH") or str(SOURCES), "STEPSCOPE_DATA_DIR": str(data)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "stepscope", *map(str, arguments)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()

    def get(self, path: str) -> Any:
        """The JSON at a path."""
        with urllib.request.urlopen(self.address + path, timeout=60) as answer:
            return json.load(answer)

    def stop(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """Stops the process and returns its exit code and what it said on stderr."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Starts servers that end with the test."""
    started: list[Served] = []

    def start(*arguments: str | Path) -> Served:
        started.append(Served(*arguments, data=tmp_path / "data"))
        return started[-1]

    yield start
    for served in started:
        if served.process.poll() is None:
            served.process.kill()
            served.process.communicate()


@pytest.fixture
def free_port() -> int:
    """A port nobody listens on, of those that no system hands out by itself."""
    for port in range(20_000 + os.getpid() % 5_000, 32_000):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("No port is free.")


def wait_for_points(served: Served, points: int) -> dict[str, Any]:
    """The folder once it has that many points."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        got = served.get("api/v1/folder")
        if got["points"] == points:
            return got
        time.sleep(0.05)
    raise AssertionError(f"The server never had {points} points.")


@pytest.mark.slow
def test_a_log_folder_alone_is_served(serve: Callable[..., Served], folder: LogFolder) -> None:
    folder.write("a", {"loss": [1, 2, 3]})
    served = serve(folder.path, "--port", "0")
    assert served.address.startswith("http://localhost:")
    assert served.address.endswith("/")
    assert wait_for_points(served, 3)["name"] == "logs"
    assert served.stop() == (0, "")


@pytest.mark.slow
def test_new_data_is_followed_and_sigterm_stops_it_cleanly(serve: Callable[..., Served], folder: LogFolder) -> None:
    folder.write("a", {"loss": [1]})
    served = serve("serve", folder.path, "--port=0", "--reload_interval", "0.5")
    wait_for_points(served, 1)
    stream = urllib.request.urlopen(served.address + "api/v1/live", timeout=60)
    assert stream.readline() == b"event: hello\n"
    folder.write("a", {"loss": [(1, 2.0)]}, version=False)
    wait_for_points(served, 2)
    assert served.stop(signal.SIGTERM) == (0, "")


@pytest.mark.slow
def test_tensorboards_flags_are_accepted_and_explained(serve: Callable[..., Served], folder: LogFolder) -> None:
    folder.write("a", {"loss": [1]})
    served = serve(
        "--logdir", folder.path, "--port", "0", "--load_fast=false", "--samples_per_plugin", "scalars=0", "--reuse_port=true",
        "--window_title", "my runs", "--path_prefix", "/tb/", "--db_import",
    )  # fmt: skip
    assert served.address.endswith("/tb/")
    assert served.get("api/v1/folder")["title"] == "my runs"
    code, errors = served.stop()
    assert code == 0
    lines = errors.strip().splitlines()
    assert len(lines) == 4
    assert {line.split()[1] for line in lines} == {"--load_fast", "--samples_per_plugin", "--reuse_port", "--db_import"}


@pytest.mark.slow
def test_several_folders_are_named_roots(serve: Callable[..., Served], tmp_path: Path) -> None:
    for name in ("x/logs", "y/logs"):
        (tmp_path / name).mkdir(parents=True)
        LogFolder(tmp_path / name).write("a", {"loss": [1]})
    served = serve(tmp_path / "x" / "logs", tmp_path / "y" / "logs", "--port", "0")
    got = wait_for_points(served, 2)
    assert [root["name"] for root in got["roots"]] == ["logs", "logs-2"]
    spec = serve(f"--logdir_spec=one:{tmp_path / 'x' / 'logs'},two:{tmp_path / 'y'}", "--port", "0")
    assert [root["name"] for root in wait_for_points(spec, 2)["roots"]] == ["one", "two"]
    assert {run["root"] for run in spec.get("api/v1/runs")["runs"]} == {"one", "two"}


@pytest.mark.slow
def test_reload_interval_zero_loads_once(serve: Callable[..., Served], folder: LogFolder) -> None:
    folder.write("a", {"loss": [1]})
    served = serve(folder.path, "--port", "0", "--reload_interval", "0")
    assert wait_for_points(served, 1)["loading"]["state"] == "once"


def test_an_explicit_port_is_never_another(verbs: Run, folder: LogFolder) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        got = verbs(folder.path, "--host", "127.0.0.1", "--port", str(port), check=False)
    assert (got.returncode, got.stdout) == (2, "")
    assert got.stderr.startswith(f"stepscope: Port {port} on 127.0.0.1 cannot be used")
    assert got.stderr.count("\n") == 1


@pytest.mark.slow
def test_an_explicit_port_is_used(serve: Callable[..., Served], folder: LogFolder, free_port: int) -> None:
    assert serve(folder.path, "--port", str(free_port)).address == f"http://localhost:{free_port}/"


@pytest.mark.parametrize("where", [["--bind_all"], ["--host", "0.0.0.0"], ["--host", "::"], ["--host", "192.0.2.1"]])
def test_listening_elsewhere_is_refused(verbs: Run, folder: LogFolder, where: list[str]) -> None:
    got = verbs(folder.path, *where, check=False)
    assert (got.returncode, got.stdout) == (2, "")
    assert "--insecure-no-auth" in got.stderr
    assert got.stderr.count("\n") == 1


@pytest.mark.slow
def test_listening_elsewhere_when_meant(serve: Callable[..., Served], folder: LogFolder) -> None:
    served = serve(folder.path, "--bind_all", "--insecure-no-auth", "--port", "0")
    port = served.address.rstrip("/").rpartition(":")[2]
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/v1/folder", headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=60)
    assert refused.value.code == 403
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/folder", timeout=60) as answer:
        assert answer.status == 200


@pytest.mark.parametrize(
    "arguments",
    [
        ["serve"],
        ["/nowhere/at/all"],
        ["inspect", "/nowhere/at/all"],
        ["inspect"],
        ["insepct", "x"],
        ["serve", "--port", "many", "."],
        ["serve", "--path_prefix", "x", "."],
        ["serve", "--path_prefix", "/a/../b", "."],
        ["serve", "--host", "a", "--bind_all", "."],
        ["serve", "--reload_interval", "-1", "."],
        ["serve", "--no-such-flag", "."],
        ["serve", "--logdir_spec", "a:/tmp", "--logdir", "."],
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(verbs: Run, arguments: list[str]) -> None:
    got = verbs(*arguments, check=False)
    assert (got.returncode, got.stdout) == (2, "")
    assert got.stderr.startswith("stepscope: ")
    assert got.stderr.endswith(".\n")
    assert got.stderr.count("\n") == 1


def test_exit_code_and_sentence_are_those_of_the_process(stepscope: Run) -> None:
    got = stepscope("inspect", "/nowhere/at/all", check=False)
    assert (got.returncode, got.stdout, got.stderr.count("\n")) == (2, "", 1)


def test_no_arguments_show_the_help(stepscope: Run) -> None:
    got = stepscope(check=False)
    assert (got.returncode, got.stdout) == (2, "")
    assert got.stderr == stepscope("--help").stdout


def test_versions_and_help(stepscope: Run) -> None:
    assert stepscope("--version").stdout == f"stepscope {__version__}\n"
    assert stepscope("--version_tb").stdout == f"{__version__}\n"
    overview = stepscope("--help").stdout
    assert all(verb in overview for verb in ("serve", "inspect", "demo"))
    assert "--path_prefix" in stepscope("serve", "--help").stdout


@pytest.mark.slow
def test_a_folder_may_be_served_before_training_makes_it(serve: Callable[..., Served], tmp_path: Path) -> None:
    later = tmp_path / "later"
    served = serve("serve", later, "--port", "0", "--reload_interval", "0.2")
    assert [(one["path"], bool(one["reason"])) for one in served.get("api/v1/folder")["unreadable"]] == [(str(later), True)]
    LogFolder(later).write("a", {"loss": [1]})
    got = wait_for_points(served, 1)
    assert got["unreadable"] == []
    code, errors = served.stop()
    assert (code, errors.count("\n")) == (0, 1)
    assert str(later) in errors


@pytest.mark.slow
def test_notes_of_a_moved_folder_are_kept(tmp_path: Path, serve: Callable[..., Served]) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    LogFolder(old).write("a", {"loss": [1.0]})
    UserState(tmp_path / "data").of(LOCAL_USER.id).change(str(old), run_id("", "a"), {"note": "lr too high"})
    old.rename(new)

    def notes(*arguments: str | Path) -> list[str | None]:
        served = serve(new, "--port", "0", *arguments)
        wait_for_points(served, 1)
        found = [run["note"] for run in served.get("api/v1/runs")["runs"]]
        served.stop()
        return found

    assert notes() == [None]
    assert notes("--notes-of", old) == ["lr too high"]
    assert notes() == ["lr too high"]
