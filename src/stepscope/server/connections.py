"""Bounds what one client can hold: the size and time of a request's head, the time of its body, and the number of connections."""

from __future__ import annotations

from asyncio import Transport
from asyncio.events import TimerHandle
from typing import cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_HEAD = 64 << 10
"""Bytes of a request's line and headers; browsers send a few thousand."""
MOST_MESSAGE = 64 << 20
"""Bytes of a whole request as they come over the wire, eight times the largest body."""
HEAD_SECONDS = 20.0
"""From the connection, or the first byte of a later request, to the end of the head."""
BODY_SECONDS = 60.0
"""From there to the end of the body."""
MOST_CONNECTIONS = 512
"""Beyond them the connection goes that has been idle longest; when none is idle, the new one."""

_TOO_LARGE = "431 Request Header Fields Too Large", "The headers are too large."
_TOO_SLOW = "408 Request Timeout", "The request took too long."
_TOO_MANY = "503 Service Unavailable", "There are too many connections; close some."


class TooLarge(Exception):
    """The head has more bytes than a browser sends. Raised in the parser, which ends the request."""


class Connection(HttpToolsProtocol):
    """One connection of uvicorn's, with bounds."""

    _timer: TimerHandle | None = None
    _in_head = True
    _head_bytes = 0
    _message_bytes = 0
    _idle_since = 0.0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """A client came."""
        super().connection_made(transport)
        self._idle_since = self.loop.time()
        self._arm(HEAD_SECONDS)
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """It went."""
        self._disarm()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes of a request. What the parser keeps of an unfinished header is seen by nobody else, so bytes are counted here."""
        self._message_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._message_bytes > MOST_HEAD:
            self._end(*_TOO_LARGE)
        elif self._message_bytes > MOST_MESSAGE:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Also called when something was raised in the parser."""
        if self._head_bytes > MOST_HEAD:
            self._end(*_TOO_LARGE)
        elif not self.transport.is_closing():
            super().send_400_response(msg)

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        self._in_head, self._head_bytes, self._message_bytes = True, 0, 0
        self._arm(HEAD_SECONDS)
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """A part of the address."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header."""
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The end of the head."""
        self._in_head = False
        self._arm(BODY_SECONDS)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The end of the request."""
        self._message_bytes = 0
        self._disarm()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The end of the answer; uvicorn closes the connection when no other request follows soon."""
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def _count(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > MOST_HEAD:
            raise TooLarge

    def _arm(self, seconds: float) -> None:
        self._disarm()
        self._timer = self.loop.call_later(seconds, self._too_slow)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        if self._idle:
            self._end(*_TOO_SLOW)
        else:
            self.transport.abort()

    @property
    def _idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete  # pyright: ignore[reportUnnecessaryComparison]

    def _make_room(self) -> None:
        others = cast("set[object]", self.connections)
        idle = [one for one in others if isinstance(one, Connection) and one is not self and one._idle]
        if idle:
            min(idle, key=lambda one: one._idle_since).transport.abort()
        else:
            self._end(*_TOO_MANY)

    def _end(self, status: str, message: str) -> None:
        if self.transport.is_closing():
            return
        headers = ("content-type: text/plain; charset=utf-8", f"content-length: {len(message)}", "connection: close")
        self.transport.write("\r\n".join((f"HTTP/1.1 {status}", *headers, "", message)).encode("ascii"))
        self.transport.close()
