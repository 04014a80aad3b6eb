"""JAX's memory profiles as bytes."""

from __future__ import annotations

import event_bytes as eb

STRINGS = [b"", b"allocations", b"count", b"space", b"bytes", b"device", b"TFRT_CPU_0", b"forward", b"train.py", b"main", b"GPU:1"]


def sample(locations: list[int], count: int, size: int, device: int) -> bytes:
    places = eb.message(1, b"".join(map(eb.varint, locations)))
    values = eb.integer(2, count) + eb.integer(2, size)
    return eb.message(2, places, values, eb.message(3, eb.integer(1, 5), eb.integer(2, device)))


def location(number: int, function: int, line: int) -> bytes:
    return eb.message(4, eb.integer(1, number), eb.message(4, eb.integer(1, function), eb.integer(2, line)))


def example() -> bytes:
    return b"".join([
        eb.message(1, eb.integer(1, 1), eb.integer(2, 2)),
        eb.message(1, eb.integer(1, 3), eb.integer(2, 4)),
        sample([1, 2], 3, 4096, 6),
        sample([2], 1, 100, 10),
        sample([2], 1, 0, 6),
        location(1, 1, 12),
        location(2, 2, 99),
        eb.message(5, eb.integer(1, 1), eb.integer(2, 7), eb.integer(4, 8)),
        eb.message(5, eb.integer(1, 2), eb.integer(2, 9)),
        *(eb.message(6, text) for text in STRINGS),
        eb.integer(9, 1_700_000_000_000_000_000),
    ])  # fmt: skip
