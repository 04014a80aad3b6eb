"""JaxLogger: metrics and parameters of JAX and Flax, fetched from the device by the writer's thread and not by training's."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Protocol, SupportsFloat, SupportsIndex, cast

from stepscope.integrations.framework import load
from stepscope.writer import SummaryWriter
from stepscope.writer.arrays import take
from stepscope.writer.histogram import NonFinite, histogram_work
from stepscope.writer.summary import Deferred, Moment, Step, float_tensor, metadata_of, moment_of, value_of

_NAMES = ("params",)
"""Where a training state, such as Flax's TrainState, keeps its parameters."""


class Array(Protocol):
    """The part of an array of JAX's that is used; none of it waits for the device."""

    shape: tuple[int, ...]
    nbytes: int
    is_fully_addressable: bool

    def copy_to_host_async(self) -> None:
        """Starts the copying."""
        ...


class JaxLogger:
    """Logs what a compiled step returns without waiting for it, so that the next step is dispatched at once.

    Of several processes only the first logs. A call inside a compiled function is refused: there, use stepscope.summary.
    """

    def __init__(self, writer: SummaryWriter) -> None:
        """Logs to the writer, which the caller closes."""
        self._writer = writer
        self._jax = load("jax", "jax")
        self._non_finite = NonFinite()
        self.step = 0
        """The highest step logged so far; a SystemMonitor can take it with `step=lambda: logger.step`."""

    def log_metrics(self, metrics: object, step: Step = None) -> None:
        """Logs every number in a dictionary, nested as it may be, by its path: {"loss": {"l2": x}} is loss/l2."""
        found = list(self._leaves(metrics))
        for name, value in found:
            if _size(value) != 1:
                raise TypeError(f"Give the metric {name} as one number, not as an array of the shape {getattr(value, 'shape', None)}.")
        moment = self._moment(step)
        if self._jax.process_index() != 0:
            return
        for name, value in found:
            if hasattr(value, "copy_to_host_async"):
                cast("Array", value).copy_to_host_async()
                self._writer.put_event(_scalar_work(name, value, moment))
            else:
                self._writer.add_scalar(name, cast("SupportsFloat | SupportsIndex", value), moment.step, moment.wall_time)

    def log_params(self, params: object, step: Step = None, prefix: str = "params") -> None:
        """Logs a histogram of every array in the parameters, or of those in a training state, by its path.

        Each is copied on the device first: the next step may be compiled to reuse the memory of the original.
        """
        tree = next((getattr(params, name) for name in _NAMES if hasattr(params, name)), params)
        found = list(self._leaves(tree))
        moment = self._moment(step)
        if self._jax.process_index() != 0:
            return
        for name, value in found:
            copy = self._jax.numpy.copy(value)
            self._writer.put_event(_histogram_work(f"{prefix}/{name}", copy, self._non_finite, moment))

    def _moment(self, step: Step) -> Moment:
        moment = moment_of(step, time.time())
        self.step = max(self.step, moment.step)
        return moment

    def _leaves(self, tree: object) -> Iterator[tuple[str, object]]:
        for path, value in self._jax.tree_util.tree_flatten_with_path(tree)[0]:
            # A variable of Flax's nnx keeps its array under that name, which is no part of the variable's own.
            own = path[:-1] if path and getattr(path[-1], "name", None) == "value" else path
            name = self._jax.tree_util.keystr(own, simple=True, separator="/")
            if isinstance(value, self._jax.core.Tracer):
                raise TypeError(f"Log {name} outside of the compiled function that computes it, or with stepscope.summary inside it.")
            if not getattr(value, "is_fully_addressable", True):
                raise TypeError(f"Log {name} once it is on one process; parts of it are on others.")
            yield name, value


def _size(value: object) -> int:
    size = 1
    for length in getattr(value, "shape", ()):
        size *= length
    return size


def _scalar_work(name: str, value: object, moment: Moment) -> Deferred:
    def make() -> bytes:
        number = take(value, name).reshape(())
        tensor = value_of(name).message("metadata", metadata_of("scalars")).message("tensor", float_tensor(number))
        return moment.event(tensor)

    return Deferred(make, cast("Array", value).nbytes)


def _histogram_work(name: str, value: object, non_finite: NonFinite, moment: Moment) -> Deferred:
    def make() -> bytes | None:
        return histogram_work(name, value, "tensorflow", None, non_finite, moment).make()

    return Deferred(make, cast("Array", value).nbytes)
