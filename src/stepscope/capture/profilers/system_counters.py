"""System metrics as counters of a profile: samples the machine every 100 ms while a profiler records, and adds them to its files."""

from __future__ import annotations

import functools
import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from stepscope.capture.probe import Probe
from stepscope.capture.profilers.chrome_trace import base_of
from stepscope.capture.profilers.profiler import Addition, Profiler, Recorded
from stepscope.capture.profilers.wrapped import Wrapped
from stepscope.capture.profilers.xspace_plane import counter_plane, start_of
from stepscope.capture.system_probes import Probes, all_probes

INTERVAL_SECONDS = 0.1
MOST_SAMPLES = 36_000
"""An hour; what comes later is not sampled."""
_LONGEST_STOP_SECONDS = 2.0
_PROCESS = "system"
"""Beside the processes of the profile, as PyTorch has its own "Spans"."""
_log = logging.getLogger("stepscope.capture")


@functools.cache
def prepare_counters() -> None:
    """Loads psutil and asks drivers once, before anything is recorded: that takes 30 ms, as long as several steps."""
    probes = Probes(all_probes(None, children=False))
    probes.read(time.monotonic())
    probes.close()


class Sample(NamedTuple):
    """What one counter was at one moment, in nanoseconds since 1970."""

    at: int
    group: str
    name: str
    value: float


class WithSystemCounters(Wrapped):
    """A profiler whose files have the machine's use beside what it records."""

    def __init__(self, profiler: Profiler, probes: Callable[[], Sequence[Probe]] | None = None) -> None:
        """`probes` makes the sources, by default all of stepscope.capture."""
        super().__init__(profiler)
        self._make_probes = probes or (lambda: all_probes(None, children=False))
        self._samples: list[Sample] = []
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Begins with the thread: its first sample is what later ones are compared with."""
        self._samples, self._stop = [], threading.Event()
        self._thread = threading.Thread(target=self._run, args=(self._samples, self._stop), name="stepscope-counters", daemon=True)
        self._thread.start()

    def end(self) -> Addition:
        """The last sample is taken while training goes on."""
        self._stop.set()
        samples, thread = self._samples, self._thread

        def add(file: Recorded) -> Recorded:
            if thread is not None:
                thread.join(_LONGEST_STOP_SECONDS)  # A driver that hangs keeps its thread.
            return _with_samples(file, list(samples)) if samples else file

        return add

    def _run(self, samples: list[Sample], stop: threading.Event) -> None:
        probes = Probes([])
        try:
            probes = Probes(self._make_probes())
            wall, zero = time.time_ns(), time.perf_counter_ns()
            due = time.perf_counter()
            for _ in range(MOST_SAMPLES):
                sys.setprofile(None)  # A profiler that records the functions of all threads would record, and slow down, this one.
                at = wall + time.perf_counter_ns() - zero
                samples += (Sample(at, *_named(tag), value) for tag, value in probes.read(time.monotonic()))
                if stop.is_set():
                    break
                due = max(due + INTERVAL_SECONDS, time.perf_counter())
                stop.wait(due - time.perf_counter())
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
    return replace(file, events=(*file.events, *_events(samples, base_of(file.path))))


def _events(samples: list[Sample], base: int) -> Iterator[str]:
    """Counters of one group that were read together are one event, as Chrome's format has it."""
    yield json.dumps({"ph": "M", "name": "process_name", "pid": _PROCESS, "tid": 0, "args": {"name": "system"}})
    for (at, group), together in groupby(samples, lambda sample: sample[:2]):
        values = {name: value for _, _, name, value in together}
        yield json.dumps({"ph": "C", "name": group, "pid": _PROCESS, "tid": 0, "ts": (at - base) / 1e3, "args": values})
