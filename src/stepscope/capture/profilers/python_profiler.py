"""The profiler of plain Python: spans that the program marks, and samples of all threads, as a Chrome trace."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from threading import get_native_id
from types import TracebackType
from typing import Literal

from stepscope.capture import ranks
from stepscope.capture.profilers.inputs import shape_and_type
from stepscope.capture.profilers.profiler import Options, Recorded
from stepscope.capture.profilers.sampler import Sampler

Category = Literal["cpu_op", "user_annotation", "python_function"]
Inputs = tuple[tuple[str, str], ...]
Row = tuple[str, Category, int, int, int, Inputs]
"""Name, category, start and end by time.perf_counter_ns, native id of the thread, and shapes with types of inputs."""
_ENDING = ".trace.json"


class PythonProfiler:
    """Keeps a row per span in memory: half a microsecond each. Samples are taken by a thread of their own."""

    def __init__(self, options: Options) -> None:
        """Takes the options of all profilers."""
        self._sampler = Sampler() if options.python else None
        self._rows: list[Row] = []
        self._wall_ns = self._zero_ns = 0

    def start(self) -> None:
        """Ties the clock of spans to the time of day."""
        self._rows = []
        self._wall_ns, self._zero_ns = time.time_ns(), time.perf_counter_ns()
        if self._sampler is not None:
            self._sampler.start()

    def step(self, number: int) -> MarkedSpan:
        """The annotation that PyTorch's profiler uses."""
        return MarkedSpan(f"ProfilerStep#{number}", "user_annotation", (), self._rows)

    def span(self, name: str) -> MarkedSpan:
        """An annotation of the calling thread."""
        return MarkedSpan(name, "user_annotation", (), self._rows)

    def op(self, name: str, inputs: Sequence[object]) -> MarkedSpan:
        """An operation of the calling thread."""
        return MarkedSpan(name, "cpu_op", tuple(map(shape_and_type, inputs)), self._rows)

    def stop(self, scratch: str) -> list[Recorded]:
        """Writes rows and samples; spans that are still open are not in them."""
        if self._sampler is not None:
            self._sampler.stop()
        path = os.path.join(scratch, f"0{_ENDING}")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self._trace(), file)
        self._rows = []
        return [Recorded(path, _ENDING)]

    def _trace(self) -> dict[str, object]:
        samples = {} if self._sampler is None else self._sampler.samples
        threads = {row[4] for row in self._rows} | set(samples)
        names = {thread.native_id: thread.name for thread in threading.enumerate()}
        process = os.getpid()
        return {
            "schemaVersion": 1,
            "baseTimeNanoseconds": self._wall_ns,
            "host_name": ranks.plain_name(ranks.worker_name()),
            "cpu_count": os.cpu_count(),
            "program": "stepscope",
            **({"distributedInfo": {"rank": ranks.rank(), "world_size": ranks.world_size()}} if ranks.world_size() > 1 else {}),
            "traceEvents": [
                {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": "python"}},
                *(
                    {"ph": "M", "name": "thread_name", "pid": process, "tid": thread, "args": {"name": names.get(thread, "thread")}}
                    for thread in sorted(threads)
                ),
                *(self._event(row, process) for row in self._rows),
                *(self._event(row, process) for thread in samples for row in self._sampled(thread)),
            ],
        }

    def _sampled(self, thread: int) -> Iterator[Row]:
        """Sampled functions, cut where marked spans of the thread begin and end, so that all of them nest."""
        cuts = [moment for row in self._rows if row[4] == thread for moment in row[2:4]]
        for name, start, end in self._sampler.spans(thread, cuts) if self._sampler is not None else ():
            yield name, "python_function", max(start, self._zero_ns), end, thread, ()

    def _event(self, row: Row, process: int) -> dict[str, object]:
        name, category, start, end, thread, inputs = row
        times = {"ts": (start - self._zero_ns) / 1e3, "dur": (end - start) / 1e3}
        event: dict[str, object] = {"ph": "X", "name": name, "cat": category, **times, "pid": process, "tid": thread}
        if inputs:
            event["args"] = {"Input Dims": [json.loads(shape) for shape, _ in inputs], "Input type": [kind for _, kind in inputs]}
        return event


class MarkedSpan:
    """A block that is timed; it belongs to the thread that runs it."""

    __slots__ = ("_category", "_inputs", "_name", "_rows", "_start")

    def __init__(self, name: str, category: Category, inputs: Inputs, rows: list[Row]) -> None:
        self._name = name
        self._inputs = inputs
        self._category: Category = category
        self._rows = rows

    def __enter__(self) -> None:
        self._start = time.perf_counter_ns()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._rows.append((self._name, self._category, self._start, time.perf_counter_ns(), get_native_id(), self._inputs))
