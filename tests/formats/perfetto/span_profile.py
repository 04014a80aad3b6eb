"""A profile with spans, names and links that every export must keep."""

from __future__ import annotations

from dataclasses import replace

from stepscope._native import ProfileBuilder
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.model.profile import Profile, SpanKind, TrackRole

BASE = 1_700_000_000_000_000_000


def example() -> Profile:
    """A thread with nested and overlapping spans, a stream it launches to, and a counter."""
    builder = ProfileBuilder()
    main = builder.add_track('main "thread"', TrackRole.THREAD, process="python")
    stream = builder.add_track("stream 7", TrackRole.STREAM, process="GPU 0")
    memory = builder.add_track("memory", TrackRole.COUNTER, process="GPU 0")
    builder.add_span(main, 0, 1000, "step\n1", SpanKind.ANNOTATION)
    builder.add_span(main, 100, 600, "aten::mm", SpanKind.OP)
    builder.add_span(main, 150, 160, "launch", SpanKind.RUNTIME, correlation=5)
    builder.add_span(main, 300, 1200, "overlaps both", SpanKind.PYTHON)
    builder.add_span(main, 600, 600, "instant", SpanKind.OTHER)
    builder.add_span(main, 600, 1000, "ends with its parent", SpanKind.OP)
    builder.add_span(stream, 700, 900, "gemm<float, 3>", SpanKind.KERNEL, correlation=5)
    builder.add_span(stream, 900, 950, "Memcpy DtoH", SpanKind.COPY)
    builder.add_counter(memory, 10, 1.5)
    builder.add_counter(memory, 500, 4096.0)
    return replace(profile_from_columns(builder.finish(), format="test", path="x"), base_ns=BASE)
