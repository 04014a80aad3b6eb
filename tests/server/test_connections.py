"""A client that sends its request slowly, endlessly or many times over is let go, and the others are answered meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest

from log_folder import LogFolder
from stepscope.dashboards.context import Project
from stepscope.server import connections
from stepscope.server.app import Application
from stepscope.server.serving import Server, listen
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

PATIENCE = 60
"""Seconds after which a connection that should have been closed has not been."""
REQUEST = b"GET /api/v1/folder HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def port(folder: LogFolder, notes: UserState, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A real server that waits for a head for a moment only, and takes four connections."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.5)
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 4)
    folder.load()
    application = Application(Project(Reads(folder.library), folder.loader, notes))
    sockets = listen("127.0.0.1", 0)
    server = Server(application)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets)))
    thread.start()
    yield sockets[0].getsockname()[1]
    server.handle_exit(15, None)
    thread.join(60)
    application.close()
    assert not thread.is_alive()


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def until_closed(client: socket.socket) -> bytes:
    """Everything the server still says; fails when it does not close the connection."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while part := client.recv(65536):
            found += part
    return found


def status(port: int, request: bytes = REQUEST) -> bytes:
    """The status of the answer to a whole request."""
    with connected(port) as client:
        client.sendall(request)
        return client.recv(65536)[9:12]


def test_a_usual_request_is_answered_and_the_connection_kept(port: int) -> None:
    with contextlib.closing(HTTPConnection("localhost", port, timeout=PATIENCE)) as client:
        kept: set[int] = set()
        for _ in range(3):
            client.request("GET", "/api/v1/folder")
            answer = client.getresponse()
            assert answer.status == 200
            assert answer.read()
            kept.add(client.sock.fileno())
        assert len(kept) == 1


@pytest.mark.parametrize("sent", [b"", b"G", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "])
def test_a_head_that_does_not_end_is_given_up(port: int, sent: bytes) -> None:
    with connected(port) as client:
        client.sendall(sent)
        assert until_closed(client).startswith(b"HTTP/1.1 408")
    assert status(port) == b"200"


def test_a_head_that_drips_is_given_up(port: int) -> None:
    with connected(port) as client:
        stop = threading.Event()

        def drip() -> None:
            with contextlib.suppress(OSError):
                client.sendall(b"GET / HTTP/1.1\r\n")
                while not stop.wait(0.05):
                    client.sendall(b"X-Drop: a\r\n")

        dripping = threading.Thread(target=drip)
        dripping.start()
        until_closed(client)
        stop.set()
        dripping.join(PATIENCE)
        assert not dripping.is_alive()


def test_a_body_that_does_not_come_is_given_up(port: int) -> None:
    with connected(port) as client:
        head = f"POST /api/v1/scalars/series HTTP/1.1\r\nHost: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n"
        client.sendall(head.encode() + b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
        until_closed(client)


@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X-Many: a\r\n" * 10_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Endless: " + b"a" * 500_000,
    ],
    ids=["address", "one header", "many headers", "a header without end"],
)
def test_a_head_that_is_too_large_is_refused(port: int, head: bytes) -> None:
    with connected(port) as client:
        with contextlib.suppress(OSError):
            client.sendall(head)
        assert until_closed(client)[:12] in {b"HTTP/1.1 431", b""}  # reset before it could be read
    assert status(port) == b"200"


def test_idle_connections_make_room_for_others(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 600.0)
    with contextlib.ExitStack() as open_clients:
        idle = [open_clients.enter_context(connected(port)) for _ in range(20)]
        assert status(port) == b"200"
        assert until_closed(idle[0]) == b""
