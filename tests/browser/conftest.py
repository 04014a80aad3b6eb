"""Fixtures for tests in real Chromium: the browser, a server on a folder, and a page that must not complain."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import ConsoleMessage, Page

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
START_SECONDS = 30


def chromium() -> str:
    """The browser's program; a missing one is a skip on a user's machine and a failure in CI."""
    found = os.environ.get("CHROMIUM") or next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), None)
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Chromium is missing, and with CI=true that is a failure.")
        pytest.skip("needs Chromium: `make test` sets it up")
    return found


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """The system's Chromium, which may run as root and must not call home."""
    return {
        "executable_path": chromium(),
        "headless": True,
        "args": ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"],
    }


@pytest.fixture(scope="session")
def browser_context_args() -> dict[str, Any]:
    """A laptop's window."""
    return {"viewport": {"width": 1280, "height": 800}}


def free_port() -> int:
    """A port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_url(process: subprocess.Popen[str]) -> str:
    """The address the server prints; what it prints later is read away, so that it never blocks."""
    assert process.stdout is not None
    said: list[str] = []
    found: list[str] = []
    ready = threading.Event()

    def listen() -> None:
        for line in process.stdout or ():
            said.append(line)
            match = re.search(r"http://\S+", line)
            if match and not found:
                found.append(match.group())
                ready.set()
        ready.set()

    threading.Thread(target=listen, daemon=True).start()
    ready.wait(START_SECONDS)
    assert found, f"stepscope serve printed no address within {START_SECONDS} s: {''.join(said)}"
    return found[0]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Starts `stepscope serve FOLDER …` with a data and cache folder of its own, and returns the page's address."""
    started: list[subprocess.Popen[str]] = []

    def start(folder: Path, *arguments: str) -> str:
        command = [sys.executable, "-m", "stepscope", "serve", str(folder), "--port", str(free_port()), *arguments]
        homes = {name: str(tmp_path / name.lower()) for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME")}
        environment = {**os.environ, **homes, "PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(process)
        address = wait_for_url(process)
        with contextlib.closing(urllib.request.urlopen(address, timeout=10)) as answer:
            assert answer.status == 200
        return address

    yield start
    for process in started:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the page reported as errors or warnings so far; a good test ends with this list empty."""
    found: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            found.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found
