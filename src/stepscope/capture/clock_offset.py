"""How far the clock of this rank is ahead of the first rank's, measured over the network while a capture begins."""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from stepscope.capture import ranks

PATIENCE_SECONDS = 5.0
"""Ranks that come later than this to a capture, or cannot connect, have no measured offset."""
_ROUNDS = 16
_TOKEN_BYTES = 16
_TIME = struct.Struct("<q")
_KEY = "stepscope/clock"


class ClockOffset(NamedTuple):
    """What to subtract from this rank's times, and half of the round trip by which it was measured."""

    ahead_ns: int
    error_ns: int


class Store(Protocol):
    """The part of torch.distributed's key-value store that is used; nothing here waits inside of it, where others would wait too."""

    def set(self, key: str, value: str, /) -> None:
        """Leaves a value for all ranks."""
        ...

    def get(self, key: str, /) -> bytes:
        """The value that is there."""
        ...

    def check(self, keys: list[str], /) -> bool:
        """Whether it is there."""
        ...


def shared_store() -> Store | None:
    """Where ranks that have met can leave each other a word; None where they have not."""
    distributed: Any = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed.distributed_c10d._get_default_store()


class ClockMeeting:
    """One measurement, by a thread: the first rank answers, the others ask. Training does not wait for it."""

    def __init__(self, store: Store, rank: int, size: int, number: int, clock: Callable[[], int] = time.time_ns) -> None:
        """`number` is that of the capture, the same on all ranks."""
        self._store, self._rank, self._size, self._clock = store, rank, size, clock
        self._key = f"{_KEY}/{number}"
        self._found: ClockOffset | None = None
        self._thread = threading.Thread(target=self._run, name="stepscope-clock", daemon=True)
        self._thread.start()

    def offset(self) -> ClockOffset | None:
        """What was measured, once it is; None where that could not be done."""
        if self._rank != 0:
            self._thread.join(PATIENCE_SECONDS)
        return self._found

    def _run(self) -> None:
        with contextlib.suppress(Exception):  # Without an offset, ranks are compared as their clocks are.
            if self._rank == 0:
                self._found = ClockOffset(0, 0)
                answer_ranks(self._store, self._key, self._size - 1, self._clock)
            else:
                self._found = ask_first_rank(self._store, self._key, self._clock)


def answer_ranks(store: Store, key: str, others: int, clock: Callable[[], int]) -> None:
    """Listens until every other rank has asked, or patience is over; whoever does not know the token gets no answer."""
    token = secrets.token_bytes(_TOKEN_BYTES)
    is_one_host = os.environ.get("LOCAL_WORLD_SIZE") == str(others + 1)
    with socket.create_server(("127.0.0.1" if is_one_host else "", 0)) as server:
        names = [os.environ.get("MASTER_ADDR", ""), socket.gethostname()]
        store.set(key, " ".join([token.hex(), str(server.getsockname()[1]), *(name for name in names if name)]))
        until = time.monotonic() + PATIENCE_SECONDS
        while others > 0 and (left := until - time.monotonic()) > 0:
            server.settimeout(left)
            connection, _ = server.accept()
            with connection:
                connection.settimeout(1.0)
                with contextlib.suppress(OSError):
                    others -= _answer(connection, token, clock)


def _answer(connection: socket.socket, token: bytes, clock: Callable[[], int]) -> bool:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not hmac.compare_digest(_received(connection, _TOKEN_BYTES), token):
        return False
    for _ in range(_ROUNDS):
        _received(connection, 1)
        connection.sendall(_TIME.pack(clock()))
    return True


def ask_first_rank(store: Store, key: str, clock: Callable[[], int]) -> ClockOffset | None:
    """Waits for the address of the first rank, and asks it; None where none of its names can be reached."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not store.check([key]):
        if time.monotonic() > until:
            return None
        time.sleep(0.02)
    token, port, *names = bytes(store.get(key)).decode().split()
    for name in _reachable(names):
        with contextlib.suppress(OSError), socket.create_connection((name, int(port)), timeout=1.0) as connection:
            return _ask(connection, bytes.fromhex(token), clock)
    return None


def _reachable(names: Sequence[str]) -> list[str]:
    """This machine by its own address first: its name may lead to another."""
    here = ["127.0.0.1"] if socket.gethostname() in names else []
    return list(dict.fromkeys([*here, *names]))


def _ask(connection: socket.socket, token: bytes, clock: Callable[[], int]) -> ClockOffset:
    """Of several rounds the quickest is right: what is added to it by a busy machine is added on one side."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(token)
    found: list[ClockOffset] = []
    for _ in range(_ROUNDS):
        asked = clock()
        connection.sendall(b"?")
        (theirs,) = _TIME.unpack(_received(connection, _TIME.size))
        trip = clock() - asked
        found.append(ClockOffset(asked + trip // 2 - theirs, max(trip // 2, 1)))
    return min(found, key=lambda each: each.error_ns)


def _received(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise OSError("the other rank has ended")
        data += more
    return data


_meetings = 0


def meet() -> ClockMeeting | None:
    """Begins to measure; None where there is one rank, or ranks have no store in common."""
    global _meetings
    store = shared_store()
    if store is None or ranks.world_size() == 1:
        return None
    _meetings += 1
    return ClockMeeting(store, ranks.rank(), ranks.world_size(), _meetings)
