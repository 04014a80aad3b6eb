"""A `stepscope serve` process for the browser tests, which can be killed and started again at the same address."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 100


class PageServer:
    """One folder served on one port."""

    def __init__(self, folder: Path, homes: Path, *arguments: str) -> None:
        self.folder = folder
        self.homes = homes
        self.arguments = arguments
        self.packages: tuple[Path, ...] = ()  # folders of further packages that are installed
        self.python = sys.executable
        self.port = 0
        self.address = ""
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> str:
        """Starts the process and returns the page's address once it answers."""
        command = [self.python, "-m", "stepscope", "serve", str(self.folder), "--port", str(self.port), *self.arguments]
        homes = {name: str(self.homes / name.lower()) for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME")}
        places = os.pathsep.join(map(str, (ROOT / "src", *self.packages)))
        environment = {**os.environ, **homes, "PYTHONPATH": places, "PYTHONUNBUFFERED": "1"}
        self._process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.address = _address_of(self._process)
        self.port = urlsplit(self.address).port or 0
        with urllib.request.urlopen(self.address, timeout=60) as answer:
            assert answer.status == 200
        return self.address

    def kill(self) -> None:
        """Ends the process without a word, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """Ends the process as Ctrl-C does."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()


def _address_of(process: subprocess.Popen[str]) -> str:
    """The address the server prints; what it prints later is read away, so that it never blocks."""
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
