"""The profiler of plain Python: spans that the program marks, and samples of all threads, as a Chrome trace."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Sequence
from threading import get_native_id
from types import TracebackType

from stepscope.capture.profilers.inputs import shape_and_type
from stepscope.capture.profilers.profiler import Options, Recorded
from stepscope.capture.profilers.python_trace import ENDING, Category, Clock, Inputs, Row, trace_of
from stepscope.capture.profilers.sampler import Sampler

_SPAN_BYTES = 160
"""Of a span in a Chrome trace, beside its name."""


class PythonMarks:
    """Makes the marks of plain Python, and keeps a row for each in memory: half a microsecond each."""

    def __init__(self, most: int | None = None) -> None:
        """Keeps the newest `most` rows, or all."""
        self.rows: deque[Row] = deque(maxlen=most)

    def step(self, number: int) -> MarkedSpan:
        """The annotation that PyTorch's profiler uses."""
        return MarkedSpan(f"ProfilerStep#{number}", "user_annotation", (), self.rows)

    def span(self, name: str) -> MarkedSpan:
        """An annotation of the calling thread."""
        return MarkedSpan(name, "user_annotation", (), self.rows)

    def op(self, name: str, inputs: Sequence[object]) -> MarkedSpan:
        """An operation of the calling thread."""
        return MarkedSpan(name, "cpu_op", tuple(map(shape_and_type, inputs)), self.rows)


class PythonProfiler(PythonMarks):
    """Records spans, and has samples taken by a thread of their own."""

    def __init__(self, options: Options) -> None:
        """Takes the options of all profilers."""
        super().__init__()
        self._sampler = Sampler() if options.python else None
        self._clock = Clock(0, 0)

    def start(self) -> None:
        """Ties the clock of spans to the time of day."""
        self.rows.clear()
        self._clock = Clock.now()
        if self._sampler is not None:
            self._sampler.start()

    def size(self) -> int:
        """Bytes that the file will have, nearly: a span has the same in it whatever it is, and samples are few."""
        return len(self.rows) * (_SPAN_BYTES + max(len(self.rows[0].name), len(self.rows[-1].name))) if self.rows else 0

    def stop(self, scratch: str) -> list[Recorded]:
        """Writes rows and samples; spans that are still open are not in them."""
        if self._sampler is not None:
            self._sampler.stop()
        path = os.path.join(scratch, f"0{ENDING}")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace_of(list(self.rows), self._sampler, self._clock), file)
        self.rows.clear()
        return [Recorded(path, ENDING)]


class MarkedSpan:
    """A block that is timed; it belongs to the thread that runs it."""

    __slots__ = ("_category", "_inputs", "_name", "_rows", "_start")

    def __init__(self, name: str, category: Category, inputs: Inputs, rows: deque[Row]) -> None:
        self._name = name
        self._inputs = inputs
        self._category: Category = category
        self._rows = rows

    def __enter__(self) -> None:
        self._start = time.perf_counter_ns()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._rows.append(Row(self._name, self._category, self._start, time.perf_counter_ns(), get_native_id(), self._inputs))
