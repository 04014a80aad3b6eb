"""Epochs, recorded in a profile and logged by a run."""

from __future__ import annotations

from analyses.timeline import MS, Timeline
from dashboards.profile_server import ProfileServer
from stepscope.model.profile import CopyDirection, Profile, SpanKind

MIB = 1 << 20


def two_epochs() -> Profile:
    """Two epochs of 100 ms: four steps of 10 ms from 10 to 50, of which each copies a mebibyte, and validation from 55 to 75."""
    builder = Timeline()
    for epoch in range(2):
        at = epoch * 100 * MS
        builder.span("main", at, at + 100 * MS, SpanKind.ANNOTATION, f"epoch {epoch + 3}")
        for step in range(4):
            start = at + (10 + 10 * step) * MS
            number = 4 * epoch + step
            builder.span("main", start, start + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{number}", step=number)
            builder.span("gpu 0", start, start + 5 * MS, SpanKind.COPY, "copy", direction=CopyDirection.HOST_TO_DEVICE, bytes=MIB)
            builder.span("gpu 0", start + 5 * MS, start + 9 * MS, SpanKind.KERNEL, "k")
        builder.span("main", at + 55 * MS, at + 75 * MS, SpanKind.ANNOTATION, "validation")
    return builder.build()


def log_epochs(profiles: ProfileServer, run: str) -> None:
    """Epochs of 10 s that end at steps 9, 19 and 29; steps of half a second, and a second of validation at the end of each."""
    ends = [(10 * epoch + 9, float(epoch)) for epoch in range(3)]
    profiles.folder.write(run, {"epoch": ends}, gap=10.0)
    steps = [(step, 0.5) for step in range(30)]
    profiles.folder.write(
        run, {"step_time/total": steps, "step_time/validation": [(9, 1.0), (19, 1.0), (29, 2.0)]}, file="events.out.tfevents.2"
    )
