"""A server process and a small HTTP client for the benchmarks: starts `stepscope serve`, asks for curves, reads frames."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

POLL_SECONDS = 0.05
"""Between two questions whether a folder is loaded, the same for every server that is measured."""


def free_port() -> int:
    """A port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A running `stepscope serve`; ends with the with-block."""

    def __init__(self, folder: Path, *arguments: str, home: Path | None = None, packages: str | None = None) -> None:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"} | ({} if packages is None else {"PYTHONPATH": packages})
        if home is not None:
            environment |= {"XDG_CACHE_HOME": str(home / "cache"), "XDG_DATA_HOME": str(home / "data")}
        command = [sys.executable, "-m", "stepscope", "serve", str(folder), "--port", str(free_port()), *arguments]
        self.began = time.perf_counter()
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self._address()
        self.announced = time.perf_counter()

    def _address(self) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://\S+", line):
                return found.group()
        raise SystemExit("stepscope serve ended without printing its address.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(120)

    def client(self) -> Client:
        """A connection of its own."""
        return Client(self.address)


class Client:
    """One kept-alive connection."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.prefix = parts.path.rstrip("/")
        self.connection = http.client.HTTPConnection(parts.hostname or "127.0.0.1", parts.port, timeout=120)

    def ask(self, method: str, path: str, body: object = None) -> bytes:
        """The answer's bytes; anything but 200 is an error."""
        text = None if body is None else json.dumps(body)
        self.connection.request(method, f"{self.prefix}/api/v1/{path}", text, {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{method} {path} answered {answer.status}: {content[:300]!r}")
        return content

    def get(self, path: str) -> dict[str, Any]:
        """A JSON answer."""
        answer: dict[str, Any] = json.loads(self.ask("GET", path))
        return answer

    def wait_until_loaded(self, points: int, seconds: float = 600) -> None:
        """Waits until the server has that many points."""
        until = time.monotonic() + seconds
        while (folder := self.get("folder"))["points"] < points or folder["loading"]["state"] not in {"live", "once"}:
            if time.monotonic() > until:
                raise SystemExit(f"The server has {folder['points']} of {points} points after {seconds:.0f} s.")
            time.sleep(POLL_SECONDS)

    def series(self, wanted: list[dict[str, str]], **options: object) -> tuple[dict[str, Any], dict[tuple[int, str], NDArray[Any]]]:
        """Curves as the page asks for them: the header, and the columns by place in the request and name."""
        body = {"series": wanted, "x": "step", "range": None, "width": 1000, "segments": "latest", "smoothing": None, "fold": False}
        return read_frame(self.ask("POST", "scalars/series", body | options))


DTYPES = {"f64": "<f8", "f32": "<f4", "i32": "<i4", "u8": "u1", "i64": "<i8"}


def read_frame(frame: bytes) -> tuple[dict[str, Any], dict[tuple[int, str], NDArray[Any]]]:
    """Takes a frame of columns apart."""
    (length,) = struct.unpack_from("<I", frame)
    header: dict[str, Any] = json.loads(frame[4 : 4 + length])
    start = (4 + length + 7) // 8 * 8
    columns = {
        (place, name): np.frombuffer(frame, DTYPES[column["dtype"]], column["count"], start + column["offset"])
        for place, series in enumerate(header["series"])
        for name, column in series["columns"].items()
        if column and column["count"]
    }
    return header, columns
