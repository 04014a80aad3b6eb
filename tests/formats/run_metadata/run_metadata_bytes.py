"""TensorFlow 1's RunMetadata as bytes."""

from __future__ import annotations

import event_bytes as eb

CPU = b"/job:localhost/replica:0/task:0/device:CPU:0"
GPU = b"/job:localhost/replica:0/task:0/device:GPU:0"
EPOCH = 1_700_000_000_000_000


def node(name: bytes, label: bytes, start: int, length: int, *more: bytes) -> bytes:
    """One node that ran `length` µs from `start` µs on."""
    times = eb.integer(2, EPOCH + start) + eb.integer(4, length) + eb.integer(5, length + 1)
    return eb.message(2, eb.message(1, name), times, eb.message(8, label), *more)


def allocation(at: int, size: int) -> bytes:
    record = eb.message(6, eb.integer(1, EPOCH + at), eb.integer(2, size & (1 << 64) - 1))
    return eb.message(6, eb.message(1, b"cpu"), record)


def run_metadata(*devices: bytes) -> bytes:
    return eb.message(1, *devices)


def device(name: bytes, *nodes: bytes) -> bytes:
    return eb.message(1, eb.message(1, name), *nodes)


def example() -> bytes:
    return run_metadata(
        device(
            CPU,
            node(b"a", b"a = Const()", 0, 10),
            node(b"scope/b", b"[cpu 1B 1B] scope/b = _FusedMatMul(a, a)", 2, 20, allocation(3, 64), allocation(9, -64)),
            node(b"c", b"c = IteratorGetNext()", 10, 5),
        ),
        device(GPU + b"/stream:all", node(b"k", b"gemm", 30, 5)),
        device(GPU + b"/stream:7", node(b"k", b"gemm", 30, 5), node(b"m", b"MEMCPYHtoD", 36, 4)),
    )
