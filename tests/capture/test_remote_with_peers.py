"""`stepscope capture` from real TensorFlow, JAX, torch and plain Python processes, and what it says when that cannot work."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from child_environment import with_sources

pytestmark = [pytest.mark.peers, pytest.mark.slow]
HERE = Path(__file__).parent
PATIENCE = 120.0
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
Run = Callable[..., subprocess.CompletedProcess[str]]


@contextmanager
def training(peers_python: str, framework: str, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that trains, and the address of its profiler service."""
    process = subprocess.Popen(
        [peers_python, str(HERE / "remote_process.py"), framework, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**with_sources(), **QUIET},
    )
    try:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        assert port, "the process ended before it served"
        yield process, f"127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def capture(peers_python: str) -> Run:
    """Runs the verb with the Python that has gRPC; it loads neither TensorFlow nor JAX."""

    def run(*arguments: str | Path, token: str = "", check: bool = True) -> subprocess.CompletedProcess[str]:
        command = [peers_python, "-m", "stepscope", "capture", *map(str, arguments)]
        environment = {**with_sources(), "STEPSCOPE_CAPTURE_TOKEN": token}
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE)
        assert not check or result.returncode == 0, result.stderr
        return result

    return run


@pytest.mark.parametrize(
    ("framework", "ending"),
    [("tensorflow", ".xplane.pb"), ("jax", ".xplane.pb"), ("torch", ".pt.trace.json.gz"), ("python", ".trace.json")],
)
def test_a_running_process_is_captured(
    framework: str, ending: str, peers_python: str, capture: Run, verbs: Run, run_in_peers: Callable[..., Any], tmp_path: Path
) -> None:
    with training(peers_python, framework) as (_, address):
        told = json.loads(capture(address, "--duration", "500ms", "--to", tmp_path, "--json").stdout)
    (file,) = told["files"]
    assert file.endswith(ending)
    assert Path(file).parent == Path(told["session"])
    steps = json.loads(verbs("profile", "steps", told["session"], "--json", "--no-cache").stdout)["steps"]
    numbers = [step["step"] for step in steps]
    assert len(numbers) >= 3
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    if ending == ".xplane.pb":
        assert run_in_peers(HERE / "xprof_steps.py", file) >= 3


def test_several_processes_are_one_session_and_one_that_is_gone_is_said(
    peers_python: str, capture: Run, verbs: Run, tmp_path: Path
) -> None:
    with training(peers_python, "python") as (_, first), training(peers_python, "python") as (_, second):
        both = json.loads(capture(f"{first},{second}", "--duration", "0.3s", "--to", tmp_path / "both", "--json").stdout)
        gone = f"127.0.0.1:{unused_port()}"
        partly = capture(f"{first},{gone}", "--duration", "0.3s", "--to", tmp_path / "partly", "--attempts", "1", "--json", check=False)
    assert len(both["files"]) == 2
    assert both["problems"] == []
    assert partly.returncode == 1
    told = json.loads(partly.stdout)
    assert len(told["files"]) == 1
    (problem,) = told["problems"]
    assert problem.startswith(gone)
    assert problem in partly.stderr


def unused_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def test_nothing_listens(capture: Run, tmp_path: Path) -> None:
    told = capture(f"127.0.0.1:{unused_port()}", "--to", tmp_path, "--attempts", "1", check=False)
    assert (told.returncode, told.stdout, len(told.stderr.splitlines())) == (2, "", 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"\x00" * 64])
def test_a_port_that_speaks_something_else(greeting: bytes, capture: Run, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        ended = threading.Event()

        def answer() -> None:
            while not ended.is_set():
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.sendall(greeting)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        told = capture(f"127.0.0.1:{server.getsockname()[1]}", "--to", tmp_path, "--attempts", "1", check=False)
        ended.set()
    assert (told.returncode, told.stdout, len(told.stderr.splitlines())) == (2, "", 1)


def test_a_process_that_dies_while_it_is_captured(peers_python: str, capture: Run, tmp_path: Path) -> None:
    with training(peers_python, "python") as (process, address):
        threading.Timer(1.5, lambda: os.kill(process.pid, signal.SIGKILL)).start()
        began = time.monotonic()
        told = capture(address, "--duration", "60s", "--to", tmp_path, check=False)
    assert time.monotonic() - began < 50
    assert (told.returncode, told.stdout, len(told.stderr.splitlines())) == (2, "", 1)


def test_a_token_is_required_where_one_was_given(peers_python: str, capture: Run, tmp_path: Path) -> None:
    with training(peers_python, "python", "secret") as (_, address):
        refused = capture(address, "--duration", "100ms", "--to", tmp_path, token="wrong", check=False)
        assert refused.returncode == 2
        assert "STEPSCOPE_CAPTURE_TOKEN" in refused.stderr
        assert "secret" not in refused.stderr
        capture(address, "--duration", "100ms", "--to", tmp_path, token="secret")


def test_a_folder_that_cannot_be_written(peers_python: str, capture: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with training(peers_python, "python") as (_, address):
        told = capture(address, "--duration", "100ms", "--to", tmp_path / "file" / "below", check=False)
    assert (told.returncode, len(told.stderr.splitlines())) == (2, 1)


@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_a_process_is_asked_what_it_does(framework: str, peers_python: str, capture: Run) -> None:
    with training(peers_python, framework) as (process, address):
        told = capture(address, "--monitor", "--duration", "300ms", "--json", check=False)
    if framework == "tensorflow":  # Its own service answers Profile alone.
        assert (told.returncode, told.stdout, len(told.stderr.splitlines())) == (2, "", 1)
        return
    facts = json.loads(told.stdout)["processes"][address]
    assert (facts["process"], facts["framework"], facts["capturing"]) == (str(process.pid), "torch", "no")
    assert float(facts["process rss_mib"].replace(",", "")) > 50
    assert float(facts["process cpu_percent"].replace(",", "")) > 0


def test_the_service_of_tensorflow_reads_our_answer_to_monitor(peers_python: str, run_in_peers: Callable[..., Any]) -> None:
    with training(peers_python, "python") as (process, address):
        told = run_in_peers(HERE / "monitor_in_peers.py", address)
    assert f"process: {process.pid}" in told.splitlines()


def test_monitoring_what_cannot_answer_is_one_sentence(capture: Run) -> None:
    told = capture(f"127.0.0.1:{unused_port()}", "--monitor", "--duration", "100ms", check=False)
    assert (told.returncode, told.stdout, len(told.stderr.splitlines())) == (2, "", 1)


def test_requests_that_are_none_are_refused_and_the_service_goes_on(peers_python: str, run_in_peers: Callable[..., Any]) -> None:
    with training(peers_python, "python") as (_, address):
        told = run_in_peers(HERE / "damaged_requests.py", address)
    assert told.pop("good") == "files"
    assert told.pop("method") == "UNIMPLEMENTED"
    assert told.pop("large") == "RESOURCE_EXHAUSTED"
    assert set(told.values()) == {"INVALID_ARGUMENT"}, told
