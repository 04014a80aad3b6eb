"""A profiler for the demo's own loop: real spans of a few steps, written as a Chrome trace that Stepscope reads."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Literal

Category = Literal["cpu_op", "user_annotation", "python_function"]
Event = dict[str, object]
_NOT_RECORDED = nullcontext()


class Tracer:
    """Records spans while it is on; when it is off, a span costs a call."""

    def __init__(self) -> None:
        self.on = False
        self._events: list[Event] = []
        self._wall_ns, self._zero_ns = time.time_ns(), time.perf_counter_ns()

    def span(self, name: str, category: Category = "cpu_op") -> AbstractContextManager[object]:
        """Times the block below it: an operation, an annotation or a Python function."""
        return _Span(name, category, self._add) if self.on else _NOT_RECORDED

    def step(self, number: int) -> AbstractContextManager[object]:
        """Marks a training step, with the annotation that PyTorch's profiler uses."""
        return self.span(f"ProfilerStep#{number}", "user_annotation")

    def write(self, path: str) -> None:
        """Writes what was recorded; the file appears whole or not at all."""
        trace = {
            "baseTimeNanoseconds": self._wall_ns,
            "cpu_count": os.cpu_count(),
            "program": "stepscope demo",
            "traceEvents": [_named("process_name", "python"), _named("thread_name", "training loop"), *self._events],
        }
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(f"{path}.part", "w", encoding="utf-8") as file:
            json.dump(trace, file)
        os.replace(f"{path}.part", path)
        self._events = []

    def _add(self, name: str, category: Category, start_ns: int, end_ns: int) -> None:
        start_us, duration_us = (start_ns - self._zero_ns) / 1e3, (end_ns - start_ns) / 1e3
        self._events.append({"ph": "X", "name": name, "cat": category, "ts": start_us, "dur": duration_us, **_place()})


class _Span:
    """A block that is timed; it belongs to the thread that runs it."""

    def __init__(self, name: str, category: Category, add: Callable[[str, Category, int, int], None]) -> None:
        self._name = name
        self._category: Category = category
        self._add = add

    def __enter__(self) -> None:
        self._start_ns = time.perf_counter_ns()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._add(self._name, self._category, self._start_ns, time.perf_counter_ns())


def _named(what: str, name: str) -> Event:
    return {"ph": "M", "name": what, "args": {"name": name}, **_place()}


def _place() -> Event:
    return {"pid": os.getpid(), "tid": threading.get_native_id()}


OFF = Tracer()
"""For code that is run without being recorded."""
