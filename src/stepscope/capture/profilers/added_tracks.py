"""Spans of threads that are added to a profile that its profiler has written, on the profile's clock."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from stepscope.capture.profilers.chrome_trace import base_of
from stepscope.capture.profilers.inputs import traced_operation
from stepscope.capture.profilers.profiler import Recorded
from stepscope.capture.profilers.python_trace import Clock
from stepscope.capture.profilers.xspace_plane import XSpaceSpan, span_plane, start_of

SAMPLES = "Python samples"
"""The process of sampled threads in a Chrome trace, and the start of their lines in an XSpace: readers know them by it."""
_SAMPLES_PLANE = "/host:python-samples"
_OPS_PLANE = "/host:marked-ops"
_FIRST_SAMPLED_LINE = 1 << 40
"""Lines of an XSpace that have the number of a thread belong to it, and these do not."""


class AddedSpan(NamedTuple):
    """One span, by time.perf_counter_ns; `bytes` are what an operation reads and writes, 0 when unknown."""

    name: str
    start: int
    end: int
    bytes: int = 0


class AddedTrack(NamedTuple):
    """The spans of one thread, outer ones first."""

    kind: Literal["samples", "ops"]
    name: str
    thread: int
    """The kernel's number of the thread, as PyTorch's profiler has it."""
    hashed: int
    """The hash of its number that lines of TensorFlow's and JAX's profilers have."""
    spans: Sequence[AddedSpan]


def with_tracks(file: Recorded, tracks: Sequence[AddedTrack], clock: Clock) -> Recorded:
    """The file with these tracks; as it is where it is neither an XSpace nor a Chrome trace."""
    if file.notable:
        with open(file.path, "r+b") as space:
            planes = b"".join(_planes(tracks, clock, start_of(space)))
            space.seek(0, os.SEEK_END)
            space.write(planes)
        return file
    if not file.ending.endswith(".json"):
        return file
    return replace(file, events=(*file.events, *_events(tracks, clock, base_of(file.path))))


def _events(tracks: Sequence[AddedTrack], clock: Clock, base: int) -> Iterator[str]:
    if any(track.kind == "samples" for track in tracks):
        yield json.dumps({"ph": "M", "name": "process_name", "pid": SAMPLES, "tid": 0, "args": {"name": SAMPLES}})
    shift = clock.wall_ns - clock.zero_ns - base
    for track in tracks:
        is_sampled = track.kind == "samples"
        place: dict[str, object] = {"pid": SAMPLES if is_sampled else os.getpid(), "tid": track.thread}
        if is_sampled:
            yield json.dumps({"ph": "M", "name": "thread_name", **place, "args": {"name": track.name}})
        facts: dict[str, object] = {"ph": "X", "cat": "python_function" if is_sampled else "cpu_op", **place}
        for name, start, end, size in track.spans:
            times = {"ts": (start + shift) / 1e3, "dur": (end - start) / 1e3}
            yield json.dumps({**facts, "name": name, **times, **({"args": {"bytes": size}} if size else {})})


def _planes(tracks: Sequence[AddedTrack], clock: Clock, base: int) -> Iterator[bytes]:
    shift = clock.wall_ns - clock.zero_ns - base
    sampled = [track for track in tracks if track.kind == "samples"]
    marked = [track for track in tracks if track.kind == "ops"]
    if sampled:
        yield span_plane(
            _SAMPLES_PLANE,
            (
                (_FIRST_SAMPLED_LINE + place, f"{SAMPLES}: {track.name}", [_sampled(span, shift) for span in track.spans])
                for place, track in enumerate(sampled)
            ),
        )
    if marked:
        yield span_plane(
            _OPS_PLANE,
            ((track.hashed, track.name, [_marked(span, shift) for span in track.spans]) for track in marked),
        )


def _sampled(span: AddedSpan, shift: int) -> XSpaceSpan:
    """Named as TensorFlow's own tracer names functions of Python: $file.py:12 function."""
    place, _, function = span.name.partition(": ")
    file, _, line = place.rpartition("(")
    return XSpaceSpan(f"${os.path.basename(file)}:{line.rstrip(')')} {function}", span.start + shift, span.end + shift)


def _marked(span: AddedSpan, shift: int) -> XSpaceSpan:
    named, _ = traced_operation(span.name, ())
    return XSpaceSpan(named, span.start + shift, span.end + shift, named, span.bytes)
