"""Listening: finding a port, running the application on uvicorn, and stopping cleanly."""

from __future__ import annotations

import errno
import ipaddress
import logging
import os
import signal
import socket
from types import FrameType

import uvicorn

from stepscope.model.errors import BadInput
from stepscope.server.app import Application
from stepscope.server.connections import Connection

FIRST_PORT = 6006
PORTS_TRIED = 100


class Server(uvicorn.Server):
    """uvicorn, told to end the live streams when it is told to stop; it would wait for them otherwise."""

    def __init__(self, application: Application) -> None:
        config = uvicorn.Config(
            application.asgi,
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            http=Connection,
            ws="none",
            timeout_graceful_shutdown=2,
        )
        super().__init__(config)
        self._application = application

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called on Ctrl-C and SIGTERM, in the event loop's thread."""
        self._application.live.close()
        super().handle_exit(sig, frame)


def serve(application: Application, listening: list[socket.socket]) -> None:
    """Serves until Ctrl-C or SIGTERM; returns normally then."""
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    server = Server(application)
    # uvicorn raises the signal it caught once more when it has stopped; stopping when asked to is no failure.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _ignore)
    server.run(sockets=listening)


def _ignore(_: int, __: FrameType | None) -> None:
    """Stands in while uvicorn's own handler is not installed."""


def listen(host: str, port: int | None) -> list[socket.socket]:
    """Listening sockets. port None: 6006 or the next free one; 0: any; else exactly that one. Raises BadInput."""
    tried = range(FIRST_PORT, FIRST_PORT + PORTS_TRIED) if port is None else (port,)
    problem: OSError | None = None
    for number in tried:
        try:
            return _listen_on(host, number)
        except OSError as error:
            problem = error
            if isinstance(error, socket.gaierror):
                raise BadInput(f"The host {host} cannot be resolved; check --host.", "bad_host") from error
    if port is None:
        raise BadInput(f"No port from {FIRST_PORT} to {FIRST_PORT + PORTS_TRIED - 1} is free; choose one with --port.", "no_port")
    reason = os.strerror(problem.errno) if problem is not None and problem.errno else "unknown reason"
    raise BadInput(f"Port {port} on {host} cannot be used ({reason}); choose another with --port.", "no_port")


def is_local(host: str) -> bool:
    """Whether only this machine can reach a server on that host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return all(ipaddress.ip_address(str(address[4][0]).partition("%")[0]).is_loopback for address in found)


def _listen_on(host: str, port: int) -> list[socket.socket]:
    """One socket per address of the host; all interfaces are one socket that takes both address families."""
    if host == "":
        if socket.has_dualstack_ipv6():
            try:
                return [socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)]
            except OSError:
                pass
        return [socket.create_server(("", port))]
    found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    sockets: list[socket.socket] = []
    missing: OSError | None = None
    for family, address in dict.fromkeys((entry[0], str(entry[4][0])) for entry in found):
        number = sockets[0].getsockname()[1] if sockets else port
        try:
            sockets.append(socket.create_server((address, number), family=family))
        except OSError as problem:
            # A machine may list ::1 for localhost without having IPv6; one working address is enough.
            if problem.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                for listening in sockets:
                    listening.close()
                raise
            missing = problem
    if not sockets:
        raise missing or OSError(errno.EADDRNOTAVAIL, "no address")
    return sockets
