"""tf.profiler's ProfileProto as bytes."""

from __future__ import annotations

import event_bytes as eb

START = 1_700_000_000_000_000


def times(device: bytes, *pairs: tuple[int, int]) -> bytes:
    each = b"".join(eb.message(1, eb.message(1, eb.varint(START + start) + eb.varint(length))) for start, length in pairs)
    return eb.message(1, device) + eb.message(2, each)


def node(number: int, name: bytes, op: bytes, step: int, *runs: bytes) -> bytes:
    trace = eb.message(10, eb.message(1, eb.integer(6, 5), eb.integer(2, 42)))
    execs = eb.message(12, eb.integer(1, step), eb.message(2, *runs))
    inside = eb.message(2, eb.message(1, name), eb.integer(8, 800), eb.message(9, op), trace, execs)
    return eb.message(1, eb.integer(1, number), inside)


def example() -> bytes:
    cpu = b"/device:cpu:0"
    return b"".join([
        node(1, b"dense/MatMul", b"MatMul", 3, eb.message(5, times(cpu, (0, 10)))),
        node(2, b"loss", b"Sum", 3, eb.message(5, times(cpu, (4, 10))), eb.message(11, eb.integer(1, START + 5), eb.integer(2, 64))),
        node(3, b"late", b"Sum", 7, eb.message(5, times(cpu, (50, 5))), eb.message(4, times(b"/device:gpu:0/stream:all", (52, 9)))),
        eb.message(4, eb.integer(1, 5), eb.message(2, b"train.py")),
    ])  # fmt: skip
