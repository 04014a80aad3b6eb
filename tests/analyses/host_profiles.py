"""Profiles of steps whose host spans are given."""

from __future__ import annotations

from analyses.timeline import Timeline
from stepscope.model.profile import Profile, SpanKind

US = 1_000
STEP = 1_000 * US
STEPS = 4


def recorded(*spans: tuple[int, int, SpanKind, str]) -> Profile:
    """Four steps of a millisecond with these spans in each, in microseconds."""
    builder = Timeline()
    for step in range(STEPS):
        at = step * STEP
        builder.span("main", at, at + STEP, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        for start, end, kind, name in spans:
            builder.span("main", at + start * US, at + end * US, kind, name)
    return builder.build()
