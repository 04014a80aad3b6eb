"""Profiles some batches of a Keras training with the profiler of the backend that it runs on."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from typing import Any, Protocol, cast

from stepscope.integrations.framework import load

_log = logging.getLogger("stepscope.integrations")

Batches = int | str | tuple[int, int] | list[int]


class Profiler(Protocol):
    """What a backend's profiler does."""

    def start(self, folder: str) -> None:
        """Begins to record."""
        ...

    def batch(self, number: int) -> contextlib.AbstractContextManager[object]:
        """Marks one batch as a step."""
        ...

    def stop(self) -> None:
        """Writes what was recorded into the folder."""
        ...


class BatchProfile:
    """Starts and stops the profiler at the batches that profile_batch names; trouble with it never ends training."""

    def __init__(self, profile_batch: Batches, backend: Callable[[], str]) -> None:
        """Takes what Keras takes: a number, a pair, or either as text; 0 is none. `backend` tells which one is used."""
        self._first, self._last = _range_of(profile_batch)
        self._backend = backend
        self._profiler: Profiler | None = None
        self._step = contextlib.ExitStack()

    def begin_batch(self, number: int, folder: str) -> None:
        """Called before a batch; batches are counted from 1."""
        if number == self._first and self._profiler is None:
            self._attempt(lambda: self._start(folder))
        profiler = self._profiler
        if profiler is not None:
            self._attempt(lambda: self._step.enter_context(profiler.batch(number)))

    def end_batch(self, number: int) -> None:
        """Called after a batch."""
        if self._profiler is None:
            return
        self._attempt(self._step.close)
        if number >= self._last:
            self.close()

    def close(self) -> None:
        """Writes the profile, also when training ended before its last batch."""
        profiler, self._profiler = self._profiler, None
        if profiler is not None:
            self._attempt(profiler.stop)

    def _start(self, folder: str) -> None:
        profiler = _PROFILERS[self._backend()]()
        profiler.start(folder)
        self._profiler = profiler

    def _attempt(self, action: Callable[[], object]) -> None:
        try:
            action()
        except Exception as error:  # noqa: BLE001 (a profile is worth less than the training)
            self._profiler = None
            self._first = 0
            _log.warning("Profiling stopped: %s: %s", type(error).__name__, error)


class _TensorFlowProfiler:
    def __init__(self) -> None:
        self._profiler = load("tensorflow", "tensorflow").profiler.experimental

    def start(self, folder: str) -> None:
        self._profiler.start(folder)

    def batch(self, number: int) -> contextlib.AbstractContextManager[object]:
        return self._profiler.Trace("train", step_num=number, _r=1)

    def stop(self) -> None:
        self._profiler.stop()


class _JaxProfiler:
    def __init__(self) -> None:
        self._profiler = load("jax", "jax").profiler

    def start(self, folder: str) -> None:
        self._profiler.start_trace(folder)

    def batch(self, number: int) -> contextlib.AbstractContextManager[object]:
        return self._profiler.StepTraceAnnotation("train", step_num=number)

    def stop(self) -> None:
        self._profiler.stop_trace()


class _TorchProfiler:
    def __init__(self) -> None:
        self._profiler = load("torch", "torch").profiler
        self._recording: Any = None

    def start(self, folder: str) -> None:
        """Written as the handler does for torch's own TensorBoard plugin: <folder>/<host>_<pid>.<time>.pt.trace.json."""
        self._recording = self._profiler.profile(on_trace_ready=self._profiler.tensorboard_trace_handler(folder))
        self._recording.start()

    def batch(self, number: int) -> contextlib.AbstractContextManager[object]:
        return self._profiler.record_function(f"ProfilerStep#{number}")

    def stop(self) -> None:
        self._recording.stop()


_PROFILERS: dict[str, Callable[[], Profiler]] = {
    "tensorflow": _TensorFlowProfiler,
    "jax": _JaxProfiler,
    "torch": _TorchProfiler,
}


def _range_of(profile_batch: Batches) -> tuple[int, int]:
    parts: object = profile_batch.split(",") if isinstance(profile_batch, str) else profile_batch
    numbers = list(cast("list[object]", parts)) if isinstance(parts, list | tuple) else [parts]
    try:
        first, last = (int(cast("int", number)) for number in (numbers * 2 if len(numbers) == 1 else numbers))
    except (TypeError, ValueError):
        first, last = -1, -1
    if first < 0 or last < first:
        raise ValueError(f"Give profile_batch as a batch or a pair of batches, the earlier first, not as {profile_batch!r}.")
    return first, last
