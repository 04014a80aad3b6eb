"""Summaries that a Keras model logs while its batches run: where they go, at which step, and how often."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsFloat, SupportsIndex

from stepscope.integrations.framework import load
from stepscope.writer import SummaryWriter
from stepscope.writer.recording import DefaultWriter, calls, share
from stepscope.writer.summary import Deferred, Step


class BatchSummaries:
    """While it is open, calls of stepscope.summary in the model go to the writer, with the number of the batch as their step.

    Inside compiled code a number would stay what it was when the code was traced. TensorFlow gets a variable for it, which
    its graph reads; for the others the number is asked for when the values arrive. The same one serves again and again,
    because compiled code keeps the writer and the variable that it was traced with.
    """

    def __init__(self, writer: SummaryWriter, every: int, batch: Callable[[], int], backend: str) -> None:
        """Passes on every so many batches, whose number `batch` tells."""
        self._batch = batch
        self._writer = _EveryBatch(writer, every, batch)
        self._variable: Any = None
        if backend == "tensorflow":
            tensorflow = load("tensorflow", "tensorflow")
            self._variable = tensorflow.Variable(batch(), dtype=tensorflow.int64, trainable=False)
        self._before: tuple[DefaultWriter | None, object] = (None, None)

    def open(self) -> None:
        """Becomes this thread's default."""
        self._before = calls.writer, calls.step
        calls.writer = self._writer
        calls.step = _Current(self._batch) if self._variable is None else self._variable
        share()

    def begin_batch(self) -> None:
        """Called before each batch, once it has its number."""
        if self._variable is not None:
            self._variable.assign(self._batch())

    def close(self) -> None:
        """Gives the thread back what was its default before."""
        calls.writer, calls.step = self._before


class _Current:
    """The number of the batch at the time when it is asked for."""

    def __init__(self, batch: Callable[[], int]) -> None:
        self._batch = batch

    def item(self) -> int:
        return self._batch()

    def __int__(self) -> int:
        return self._batch()

    def __mod__(self, other: int) -> int:
        return self._batch() % other


class _EveryBatch:
    """Passes on what belongs to every so many batches. It is asked when values arrive, which is after any compiling."""

    def __init__(self, writer: SummaryWriter, every: int, batch: Callable[[], int]) -> None:
        self._writer = writer
        self._every = every
        self._batch = batch

    def put_scalar(self, tag: str, value: SupportsFloat | SupportsIndex, step: Step) -> None:
        if self._batch() % self._every == 0:
            self._writer.put_scalar(tag, value, step)

    def put_event(self, work: Deferred) -> None:
        if self._batch() % self._every == 0:
            self._writer.put_event(work)

    def flush(self) -> None:
        self._writer.flush()
