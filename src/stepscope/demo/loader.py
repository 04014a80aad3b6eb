"""A data loader: makes batches in the training process or, with a worker, in a process beside it."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self, cast

import numpy as np

from stepscope import span
from stepscope.demo.tones import Batch, Tones

_CLOSE_SECONDS = 5.0


class DataLoader:
    """Random batches of a data set, without end. The same seed gives the same batches, with and without a worker."""

    def __init__(self, tones: Tones, batch_size: int, seed: int, *, workers: int) -> None:
        """workers: 0 to make batches in the training process, 1 to make them in a process of their own."""
        self._worker = _Worker(tones, batch_size, seed) if workers else None
        self._batches = self._worker or _batches(tones, batch_size, seed)
        # The names that PyTorch's profiler gives to the wait for a batch.
        iterator = "_MultiProcessingDataLoaderIter" if workers else "_SingleProcessDataLoaderIter"
        self._wait = f"enumerate(DataLoader)#{iterator}.__next__"

    def __next__(self) -> Batch:
        with span(self._wait):
            return next(self._batches)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._worker is not None:
            self._worker.close()


def _batches(tones: Tones, batch_size: int, seed: int) -> Iterator[Batch]:
    random = np.random.default_rng(seed)
    while True:
        yield tones.batch(random.integers(0, len(tones), batch_size), random)


class _Worker:
    """A process that is always one batch ahead: it makes the next one while the last one is used."""

    def __init__(self, *arguments: object) -> None:
        context = multiprocessing.get_context("spawn")  # A fork of a process with threads may hang.
        self._receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_produce, args=(sender, *arguments), daemon=True)
        self._process.start()
        sender.close()

    def __next__(self) -> Batch:
        return cast("Batch", self._receiver.recv())

    def close(self) -> None:
        """Ends the process: it cannot send to a closed pipe."""
        self._receiver.close()
        self._process.terminate()
        self._process.join(_CLOSE_SECONDS)


def _produce(sender: Connection, tones: Tones, batch_size: int, seed: int) -> None:
    """What the worker does, until nobody receives any more."""
    try:
        for batch in _batches(tones, batch_size, seed):
            sender.send(batch)
    except (BrokenPipeError, ConnectionResetError):
        return
