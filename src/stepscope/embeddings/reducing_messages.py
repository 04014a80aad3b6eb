"""What the server and the process that reduces say to each other: length, message, and the numbers behind it."""

from __future__ import annotations

from typing import IO, Literal

import msgspec
from msgspec import Struct

LONGEST = 1 << 20
"""Bytes of a message without its numbers."""
_LENGTHS = 12

Method = Literal["tsne", "umap"]


class Task(Struct, frozen=True):
    """One reduction. The vectors follow, then the labels if there are any, then the positions to start from if there are any."""

    method: Method
    points: int
    dimensions: int
    components: int
    seed: int = 0
    perplexity: float = 30.0
    learning_rate: float | None = None
    """None: the number of points divided by 12, as openTSNE's authors advise."""
    first: int = 0
    """Iterations that are done already, when it goes on from positions."""
    last: int = 1_000
    neighbours: int = 15
    min_dist: float = 0.1
    supervision: float = 0.0
    """0 ignores the labels, 1 looks at nothing but them."""
    has_labels: bool = False
    has_start: bool = False


class Said(Struct, frozen=True):
    """How far a reduction is, or that it is done or has failed. Positions may follow, points × components."""

    state: Literal["running", "done", "failed"]
    done: int = 0
    total: int | None = None
    words: str = ""


def send(stream: IO[bytes], message: Struct, numbers: bytes = b"") -> None:
    """Writes one message. Raises OSError when nobody reads."""
    text = msgspec.msgpack.encode(message)
    stream.write(len(text).to_bytes(4, "little") + len(numbers).to_bytes(8, "little") + text)
    stream.write(numbers)
    stream.flush()


def receive(stream: IO[bytes], kind: type[Said | Task]) -> tuple[Said | Task, bytes] | None:
    """The next message and its numbers; None when the other side has ended."""
    lengths = _exactly(stream, _LENGTHS)
    if lengths is None:
        return None
    text = _exactly(stream, min(int.from_bytes(lengths[:4], "little"), LONGEST))
    numbers = _exactly(stream, int.from_bytes(lengths[4:], "little"))
    if text is None or numbers is None:
        return None
    return msgspec.msgpack.decode(text, type=kind), numbers


def _exactly(stream: IO[bytes], count: int) -> bytes | None:
    pieces: list[bytes] = []
    while count > 0:
        piece = stream.read(min(count, 1 << 24))
        if not piece:
            return None
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)
