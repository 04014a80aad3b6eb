"""Drawn jobs of several ranks: files that are not whole, and groups of ranks that only compare among themselves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wild.trace import Trace

STEPS, STEP = 6, 20.0


def _rank(rank: int, world: int, computes: Sequence[float]) -> Trace:
    """Steps of 20 ms: compute, as long as told of each step in turn, then an all-reduce that ends at 18 ms on every rank."""
    trace = Trace().on_gpus()
    trace.top["distributedInfo"] = {"rank": rank, "world_size": world, "backend": "nccl"}
    trace.top["baseTimeNanoseconds"] = 1_700_000_000_000_000_000
    for step in range(STEPS):
        at, compute = STEP * step, computes[step % len(computes)]
        trace.annotation(f"ProfilerStep#{step}", at, STEP)
        trace.launched("nvjet_gemm_bf16", at + 0.1, at + 0.2, compute)
        begin = at + 0.3 + compute
        call = trace.call("cudaLaunchKernel", at + 0.3)
        trace.kernel(
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
            begin,
            at + 18 - begin,
            call,
            stream=20,
            Collective_name="allreduce",
            Process_Group_Name="0",
            Group_size=world,
            Seq=step,
            dtype="Float",
            In_msg_nelems=1 << 20,
            Out_msg_nelems=1 << 20,
        )
    return trace


def truncated_rank(folder: Path) -> Path:
    """Four ranks that compute 12 ms of each step; the file of rank 2 ends after a third, so that its steps look long and empty."""
    for rank in range(4):
        text = _rank(rank, 4, [12.0]).text()
        (folder / f"rank{rank}.pt.trace.json").write_text(text[: len(text) // 3] if rank == 2 else text)
    return folder


def empty_rank(folder: Path) -> Path:
    """Four ranks of which rank 1 computes 16 ms and the others 12; the file of rank 3 has no events."""
    for rank in range(4):
        trace = _rank(rank, 4, [16.0 if rank == 1 else 12.0])
        if rank == 3:
            trace.events = []
        trace.write(folder, f"rank{rank}.pt.trace.json")
    return folder


def _stage_rank(rank: int, compute: list[float]) -> Trace:
    """One of eight ranks, four stages of two: receives from the stage before, computes, sends, and reduces with its neighbour."""
    stage, chain = rank // 2, rank % 2
    trace = Trace().on_gpus()
    trace.top["distributedInfo"] = {"rank": rank, "world_size": 8, "backend": "nccl"}
    trace.top["baseTimeNanoseconds"] = 1_700_000_000_000_000_000
    begins = [1 + sum(compute[one % 2 : one - one % 2 : 2]) for one in range(8)]
    ends = [begin + length for begin, length in zip(begins, compute, strict=True)]
    whole = max(ends) + 2

    def communicate(name: str, at: float, until: float, group: str, step: int) -> None:
        spelled = "allreduce" if group.startswith("dp") else name
        facts = {"Collective_name": spelled, "Process_Group_Name": group, "Group_size": 2, "Seq": step, "dtype": "Float"}
        stream = 20 if spelled == "allreduce" else 21
        trace.kernel(f"ncclDevKernel_{name}", at, until - at, trace.call("cudaLaunchKernel", at - 0.01), stream=stream, **facts)

    for step in range(STEPS):
        at = whole * step
        trace.annotation(f"ProfilerStep#{step}", at, whole)
        if stage > 0:
            communicate("recv", at + 0.5, at + begins[rank], f"pp{rank - 2}-{rank}", step)
        trace.launched("nvjet_gemm_bf16", at + begins[rank] - 0.05, at + begins[rank], compute[rank])
        if stage < 3:
            communicate("send", at + ends[rank], at + ends[rank] + 0.2, f"pp{rank}-{rank + 2}", step)
        communicate(
            "AllReduce_Sum_f32_RING_LL", at + ends[rank] + 0.3, at + max(ends[rank], ends[rank - 2 * chain + 1]) + 1, f"dp{stage}", step
        )
    return trace


def _pipeline(folder: Path, compute: list[float]) -> Path:
    for rank in range(8):
        _stage_rank(rank, compute).write(folder, f"rank{rank}.pt.trace.json")
    return folder


def slow_rank_of_a_stage(folder: Path) -> Path:
    """Eight ranks in four pipeline stages of two: rank 1 of the first stage computes 20 ms of each step and all others 10."""
    return _pipeline(folder, [10, 20, 10, 10, 10, 10, 10, 10])


def slow_last_stage(folder: Path) -> Path:
    """Eight ranks in four pipeline stages of two: both ranks of the last stage compute 25 ms of each step and all others 10."""
    return _pipeline(folder, [10, 10, 10, 10, 10, 10, 25, 25])


def long_sequences(folder: Path) -> Path:
    """Four data-parallel ranks of which in every step another one has the longest sequences and computes 17 ms instead of 12."""
    for rank in range(4):
        _rank(rank, 4, [17.0 if step % 4 == rank else 12.0 for step in range(4)]).write(folder, f"rank{rank}.pt.trace.json")
    return folder
