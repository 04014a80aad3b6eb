"""System metrics as counters of a profile: samples the machine every 100 ms while a profiler records, and adds them to its files."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from stepscope.capture.probe import Probe
from stepscope.capture.profilers.chrome_trace import base_of
from stepscope.capture.profilers.profiler import Profiler, Recorded
from stepscope.capture.profilers.xspace_plane import counter_plane, start_of
from stepscope.capture.system_probes import Probes, all_probes

INTERVAL_SECONDS = 0.1
MOST_SAMPLES = 36_000
"""An hour; what comes later is not sampled."""
_LONGEST_STOP_SECONDS = 2.0
_PROCESS = "system"
"""Beside the processes of the profile, as PyTorch has its own "Spans"."""
_log = logging.getLogger("stepscope.capture")


class Sample(NamedTuple):
    """What one counter was at one moment, in nanoseconds since 1970."""

    at: int
    group: str
    name: str
    value: float


class WithSystemCounters:
    """A profiler whose files have the machine's use beside what it records."""

    def __init__(self, profiler: Profiler, probes: Callable[[], Sequence[Probe]] | None = None) -> None:
        """`probes` makes the sources, by default all of stepscope.capture."""
        self._profiler = profiler
        self._make_probes = probes or (lambda: all_probes(None, children=False))
        self._samples: list[Sample] = []
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begins with the thread: its first sample is what later ones are compared with."""
        self._samples = []
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, args=(self._samples,), name="stepscope-counters", daemon=True)
        self._thread.start()
        try:
            self._profiler.start()
        except BaseException:
            self._stop.set()
            raise

    def step(self, number: int) -> AbstractContextManager[object]:
        """The profiler's."""
        return self._profiler.step(number)

    def span(self, name: str) -> AbstractContextManager[object]:
        """The profiler's."""
        return self._profiler.span(name)

    def op(self, name: str, inputs: Sequence[object]) -> AbstractContextManager[object]:
        """The profiler's."""
        return self._profiler.op(name, inputs)

    def stop(self, scratch: str) -> list[Recorded]:
        """What the profiler has written, with the counters; without them where they do not fit in."""
        self._stop.set()
        files = self._profiler.stop(scratch)
        if self._thread is not None:
            self._thread.join(_LONGEST_STOP_SECONDS)  # A driver that hangs keeps its thread.
            self._thread = None
        samples, self._samples = list(self._samples), []
        return [_with_samples(file, samples) for file in files] if samples else files

    def _run(self, samples: list[Sample]) -> None:
        probes = Probes([])
        try:
            probes = Probes(self._make_probes())
            wall, zero = time.time_ns(), time.perf_counter_ns()
            due = time.perf_counter()
            for _ in range(MOST_SAMPLES):
                at = wall + time.perf_counter_ns() - zero
                samples += (Sample(at, *_named(tag), value) for tag, value in probes.read(time.monotonic()))
                if self._stop.is_set():
                    break
                due = max(due + INTERVAL_SECONDS, time.perf_counter())
                self._stop.wait(due - time.perf_counter())
        except Exception as error:  # noqa: BLE001 (the profile goes on without counters)
            _log.warning("The profile has no system counters from here: %s: %s", type(error).__name__, error)
        finally:
            probes.close()


def _named(tag: str) -> tuple[str, str]:
    group, _, name = tag.rpartition("/")
    return group, name


def _with_samples(file: Recorded, samples: list[Sample]) -> Recorded:
    if file.notable:
        counted = ((at, f"{group} {name}", value) for at, group, name, value in samples)
        with open(file.path, "r+b") as space:
            plane = counter_plane(counted, start_of(space))
            space.seek(0, os.SEEK_END)
            space.write(plane)
        return file
    if not file.ending.endswith(".json"):
        return file
    return replace(file, events=tuple(_events(samples, base_of(file.path))))


def _events(samples: list[Sample], base: int) -> Iterator[str]:
    """Counters of one group that were read together are one event, as Chrome's format has it."""
    yield json.dumps({"ph": "M", "name": "process_name", "pid": _PROCESS, "tid": 0, "args": {"name": "system"}})
    for (at, group), together in groupby(samples, lambda sample: sample[:2]):
        values = {name: value for _, _, name, value in together}
        yield json.dumps({"ph": "C", "name": group, "pid": _PROCESS, "tid": 0, "ts": (at - base) / 1e3, "args": values})
