"""Drawn jobs of several ranks: files that are not whole, and groups of ranks that only compare among themselves."""

from __future__ import annotations

from pathlib import Path

from wild.trace import Trace

STEPS, STEP = 6, 20.0


def _rank(rank: int, world: int, compute: float, group: str = "0", size: int | None = None, late: float = 0.0) -> Trace:
    """Steps of 20 ms: compute, then an all-reduce that ends at 18 ms on every rank."""
    trace = Trace().on_gpus()
    trace.top["distributedInfo"] = {"rank": rank, "world_size": world, "backend": "nccl"}
    trace.top["baseTimeNanoseconds"] = 1_700_000_000_000_000_000
    for step in range(STEPS):
        at = STEP * step
        trace.annotation(f"ProfilerStep#{step}", at, STEP)
        trace.launched("nvjet_gemm_bf16", at + 0.1, at + 0.2, compute)
        begin = at + 0.3 + compute + late
        call = trace.call("cudaLaunchKernel", at + 0.3)
        trace.kernel(
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
            begin,
            at + 18 - begin,
            call,
            stream=20,
            Collective_name="allreduce",
            Process_Group_Name=group,
            Group_size=world if size is None else size,
            Seq=step,
            dtype="Float",
            In_msg_nelems=1 << 20,
            Out_msg_nelems=1 << 20,
        )
    return trace


def truncated_rank(folder: Path) -> Path:
    """Four ranks that compute 12 ms of each step; the file of rank 2 ends after a third, so that its steps look long and empty."""
    for rank in range(4):
        text = _rank(rank, 4, 12.0).text()
        (folder / f"rank{rank}.pt.trace.json").write_text(text[: len(text) // 3] if rank == 2 else text)
    return folder


def empty_rank(folder: Path) -> Path:
    """Four ranks of which rank 1 computes 16 ms and the others 12; the file of rank 3 has no events."""
    for rank in range(4):
        trace = _rank(rank, 4, 16.0 if rank == 1 else 12.0)
        if rank == 3:
            trace.events = []
        trace.write(folder, f"rank{rank}.pt.trace.json")
    return folder
