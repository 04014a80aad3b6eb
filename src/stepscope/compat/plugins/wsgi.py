"""Asks a WSGI application, which TensorBoard's plugins are made of, and keeps its answer within bounds."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from stepscope.compat.plugins.host import WsgiApp
from stepscope.model.errors import TooMuch

EXPERIMENT = "HTTP_TENSORBOARD_EXPERIMENT_ID"
"""Where TensorBoard keeps the experiment that is asked about."""
MOST_BYTES = 1 << 30
"""Of one answer."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as a WSGI application needs it; `path` begins with /data."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes = b""
    prefix: str = ""
    experiment: str = ""
    scheme: str = "http"
    host: str = "localhost"
    """Name and port."""
    client: str = ""


@dataclass(slots=True)
class Answered:
    """What it said."""

    status: int = 500
    headers: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    body: bytes = b""


def ask(app: WsgiApp, asked: Asked) -> Answered:
    """Runs the application to its end. Raises whatever it raises, and TooMuch when its answer is too large."""
    answered = Answered()
    parts: list[bytes] = []

    def start(status: str, headers: list[tuple[str, str]], problem: Any = None) -> Callable[[bytes], None]:  # noqa: ANN401
        del problem
        answered.status, answered.headers = int(status.split(" ", 1)[0]), list(headers)
        return parts.append

    size = 0
    found = app(_environ(asked), start)
    try:
        for part in found:
            size += len(part)
            if size > MOST_BYTES:
                raise TooMuch(f"The plugin's answer has more than {MOST_BYTES >> 30} GiB.", "answer_too_large")
            parts.append(part)
    finally:
        close = getattr(found, "close", None)
        if close is not None:
            close()
    answered.body = b"".join(parts)
    return answered


def _environ(asked: Asked) -> dict[str, Any]:
    name, _, port = asked.host.rpartition(":") if not asked.host.endswith("]") else (asked.host, "", "")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": asked.method,
        "SCRIPT_NAME": asked.prefix + (f"/experiment/{asked.experiment}" if asked.experiment else ""),
        # WSGI has paths as latin-1 text of their UTF-8 bytes.
        "PATH_INFO": asked.path.encode().decode("latin-1"),
        "QUERY_STRING": asked.query,
        "SERVER_NAME": name or asked.host,
        "SERVER_PORT": port or "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": asked.client,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": asked.scheme,
        "wsgi.input": io.BytesIO(asked.body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "CONTENT_LENGTH": str(len(asked.body)),
    }
    for key, value in asked.headers.items():
        variable = key.upper().replace("-", "_")
        # Cookies and sign-in are Stepscope's own; a plugin has no use for them.
        if variable not in ("COOKIE", "AUTHORIZATION", "CONTENT_LENGTH"):
            environ["CONTENT_TYPE" if variable == "CONTENT_TYPE" else f"HTTP_{variable}"] = value
    environ[EXPERIMENT] = asked.experiment
    return environ
