"""Samples of our own sampling profiler beside those of a framework's profiler: in the same file, and on the same clock."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from stepscope.capture.profilers.added_tracks import AddedSpan, AddedTrack, with_tracks
from stepscope.capture.profilers.profiler import Addition, Profiler
from stepscope.capture.profilers.python_trace import Clock
from stepscope.capture.profilers.sampler import SampledSpan, Sampler
from stepscope.capture.profilers.wrapped import Wrapped


class WithSamples(Wrapped):
    """A profiler whose files have the Python functions of all threads, sampled, as tracks of their own."""

    def __init__(self, profiler: Profiler) -> None:
        """Starts nothing yet."""
        super().__init__(profiler)
        self._sampler = Sampler()
        self._clock = Clock(0, 0)

    def begin(self) -> None:
        """Ties the clock of samples to the time of day."""
        self._clock = Clock.now()
        self._sampler.start()

    def end(self) -> Addition:
        """Spans are made of the samples while training goes on."""
        self._sampler.stop()
        tracks, clock = list(sampled_tracks(self._sampler)), self._clock
        return lambda file: with_tracks(file, tracks, clock)


def sampled_tracks(sampler: Sampler, prefix: str = "") -> Iterator[AddedTrack]:
    """A track for each thread of this process that was sampled, named after it."""
    names = {thread.native_id: thread.name for thread in threading.enumerate()}
    for thread in sorted(sampler.samples):
        name = f"{prefix}{names.get(thread, f'thread {thread}')}"
        yield AddedTrack("samples", name, thread, thread, [AddedSpan(*span) for span in outer_first(sampler.spans(thread))])


def outer_first(spans: list[SampledSpan]) -> list[SampledSpan]:
    """Those that end together come with the inner ones first, which would make them the outer ones for readers."""
    ordered = spans[::-1]
    ordered.sort(key=lambda span: (span.start, -span.end))
    return ordered
