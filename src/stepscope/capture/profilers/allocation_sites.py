"""Host memory by allocation site: what Python holds at the end of a capture, by the lines that allocated it, as a pprof file.

It is measured with tracemalloc of the standard library, which knows Python's objects and NumPy's arrays, and not what a framework
allocates in C++. A tracer of all of malloc, such as memray, would know that too, but keeps a format of its own.
"""

from __future__ import annotations

import gzip
import os
import time
import tracemalloc
from collections.abc import Iterable

from stepscope.capture.profilers.profiler import Profiler, Recorded
from stepscope.capture.profilers.wrapped import Wrapped
from stepscope.writer.message import Message

FRAMES = 16
"""Of each allocation, innermost; more frames take more memory and time."""
MOST_SITES = 10_000
ENDING = ".host_memory.prof"
_DEVICE = "host (Python)"


class WithAllocationSites(Wrapped):
    """A profiler that leaves a file of memory beside its own; Python runs two to four times slower meanwhile."""

    def __init__(self, profiler: Profiler) -> None:
        """Starts nothing yet."""
        super().__init__(profiler)
        self._is_ours = False

    def begin(self) -> None:
        """Leaves a tracemalloc that the program has started as it is."""
        self._is_ours = not tracemalloc.is_tracing()
        if self._is_ours:
            tracemalloc.start(FRAMES)

    def end(self) -> None:
        """Stops it; what it knows has a file of its own, and is added to none."""
        if self._is_ours:
            tracemalloc.stop()

    def stop(self, scratch: str) -> list[Recorded]:
        """Adds what is held at this moment and was allocated since the start."""
        files = self._profiler.stop(scratch)
        statistics = tracemalloc.take_snapshot().filter_traces(_NOT_OURS).statistics("traceback")[:MOST_SITES]
        self.end()
        path = os.path.join(scratch, f"0{ENDING}")
        sites = [(each.size, each.count, [(frame.filename, frame.lineno) for frame in each.traceback]) for each in statistics]
        with gzip.open(path, "wb", 1) as file:
            file.write(pprof_of(sites, time.time_ns()))
        return [*files, Recorded(path, ENDING)]


_NOT_OURS = [tracemalloc.Filter(False, tracemalloc.__file__), tracemalloc.Filter(False, __file__)]


def pprof_of(sites: Iterable[tuple[int, int, list[tuple[str, int]]]], at_ns: int) -> bytes:
    """A pprof of bytes and counts by stack; frames come outermost first, as tracemalloc has them."""
    texts: dict[str, int] = {"": 0}
    files: dict[str, int] = {}
    lines: dict[tuple[str, int], int] = {}

    def text(value: str) -> int:
        return texts.setdefault(value, len(texts))

    profile = Message("Pprof")
    for kind, unit in (("objects", "count"), ("space", "bytes")):
        profile.message("sample_type", Message("PprofValueType").integer("type", text(kind)).integer("unit", text(unit)))
    label = Message("PprofLabel").integer("key", text("device")).integer("str", text(_DEVICE))
    for size, count, frames in sites:
        numbers = [lines.setdefault(frame, len(lines) + 1) for frame in reversed(frames)]
        sample = Message("PprofSample").integers("location_id", numbers).integers("value", (count, size)).message("label", label)
        profile.message("sample", sample)
    for (file, line), number in lines.items():
        function = files.setdefault(file, len(files) + 1)
        place = Message("PprofLine").integer("function_id", function).integer("line", line)
        profile.message("location", Message("PprofLocation").integer("id", number).message("line", place))
    for file, number in files.items():
        profile.message("function", Message("PprofFunction").integer("id", number).integer("filename", text(file)))
    for value in texts:
        profile.text("string_table", value, always=True)
    return profile.integer("time_nanos", at_ns).encoded()
