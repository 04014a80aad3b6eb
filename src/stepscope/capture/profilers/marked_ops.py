"""Operations that C and C++ libraries mark with stepscope_op.h, in the files of a profiler, and where that header is."""

from __future__ import annotations

import logging
import os
from itertools import groupby

from stepscope._native import start_marked_ops, stop_marked_ops
from stepscope.capture.profilers.added_tracks import AddedSpan, AddedTrack, with_tracks
from stepscope.capture.profilers.profiler import Addition, Profiler
from stepscope.capture.profilers.python_trace import Clock
from stepscope.capture.profilers.wrapped import Wrapped

_log = logging.getLogger("stepscope.capture")


def get_include() -> str:
    """The folder of stepscope_op.h, with which C and C++ code marks its operations."""
    import stepscope

    return os.path.join(os.path.dirname(os.path.abspath(stepscope.__file__)), "include")


class WithMarkedOps(Wrapped):
    """A profiler whose files have these operations on the threads that ran them."""

    def __init__(self, profiler: Profiler) -> None:
        """Touches no library yet."""
        super().__init__(profiler)
        self._clock = Clock(0, 0)

    def begin(self) -> None:
        """Libraries that were loaded since the last capture are found here."""
        self._clock = Clock.now()
        start_marked_ops()

    def end(self) -> Addition | None:
        """Takes what was marked."""
        ops, dropped = stop_marked_ops()
        if dropped:
            _log.warning("%s operations of C and C++ code were left out: one capture has at most %s.", f"{dropped:,}", f"{len(ops):,}")
        ordered = sorted(ops, key=lambda op: (op[3], op[1], -op[2]))
        tracks = [
            AddedTrack(
                "ops", f"thread {thread[0]}", *thread, [AddedSpan(name, start, end, size) for name, start, end, _, _, size in marked]
            )
            for thread, marked in groupby(ordered, lambda op: (op[3], op[4]))
        ]
        clock = self._clock
        return (lambda file: with_tracks(file, tracks, clock)) if tracks else None
