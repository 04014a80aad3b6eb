"""Writes a PyTorch trace of three equal steps with modules, copies and counters, for tests of the parts that show them.

A step of 10 ms: Net_0 from 0 to 5 holds Linear_0 from 1 to 3 and ReLU_0 from 3 to 4. Linear's operation launches a kernel that runs
2 to 6; its backward operation, on a thread of its own from 5 to 6, one that runs 6 to 9. A pinned MiB goes to the device from 1 to 1.5,
another beside the kernel from 3 to 3.5; 4 KiB come back to pageable memory from 9 to 9.5, and the call waits from 8.9 to 9.6.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

STEPS = 3
FORWARD_KERNEL = "gemm_forward"
BACKWARD_KERNEL = "gemm_backward"
COUNTER = "SM active"

Event = dict[str, Any]


def write_parts(folder: Path) -> Path:
    """The file of one worker."""
    events: list[Event] = []
    for step in range(STEPS):
        events += _step(step, 10.0 * step)
    trace = {
        "schemaVersion": 1,
        "deviceProperties": [
            {"id": 0, "name": "Test GPU", "totalGlobalMem": 1 << 34, "computeMajor": 7, "computeMinor": 0, "numSms": 80}
        ],
        "traceEvents": events,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "worker0.1794770412963.pt.trace.json"
    path.write_text(json.dumps(trace))
    return path


def _step(step: int, at: float) -> list[Event]:
    first = 10 * step
    counted = [_counter(at + moment, value) for moment, value in ((0.0, 0.0), (2.0, 80.0), (6.0, 50.0), (9.0, 0.0))]
    return [
        _host("user_annotation", f"ProfilerStep#{step}", at, 10.0),
        _host("python_function", "nn.Module: Net_0", at, 5.0),
        _host("cuda_runtime", "cudaMemcpyAsync", at + 0.9, 0.05, correlation=first + 3),
        _host("python_function", "nn.Module: Linear_0", at + 1.0, 2.0),
        _host("cpu_op", "aten::linear", at + 1.2, 1.6),
        _host("cuda_runtime", "cudaLaunchKernel", at + 1.5, 0.1, correlation=first + 1),
        _host("cuda_runtime", "cudaMemcpyAsync", at + 2.0, 0.05, correlation=first + 5),
        _host("python_function", "nn.Module: ReLU_0", at + 3.0, 1.0),
        _host("cpu_op", "AddmmBackward0", at + 5.0, 1.0, thread=200),
        _host("cuda_runtime", "cudaLaunchKernel", at + 5.2, 0.1, thread=200, correlation=first + 2),
        _host("cuda_runtime", "cudaMemcpy", at + 8.9, 0.7, correlation=first + 4),
        _flow("s", at + 1.2, 100, first),
        _flow("f", at + 5.0, 200, first),
        _device("kernel", FORWARD_KERNEL, at + 2.0, 4.0, 7, correlation=first + 1, grid=[80, 1, 1], block=[128, 1, 1]),
        _device("kernel", BACKWARD_KERNEL, at + 6.0, 3.0, 7, correlation=first + 2, grid=[80, 1, 1], block=[128, 1, 1]),
        _device("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", at + 1.0, 0.5, 20, correlation=first + 3, bytes=1 << 20),
        _device("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", at + 3.0, 0.5, 20, correlation=first + 5, bytes=1 << 20),
        _device("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", at + 9.0, 0.5, 7, correlation=first + 4, bytes=1 << 12),
        *counted,
    ]


def _host(category: str, name: str, start: float, length: float, thread: int = 100, **args: Any) -> Event:
    return {"ph": "X", "cat": category, "name": name, "pid": 100, "tid": thread, "ts": start * 1e3, "dur": length * 1e3, "args": args}


def _device(category: str, name: str, start: float, length: float, stream: int, **args: Any) -> Event:
    facts = {"device": 0, "stream": stream, **args}
    return {"ph": "X", "cat": category, "name": name, "pid": 0, "tid": stream, "ts": start * 1e3, "dur": length * 1e3, "args": facts}


def _flow(phase: str, at: float, thread: int, number: int) -> Event:
    return {"ph": phase, "cat": "fwdbwd", "name": "fwdbwd", "id": number, "pid": 100, "tid": thread, "ts": at * 1e3, "bp": "e"}


def _counter(at: float, value: float) -> Event:
    return {"ph": "C", "name": COUNTER, "pid": 0, "ts": at * 1e3, "args": {"percent": value}}
