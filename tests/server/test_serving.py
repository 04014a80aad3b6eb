"""Listening: the next free port, an exact port, who is local; and a real server that lets go of clients."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from log_folder import LogFolder
from stepscope.dashboards.context import Project
from stepscope.model.errors import BadInput
from stepscope.server import live as live_module
from stepscope.server import serving
from stepscope.server.app import Application
from stepscope.server.serving import Server, is_local, listen
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

Running = tuple[Application, int, Callable[[], None]]


def close(sockets: list[socket.socket]) -> int:
    """Closes the sockets and returns their port."""
    port = sockets[0].getsockname()[1]
    assert {each.getsockname()[1] for each in sockets} == {port}
    for each in sockets:
        each.close()
    return port


def test_without_a_port_the_next_free_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        first = taken.getsockname()[1]
        monkeypatch.setattr(serving, "FIRST_PORT", first)
        assert first < close(listen("127.0.0.1", None)) < first + 100
        monkeypatch.setattr(serving, "PORTS_TRIED", 1)
        with pytest.raises(BadInput, match="--port"):
            listen("127.0.0.1", None)


def test_an_exact_port_fails_when_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(BadInput, match="Address already in use"):
        listen("localhost", taken.getsockname()[1])


def test_localhost_is_reached_by_every_address_it_has() -> None:
    sockets = listen("localhost", 0)
    expected = {entry[0] for entry in socket.getaddrinfo("localhost", 0, type=socket.SOCK_STREAM)}
    assert {each.family for each in sockets} <= expected
    assert socket.AF_INET in {each.family for each in sockets}
    close(sockets)


def test_a_host_without_address_is_named() -> None:
    with pytest.raises(BadInput, match=r"no\.such\.host\.invalid"):
        listen("no.such.host.invalid", 0)


@pytest.mark.parametrize(
    ("host", "local"),
    [("localhost", True), ("127.0.0.1", True), ("127.1.2.3", True), ("::1", True), ("[::1]", True), ("0.0.0.0", False),
     ("::", False), ("192.0.2.1", False), ("no.such.host.invalid", False)],
)  # fmt: skip
def test_who_is_local(host: str, local: bool) -> None:
    assert is_local(host) is local


@pytest.fixture
def running(folder: LogFolder, notes: UserState, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A real server in a thread: the application, its port, and how to stop it."""
    monkeypatch.setattr(live_module, "PING_SECONDS", 0.2)
    folder.load()
    application = Application(Project(Reads(folder.library), folder.loader, notes))
    sockets = listen("127.0.0.1", 0)
    server = Server(application)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets)))
    thread.start()

    def stop() -> None:
        server.handle_exit(15, None)
        thread.join(60)
        assert not thread.is_alive()

    yield application, sockets[0].getsockname()[1], stop
    stop()
    application.close()


def open_stream(port: int) -> socket.socket:
    """A client of the live stream that has got its hello."""
    client = socket.create_connection(("127.0.0.1", port), timeout=60)
    client.sendall(b"GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
    got = b""
    while b"event: hello" not in got:
        got += client.recv(65536)
    return client


def test_a_client_that_goes_is_let_go(running: Running) -> None:
    application, port, _ = running
    client = open_stream(port)
    assert application.live.clients == 1
    client.close()
    deadline = time.monotonic() + 60
    while application.live.clients and time.monotonic() < deadline:
        time.sleep(0.05)
    assert application.live.clients == 0


def test_stopping_does_not_wait_for_open_streams(running: Running, caplog: pytest.LogCaptureFixture) -> None:
    _, port, stop = running
    with open_stream(port) as client:
        stop()
        assert [record for record in caplog.records if "graceful" in record.getMessage()] == [], "uvicorn had to cancel it"
        rest = client.recv(65536)
        while rest:
            rest = client.recv(65536)


def test_reads_are_answered_while_reloads_are_at_work(running: Running, folder: LogFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    _, port, _ = running
    release = threading.Event()

    def slow(_: object) -> int:
        release.wait(100)
        return 1

    monkeypatch.setattr(folder.loader, "reload", slow)
    waiting = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(20)]
    for client in waiting:
        client.sendall(b"POST /api/v1/reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as quick:
            quick.sendall(b"GET /api/v1/folder HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert quick.recv(12) == b"HTTP/1.1 200"
        release.set()
        assert {client.recv(12) for client in waiting} == {b"HTTP/1.1 200"}
    finally:
        release.set()
        for client in waiting:
            client.close()
