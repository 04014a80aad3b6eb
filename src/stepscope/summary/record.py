"""The way of every summary: the default writer, the step, the condition, and only then the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from stepscope.summary.writers import default_writer, missing_writer
from stepscope.writer.compiled import Shape, compiler
from stepscope.writer.recording import DefaultWriter, calls, condition_at
from stepscope.writer.summary import Deferred, moment_of

Check = Callable[[Shape], None]
"""Refuses a shape."""


def record(put: Callable[..., None], values: tuple[object, ...], step: object, check: Check | None = None) -> object:
    """Calls `put` with the default writer, the step and the values, which it takes. Whether that was done is returned.

    Inside compiled code it is done whenever the code runs; only the shape of the first value is checked at once.
    """
    writer = default_writer()
    if writer is None:
        return missing_writer()
    at = calls.step if step is None else step
    tracing = compiler()
    if tracing is None:
        if calls.condition is not None and not condition_at(at):
            return False
        put(writer, step_number(at), *values)
        return True
    condition = condition_at(at)
    if at is None:
        raise_missing_step()
    shape = None if check is None else tracing.shape_of(values[0])
    if check is not None and shape is not None:
        check(shape)

    def arrive(at: object, *values: object) -> None:
        put(writer, step_number(at), *values)

    return tracing.call_back(arrive, (at, *values), condition)


def record_event(make: Callable[..., Deferred], values: tuple[object, ...], step: object, check: Check | None = None) -> object:
    """The same for what becomes an event: `make` is called with the moment and the values."""

    def put(writer: DefaultWriter, at: int, *values: object) -> None:
        writer.put_event(make(moment_of(at, None), *values))

    return record(put, values, step, check)


def step_number(step: Any) -> int:  # noqa: ANN401 (a number of any framework)
    """The step as a plain number; an array has to have one element."""
    if step is None:
        raise_missing_step()
    item = getattr(step, "item", None)
    return int(step if item is None else item())


def raise_missing_step() -> NoReturn:
    """Of a call at no step."""
    raise ValueError("Give the summary a step: with step=…, as_default(step=…) or stepscope.summary.experimental.set_step(…).")
