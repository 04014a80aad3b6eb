"""Traces of ranks that meet in collectives."""

from __future__ import annotations

from typing import Any

STEPS = 4
KIB = 1 << 10


def events(rank: int, starts_us: int) -> list[dict[str, Any]]:
    """Steps of a millisecond: a kernel for 200 µs, and a collective from `starts_us` to 700 µs."""
    found: list[dict[str, Any]] = []
    for step in range(STEPS):
        at = step * 1000
        marker = {"name": f"ProfilerStep#{step}", "cat": "user_annotation", "pid": 1, "tid": 1, "ts": at, "dur": 1000}
        kernel = {"name": "gemm", "cat": "kernel", "pid": 0, "tid": 7, "ts": at, "dur": 200, "args": {"stream": 7}}
        facts = {"Collective name": "allreduce", "Group size": 2, "Process Group Name": "dp", "Seq": step, "dtype": "Float"}
        facts |= {"In msg nelems": 256 * KIB, "Out msg nelems": 256 * KIB, "Rank": rank, "stream": 8}
        moves = {"name": "ncclDevKernel_AllReduce", "cat": "kernel", "pid": 0, "tid": 8, "ts": at + starts_us, "dur": 700 - starts_us}
        own = {"name": "my_exchange", "cat": "kernel", "pid": 0, "tid": 8, "ts": at + 800, "dur": 100, "args": {"stream": 8}}
        found += [{"ph": "X", **event} for event in (marker, kernel, {**moves, "args": facts}, own)]
    return found
