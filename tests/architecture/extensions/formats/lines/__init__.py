"""Profiles as lines of text: name, start and end in milliseconds."""

from __future__ import annotations

from stepscope._native import ProfileBuilder
from stepscope.formats.file_content import read_content
from stepscope.formats.format import Limits, ProfileFormat
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.model.profile import MarkerFamily, Profile, SpanKind, TrackPurpose, TrackRole

_HEAD = b"#lines\n"


def read(path: str, limits: Limits) -> Profile:
    """Lines named `step N` are steps, all others operations."""
    builder = ProfileBuilder()
    track = builder.add_track("main", TrackRole.THREAD, TrackPurpose.MAIN)
    for line in read_content(path, limits).decode().splitlines()[1:]:
        name, start, end = line.rsplit(" ", 2)
        is_step = name.startswith("step ")
        kind = SpanKind.MARKER if is_step else SpanKind.OP
        span = builder.add_span(track, int(start) * 10**6, int(end) * 10**6, name, kind)
        if is_step:
            builder.add_marker(span, int(name[5:]), MarkerFamily.STEP_NUM)
    return profile_from_columns(builder.finish(), format=FORMAT.id, path=path)


FORMAT = ProfileFormat(
    "lines", "Lines of text", lambda name: name.endswith(".lines"), lambda head, _: head.startswith(_HEAD), read, endings=(".lines",)
)
