"""Draws a trace of PyTorch's profiler, or any Chrome trace, event by event; times are milliseconds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Event = dict[str, Any]
HOST, MAIN = 100, 100
"""Process and thread that run the loop."""


@dataclass
class Trace:
    """A trace under construction; `top` holds what stands beside the events."""

    top: dict[str, Any] = field(default_factory=dict[str, Any])
    events: list[Event] = field(default_factory=list[Event])
    correlation: int = 0

    def span(
        self, category: str, name: str, at: float, length: float, pid: int | str = HOST, tid: int | str = MAIN, **arguments: object
    ) -> Event:
        """Any complete event; underscores in the names of arguments are blanks."""
        event: Event = {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": round(at * 1e3, 3), "dur": round(length * 1e3, 3)}
        event |= {"cat": category} if category else {}
        event["args"] = {key.replace("_", " "): value for key, value in arguments.items()}
        self.events.append(event)
        return event

    def op(self, name: str, at: float, length: float, **arguments: object) -> Event:
        """An operation of the main thread."""
        return self.span("cpu_op", name, at, length, HOST, MAIN, **arguments)

    def annotation(self, name: str, at: float, length: float, **arguments: object) -> Event:
        """What `record_function` writes."""
        return self.span("user_annotation", name, at, length, HOST, MAIN, **arguments)

    def python(self, name: str, at: float, length: float, **arguments: object) -> Event:
        """A Python function."""
        return self.span("python_function", name, at, length, HOST, MAIN, **arguments)

    def call(self, name: str, at: float, length: float = 0.005, **arguments: object) -> int:
        """A runtime call; its correlation ties device work to it."""
        self.correlation += 1
        self.span("cuda_runtime", name, at, length, HOST, MAIN, correlation=self.correlation, **arguments)
        return self.correlation

    def kernel(
        self, name: str, at: float, length: float, correlation: int | None = None, stream: int = 7, device: int = 0, **arguments: object
    ) -> Event:
        """Device work."""
        tied = {} if correlation is None else {"correlation": correlation}
        return self.span("kernel", name, at, length, device, stream, device=device, stream=stream, **tied, **arguments)

    def launched(self, name: str, call_at: float, at: float, length: float, stream: int = 7, device: int = 0) -> None:
        """A kernel and the call that launches it."""
        self.kernel(name, at, length, self.call("cudaLaunchKernel", call_at), stream, device)

    def copy(self, name: str, at: float, length: float, correlation: int | None = None, stream: int = 7, device: int = 0) -> Event:
        """A copy on a stream."""
        event = self.kernel(name, at, length, correlation, stream, device, bytes=1 << 20)
        event["cat"] = "gpu_memcpy"
        return event

    def memory(self, at: float, size: int, total: int, device: int = 0) -> None:
        """An allocation of the device's caching allocator."""
        arguments = {"Bytes": size, "Addr": 1 << 20, "Device Type": 1, "Device Id": device, "Total Allocated": total}
        self.events.append(
            {
                "ph": "i",
                "s": "t",
                "cat": "cpu_instant_event",
                "name": "[memory]",
                "pid": HOST,
                "tid": MAIN,
                "ts": at * 1e3,
                "args": arguments,
            }
        )

    def named(self, what: str, pid: int | str, text: str, tid: int | str = 0) -> None:
        """Metadata: `process_name`, `process_labels` or `thread_name`."""
        key = "labels" if what == "process_labels" else "name"
        self.events.append({"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {key: text}})

    def on_gpus(self, count: int = 1, name: str = "NVIDIA H100") -> Trace:
        """Says which devices there are, as PyTorch does."""
        self.top["schemaVersion"] = 1
        self.top["deviceProperties"] = [{"id": place, "name": name, "totalGlobalMem": 80 << 30} for place in range(count)]
        return self

    def text(self) -> str:
        """The file's content."""
        return json.dumps({**self.top, "traceEvents": self.events})

    def write(self, folder: Path, name: str = "trace.json") -> Path:
        """The file."""
        path = folder / name
        path.write_text(self.text())
        return path
