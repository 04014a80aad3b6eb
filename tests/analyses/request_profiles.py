"""Requests of a server, drawn span by span."""

from __future__ import annotations

from analyses.timeline import MS, Timeline
from stepscope.model.profile import CopyDirection, Profile, SpanKind


def serve(builder: Timeline, at: int, *, waits: int = 2, kernel: int = 5, thread: str = "main", stream: str = "gpu 0/7") -> None:
    """A request of 10 ms from `at`: it queues, runs an operation of 2 ms, copies for 1 ms and computes."""
    start = at * MS
    builder.span(thread, start, start + 10 * MS, SpanKind.ANNOTATION, "predict")
    begin = start + waits * MS
    builder.span(thread, begin, begin + 2 * MS, SpanKind.OP, "prepare")
    one = builder.span(thread, begin + 2 * MS, begin + 2 * MS + 100, SpanKind.RUNTIME, "launch")
    builder.span(stream, begin + 2 * MS, begin + 3 * MS, SpanKind.COPY, "copy", direction=CopyDirection.HOST_TO_DEVICE, cause=one)
    two = builder.span(thread, begin + 2 * MS + 200, begin + 2 * MS + 300, SpanKind.RUNTIME, "launch")
    builder.span(stream, begin + 3 * MS, begin + (3 + kernel) * MS, SpanKind.KERNEL, "k", cause=two)


def served(count: int = 20) -> Profile:
    """Requests of 10 ms every 100 ms, of which the seventh computes for 60 ms; an annotation beside them is no request."""
    builder = Timeline()
    for place in range(count):
        serve(builder, 100 * place, waits=1, kernel=60 if place == 6 else 4)
        builder.span("main", (100 * place + 90) * MS, (100 * place + 91) * MS, SpanKind.ANNOTATION, f"tidy up #{place}")
    return builder.build()
