"""Writes small PyTorch traces with known numbers, for tests that compare what the page says with what was recorded.

A step of the usual length, in milliseconds: input 0 to 3; an operation 3 to 3.25 with a launch (0.1) inside, and one from 3.25 to
3.5 with a copy call (0.05) inside; a kernel 4 to 8; a copy to the device 8 to 9; nothing until 10. So of 10 ms are compute 4, copy 1,
input wait 3, host 0.5, untraced 1.5.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

KERNEL = "volta_sgemm_128x64_nn"
INPUT = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
FIRST_STEP = 5
WRITTEN = 1_794_770_412_963

Event = dict[str, Any]


def write_trace(
    folder: Path,
    worker: str = "worker0",
    *,
    steps: int = 6,
    slow: Mapping[int, float] | None = None,
    written: int = WRITTEN,
    operations: Sequence[str] = (),
    communication: float = 0.0,
) -> Path:
    """One worker's file. `slow` adds milliseconds of input to steps; `communication` takes from the kernel for an all-reduce;
    `operations` are names of further operations of 20 µs each, after the last step."""
    events: list[Event] = []
    start = 0.0
    for step in range(FIRST_STEP, FIRST_STEP + steps):
        extra = (slow or {}).get(step, 0.0)
        events += _step(step, start, extra, communication)
        start += 10.0 + extra
    events += [_host("cpu_op", name, start + 1.0 + 0.03 * place, 0.02) for place, name in enumerate(operations)]
    trace = {
        "schemaVersion": 1,
        "deviceProperties": [
            {"id": 0, "name": "Test GPU", "totalGlobalMem": 1 << 34, "computeMajor": 7, "computeMinor": 0, "numSms": 80}
        ],
        "traceEvents": events,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{worker}.{written}.pt.trace.json"
    # A whole file appears at once: a page that follows the folder must not meet half of it.
    scratch = path.with_name(path.name + ".part")
    scratch.write_text(json.dumps(trace))
    return scratch.rename(path)


def mark_epochs(path: Path) -> None:
    """Steps 5 to 7 are epoch 1, steps 8 to 10 epoch 2, whose last 4 ms are validation."""
    trace = json.loads(path.read_text())
    for name, start, length in (("epoch 1", 0, 30), ("epoch 2", 30, 36), ("validation", 61, 4)):
        trace["traceEvents"].append(
            {"ph": "X", "cat": "user_annotation", "name": name, "pid": 100, "tid": 100, "ts": start * 1e3, "dur": length * 1e3}
        )
    path.write_text(json.dumps(trace))


def _step(step: int, start: float, extra: float, communication: float) -> list[Event]:
    at = start + extra
    launch, copy, reduce = 10 * step + 1, 10 * step + 2, 10 * step + 3
    events = [
        _host("user_annotation", f"ProfilerStep#{step}", start, 10.0 + extra),
        _host("user_annotation", INPUT, start, 3.0 + extra),
        _host("cpu_op", "aten::mm", at + 3.0, 0.25),
        _host("cpu_op", "aten::copy_", at + 3.25, 0.25),
        _host("cuda_runtime", "cudaLaunchKernel", at + 3.1, 0.1, correlation=launch),
        _host("cuda_runtime", "cudaMemcpyAsync", at + 3.3, 0.05, correlation=copy),
        _device("kernel", KERNEL, at + 4.0, 4.0 - communication, 7, correlation=launch, grid=[80, 1, 1], block=[128, 1, 1]),
        _device("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", at + 8.0, 1.0, 7, correlation=copy, bytes=1 << 20),
    ]
    if communication:
        name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"
        events.append(_host("cuda_runtime", "cudaLaunchKernel", at + 3.4, 0.05, correlation=reduce))
        events.append(_device("kernel", name, at + 8.0 - communication, communication, 20, correlation=reduce))
    return events


def _host(category: str, name: str, start: float, length: float, **args: Any) -> Event:
    return {"ph": "X", "cat": category, "name": name, "pid": 100, "tid": 100, "ts": start * 1e3, "dur": length * 1e3, "args": args}


def _device(category: str, name: str, start: float, length: float, stream: int, **args: Any) -> Event:
    facts = {"device": 0, "stream": stream, **args}
    return {"ph": "X", "cat": category, "name": name, "pid": 0, "tid": stream, "ts": start * 1e3, "dur": length * 1e3, "args": facts}
