"""Writes PyTorch traces of many ranks with known numbers: each computes, then reduces with the others until the slowest has come.

A step takes 20 ms on every rank: compute from 1 ms on, for 8 ms, or 14 ms on the straggler; then an all-reduce that ends at 18 ms
everywhere, so that the others wait 6 ms in it; nothing until 20.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

STEPS = 5
STEP_MS, COMPUTE_MS, SLOW_MS, END_MS = 20.0, 8.0, 14.0, 18.0
BASE_NS = 1_700_000_000_000_000_000
RANKS_PER_HOST = 8


def write_ranks(folder: Path, ranks: int, *, straggler: int | None = None, clocks: Sequence[float] = (), steps: int = STEPS) -> None:
    """A file for each rank; `clocks` are milliseconds by which the clocks of the first ranks are wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    for rank in range(ranks):
        clock = clocks[rank] if rank < len(clocks) else 0.0
        text = json.dumps(_trace(rank, ranks, SLOW_MS if rank == straggler else COMPUTE_MS, clock, steps))
        path = folder / f"node{rank // RANKS_PER_HOST}_rank{rank}.1794770412963.pt.trace.json"
        scratch = path.with_name(path.name + ".part")
        scratch.write_text(text)
        scratch.rename(path)


def cut_rank(folder: Path, rank: int) -> None:
    """Cuts the file of one rank after two thirds."""
    (path,) = folder.glob(f"*_rank{rank}.*")
    text = path.read_text()
    path.write_text(text[: 2 * len(text) // 3])


def _trace(rank: int, world: int, compute: float, clock: float, steps: int) -> dict[str, Any]:
    events = [event for step in range(steps) for event in _step(step, world, compute)]
    return {
        "schemaVersion": 1,
        "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world},
        "deviceProperties": [{"id": 0, "name": "Test GPU", "totalGlobalMem": 1 << 34, "computeMajor": 8, "numSms": 80}],
        "baseTimeNanoseconds": BASE_NS + round(clock * 1e6),
        "traceEvents": events,
    }


def _step(step: int, world: int, compute: float) -> list[dict[str, Any]]:
    at, launch, reduce = step * STEP_MS, 10 * step + 1, 10 * step + 2
    facts = {
        "Collective name": "allreduce", "Process Group Name": "0", "Group size": world, "Seq": step, "dtype": "Float",
        "In msg nelems": 1 << 20, "Out msg nelems": 1 << 20,
    }  # fmt: skip
    start = at + 1.0 + compute
    return [
        _event("user_annotation", f"ProfilerStep#{step}", at, STEP_MS, 100, 100),
        _event("cuda_runtime", "cudaLaunchKernel", at + 0.2, 0.1, 100, 100, correlation=launch),
        _event("cuda_runtime", "cudaLaunchKernel", at + 0.4, 0.1, 100, 100, correlation=reduce),
        _event("kernel", "nvjet_gemm_bf16", at + 1.0, compute, 0, 7, device=0, stream=7, correlation=launch),
        _event(
            "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", start, at + END_MS - start, 0, 20,
            device=0, stream=20, correlation=reduce, **facts,
        ),
    ]  # fmt: skip


def _event(category: str, name: str, start: float, length: float, pid: int, tid: int, **args: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start * 1e3, "dur": length * 1e3, "args": args}
