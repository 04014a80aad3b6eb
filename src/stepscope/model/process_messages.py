"""How the server and a process that works for it talk over pipes: length, message, and the bytes behind it."""

from __future__ import annotations

from typing import IO, TypeVar

import msgspec
from msgspec import Struct

LONGEST = 1 << 20
"""Bytes of a message without what is behind it."""
_LENGTHS = 12

Message = TypeVar("Message", bound=Struct)


def send(stream: IO[bytes], message: Struct, data: bytes | memoryview = b"") -> None:
    """Writes one message. Raises OSError when nobody reads."""
    text = msgspec.msgpack.encode(message)
    stream.write(len(text).to_bytes(4, "little") + len(data).to_bytes(8, "little") + text)
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes], kind: type[Message]) -> tuple[Message, bytes] | None:
    """The next message and what is behind it; None when the other side has ended."""
    lengths = _exactly(stream, _LENGTHS)
    if lengths is None:
        return None
    text = _exactly(stream, min(int.from_bytes(lengths[:4], "little"), LONGEST))
    data = _exactly(stream, int.from_bytes(lengths[4:], "little"))
    if text is None or data is None:
        return None
    return msgspec.msgpack.decode(text, type=kind), data


def _exactly(stream: IO[bytes], count: int) -> bytes | None:
    pieces: list[bytes] = []
    while count > 0:
        piece = stream.read(min(count, 1 << 24))
        if not piece:
            return None
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)
