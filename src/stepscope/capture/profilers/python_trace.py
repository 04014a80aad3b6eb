"""What plain Python recorded, marked spans and samples, as a Chrome trace."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from stepscope.capture import ranks
from stepscope.capture.profilers.sampler import Sampler

Category = Literal["cpu_op", "user_annotation", "python_function"]
Inputs = tuple[tuple[str, str], ...]
ENDING = ".trace.json"


class Row(NamedTuple):
    """One span: times are those of time.perf_counter_ns, the thread is its native id, inputs are shapes with types."""

    name: str
    category: Category
    start: int
    end: int
    thread: int
    inputs: Inputs = ()


class Clock(NamedTuple):
    """Ties time.perf_counter_ns to the time of day."""

    wall_ns: int
    zero_ns: int

    @classmethod
    def now(cls) -> Clock:
        """Both clocks at this moment."""
        return cls(time.time_ns(), time.perf_counter_ns())


def trace_of(rows: Sequence[Row], sampler: Sampler | None, clock: Clock) -> dict[str, object]:
    """The trace from the clock's zero on; what began earlier is cut there."""
    samples = {} if sampler is None else dict(sampler.samples)
    threads = {row.thread for row in rows} | set(samples)
    names = {thread.native_id: thread.name for thread in threading.enumerate()}
    process = os.getpid()
    ranked = {"distributedInfo": {"rank": ranks.rank(), "world_size": ranks.world_size()}} if ranks.world_size() > 1 else {}
    return {
        "schemaVersion": 1,
        "baseTimeNanoseconds": clock.wall_ns,
        "host_name": ranks.plain_name(ranks.worker_name()),
        "cpu_count": os.cpu_count(),
        "program": "stepscope",
        **ranked,
        "traceEvents": [
            {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": "python"}},
            *(
                {"ph": "M", "name": "thread_name", "pid": process, "tid": thread, "args": {"name": names.get(thread, "thread")}}
                for thread in sorted(threads)
            ),
            *(_event(row, process, clock.zero_ns) for row in rows),
            *(_event(row, process, clock.zero_ns) for thread in samples for row in _sampled(thread, rows, sampler, clock.zero_ns)),
        ],
    }


def _sampled(thread: int, rows: Sequence[Row], sampler: Sampler | None, zero_ns: int) -> Iterator[Row]:
    """Sampled functions, cut where marked spans of the thread begin and end, so that all of them nest; outer ones first."""
    cuts = [moment for row in rows if row.thread == thread for moment in (row.start, row.end)]
    spans = [] if sampler is None else sampler.spans(thread, cuts)
    spans.reverse()  # Those that end together come with the inner ones first, which would make them the outer ones for readers.
    spans.sort(key=lambda span: (span.start, -span.end))
    for name, start, end in spans:
        if end > zero_ns:
            yield Row(name, "python_function", start, end, thread)


def _event(row: Row, process: int, zero_ns: int) -> dict[str, object]:
    start = max(row.start, zero_ns)
    times = {"ts": (start - zero_ns) / 1e3, "dur": (row.end - start) / 1e3}
    event: dict[str, object] = {"ph": "X", "name": row.name, "cat": row.category, **times, "pid": process, "tid": row.thread}
    if row.inputs:
        event["args"] = {"Input Dims": [json.loads(shape) for shape, _ in row.inputs], "Input type": [kind for _, kind in row.inputs]}
    return event
