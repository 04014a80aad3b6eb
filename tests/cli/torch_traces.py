"""Small traces as torch writes them, with times that are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
HOST, DEVICE, STREAM, THREAD = 100, 0, 7, 100
STEP_US = 1000


def event(category: str, name: str, start: float, length: float, *, on_device: bool = False, **args: object) -> dict[str, Any]:
    place = {"pid": DEVICE, "tid": STREAM} if on_device else {"pid": HOST, "tid": THREAD}
    return {"ph": "X", "cat": category, "name": name, "ts": start, "dur": length, "args": args, **place}


def trace(steps: int = 5, rank: int | None = None, world: int = 1) -> dict[str, Any]:
    """Steps of a millisecond: 300 µs of input, an operation that launches a kernel of 400 µs and a copy of 100."""
    events: list[dict[str, Any]] = []
    for step in range(steps):
        at = step * STEP_US
        linked: dict[str, Any] = {"External id": step + 1}
        shapes: dict[str, Any] = {"Input Dims": [[8, 8], [8, 8]]}
        events += [
            event("user_annotation", f"ProfilerStep#{step}", at, STEP_US),
            event("user_annotation", LOADER, at, 300),
            event("cpu_op", "aten::mm", at + 300, 100, **linked, **shapes),
            event("cuda_runtime", "cudaLaunchKernel", at + 320, 20, correlation=2 * step + 1, **linked),
            event("cuda_runtime", "cudaMemcpyAsync", at + 360, 20, correlation=2 * step + 2, **linked),
            event(
                "kernel", "ampere_bf16_s16816gemm_128x64", at + 400, 400, on_device=True,
                device=0, stream=STREAM, correlation=2 * step + 1, grid=[4, 1, 1], block=[128, 1, 1], **linked,
            ),
            event(
                "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", at + 800, 100, on_device=True,
                device=0, stream=STREAM, correlation=2 * step + 2, bytes=1_000_000,
            ),
        ]  # fmt: skip
    answer: dict[str, Any] = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A100"}], "traceEvents": events}
    if rank is not None:
        answer["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": world}
    return answer


def recording(folder: Path, name: str, *, slow: float = 1.0, steps: int = 8) -> Path:
    """Steps of a millisecond whose kernel of 400 µs is `slow` times as long."""
    found = trace(steps)
    more = 400 * (slow - 1)
    for event in found["traceEvents"]:
        step = int(event["ts"] // STEP_US)
        event["ts"] += step * more
        if event["name"].startswith("ProfilerStep"):
            event["dur"] += more
        if event["cat"] == "kernel":
            event["dur"] *= slow
        if event["cat"] == "gpu_memcpy":
            event["ts"] += more
    path = folder / f"{name}.1700000000000.pt.trace.json"
    path.write_text(json.dumps(found))
    return path
