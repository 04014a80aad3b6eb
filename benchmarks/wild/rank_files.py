"""Drawn jobs of several ranks: files that are not whole, and groups of ranks that only compare among themselves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from wild.merging import named_processes
from wild.trace import Event, Trace

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


def all_ranks_in_one_file(folder: Path) -> Path:
    """The eight ranks of `slow_rank_of_a_stage` in one file, as tools merge them: every process is called by its rank, and numbers that
    link launches to kernels occur in every rank."""
    ranks = {rank: json.loads(_stage_rank(rank, [10, 20, 10, 10, 10, 10, 10, 10]).text()) for rank in range(8)}
    path = folder / "merged.json"
    path.write_text(json.dumps(named_processes(ranks)))
    return path


def sends_in_one_group(folder: Path) -> Path:
    """Four pipeline stages of one rank that all send in one group and say from or to which rank each message goes: the third stage
    computes 25 ms of each step and the others 10."""
    compute, world = [10.0, 10.0, 25.0, 10.0], 4
    begins = [1 + sum(compute[:rank]) for rank in range(world)]
    whole = begins[-1] + compute[-1] + 2
    for rank in range(world):
        trace = _of_rank(rank, world)
        for step in range(STEPS):
            at, begin = whole * step, whole * step + begins[rank]
            trace.annotation(f"ProfilerStep#{step}", at, whole)
            if rank > 0:
                _exchange(trace, "recv", at + 0.5, begin, Src_Rank=rank - 1)
            trace.launched("nvjet_gemm_bf16", begin - 0.05, begin, compute[rank])
            if rank < world - 1:
                _exchange(trace, "send", begin + compute[rank] - 0.2, begin + compute[rank], Dst_Rank=rank + 1)
        trace.write(folder, f"rank{rank}.pt.trace.json")
    return folder


def _of_rank(rank: int, world: int) -> Trace:
    trace = Trace().on_gpus()
    trace.top["distributedInfo"] = {"rank": rank, "world_size": world, "backend": "nccl"}
    trace.top["baseTimeNanoseconds"] = 1_700_000_000_000_000_000
    return trace


def _exchange(trace: Trace, name: str, at: float, until: float, **facts: int) -> None:
    told: Event = {
        "Collective_name": name,
        "Process_Group_Name": "0",
        "Group_size": 4,
        "Process_Group_Ranks": "[0, 1, 2, 3]",
        "dtype": "Float",
    }
    trace.kernel("ncclDevKernel_SendRecv", at, until - at, trace.call("cudaLaunchKernel", at - 0.01), stream=21, **(told | facts))


def slow_expert_rank(folder: Path) -> Path:
    """Four ranks, two expert-parallel groups (0 and 1, 2 and 3) that exchange tokens, and two data-parallel groups (0 and 2, 1 and 3)
    that reduce: rank 1 computes 16 ms of each step and all others 10."""
    compute = [10.0, 16.0, 10.0, 10.0]
    exchanged = [1 + max(compute[rank // 2 * 2 : rank // 2 * 2 + 2]) + 1 for rank in range(4)]
    reduced = max(exchanged) + 1
    for rank in range(4):
        trace = _of_rank(rank, 4)
        for step in range(STEPS):
            at = STEP * step
            trace.annotation(f"ProfilerStep#{step}", at, STEP)
            trace.launched("nvjet_gemm_bf16", at + 0.9, at + 1, compute[rank])
            for name, group, begin, until in (
                ("all_to_all", f"ep{rank // 2}", 1.1 + compute[rank], exchanged[rank]),
                ("allreduce", f"dp{rank % 2}", exchanged[rank] + 0.1, reduced),
            ):
                told = {"Collective_name": name, "Process_Group_Name": group, "Group_size": 2, "Seq": step, "dtype": "Float"}
                call = trace.call("cudaLaunchKernel", at + begin - 0.05)
                trace.kernel(f"ncclDevKernel_{name}", at + begin, until - begin, call, stream=20, **told)
        trace.write(folder, f"rank{rank}.pt.trace.json")
    return folder


def long_sequences(folder: Path) -> Path:
    """Four data-parallel ranks of which in every step another one has the longest sequences and computes 17 ms instead of 12."""
    for rank in range(4):
        _rank(rank, 4, [17.0 if step % 4 == rank else 12.0 for step in range(4)]).write(folder, f"rank{rank}.pt.trace.json")
    return folder
