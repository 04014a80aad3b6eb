"""A profile of a server's requests, written as torch's profiler writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

COUNT = 100
SLOW = 70


def write_requests(folder: Path, name: str = "request") -> None:
    """A hundred requests, 20 ms apart: 0.5 ms of queue, an operation of 1 ms, a copy of 0.5 ms and a kernel of 2 ms, which takes
    9 ms more in every tenth; the 70th queues for 12 ms."""
    events: list[dict[str, Any]] = []

    def add(category: str, what: str, start: float, length: float, **args: Any) -> None:
        where = {"pid": 0, "tid": 7} if category in ("kernel", "gpu_memcpy") else {"pid": 100, "tid": 100}
        events.append({"ph": "X", "cat": category, "name": what, "ts": start * 1e3, "dur": length * 1e3, "args": args} | where)

    for place in range(COUNT):
        at = 20.0 * place
        queue = 12.0 if place == SLOW else 0.5
        kernel = 11.0 if place % 10 == 5 else 2.0
        add("user_annotation", f"{name} #{place}", at, queue + 4.0)
        add("cpu_op", "aten::mm", at + queue, 1.0)
        add("cuda_runtime", "cudaMemcpyAsync", at + queue + 0.1, 0.05, correlation=2 * place + 1)
        add("cuda_runtime", "cudaLaunchKernel", at + queue + 0.2, 0.05, correlation=2 * place + 2)
        add(
            "gpu_memcpy",
            "Memcpy HtoD (Pinned -> Device)",
            at + queue + 1.0,
            0.5,
            device=0,
            stream=7,
            correlation=2 * place + 1,
            bytes=64,
        )
        add("kernel", "gemm", at + queue + 1.5, kernel, device=0, stream=7, correlation=2 * place + 2)
    folder.mkdir(parents=True)
    trace = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Test GPU"}], "traceEvents": events}
    (folder / "worker0.1794770412963.pt.trace.json").write_text(json.dumps(trace))


def write_served(folder: Path) -> None:
    """A prefill of 30 ms with 512 tokens of two requests, and eight decodes of 8 ms for both, as vLLM annotates them."""
    events: list[dict[str, Any]] = []
    at = 0.0
    for place in range(9):
        length = 30.0 if place == 0 else 8.0
        name = "execute_context_2(512)_generation_0(0)" if place == 0 else "execute_context_0(0)_generation_2(2)"
        host, device = {"pid": 100, "tid": 100}, {"pid": 0, "tid": 7}
        for category, what, start, lasts, where, args in (
            ("user_annotation", name, at, length, host, {}),
            ("cuda_runtime", "cudaLaunchKernel", at + 0.1, 0.01, host, {"correlation": place + 1}),
            ("kernel", "gemm", at + 0.2, length - 0.4, device, {"device": 0, "stream": 7, "correlation": place + 1}),
        ):
            events.append({"ph": "X", "cat": category, "name": what, "ts": start * 1e3, "dur": lasts * 1e3, "args": args} | where)
        at += length
    folder.mkdir(parents=True)
    (folder / "worker0.1794770412963.pt.trace.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
