"""Scalars: takes the number, step and time at the call, in the form the native encoder reads."""

from __future__ import annotations

from collections.abc import Callable
from time import time
from typing import Any, Literal, SupportsFloat, SupportsIndex, SupportsInt, cast

Precision = Literal["float32", "float64"]

SIMPLE = 0
FLOAT_TENSOR = 1
DOUBLE_TENSOR = 2

ScalarEntry = tuple[bytes, int, float, float] | tuple[bytes, int, float, float, int]
"""Tag, step, wall time, value, and how to write it where that is not the encoder's own form."""

FORM_OF_PRECISION: dict[Precision, int] = {"float32": SIMPLE, "float64": DOUBLE_TENSOR}

OWN_FORM = -1
"""The form that the queue was made with."""

QUEUED, QUEUED_UNSEEN, FULL, UNKNOWN_TYPE, CONDITIONAL = range(5)
"""What the native queue did with a point."""

LOWEST_STEP = -(2**63)
HIGHEST_STEP = 2**63 - 1


def scalar_entry(
    tag: object,
    value: object,
    step: object,
    walltime: float | None,
    form: int | None,
) -> ScalarEntry:
    """What is queued for one point; later changes to an array that was passed do not reach it."""
    value, step = as_float(value), as_step(step)
    if not isinstance(tag, str):
        raise TypeError(f"Give the tag as a string, not as {type(tag).__name__}.")
    # A lone surrogate, as undecodable file names have, would make the record unreadable for TensorBoard.
    name = tag.encode("utf-8", "backslashreplace")
    when = as_time(walltime)
    return (name, step, when, value) if form is None else (name, step, when, value, form)


def form_of_call(new_style: bool, double_precision: bool) -> int:
    """The form that torch's two flags ask for."""
    if not new_style:
        return OWN_FORM
    return DOUBLE_TENSOR if double_precision else FLOAT_TENSOR


def as_float(value: Any) -> float:  # noqa: ANN401 (a number of any framework)
    """The number in anything with one element: NumPy, torch, JAX and TensorFlow values included."""
    if isinstance(value, str | bytes):
        raise TypeError(f"Give the value as a number, not as {type(value).__name__}.")
    try:
        array = value.numpy() if not hasattr(value, "item") and hasattr(value, "numpy") else value  # TensorFlow's tensors
        item: Callable[[], SupportsFloat] | None = getattr(array, "item", None)
        return float(item() if item is not None else cast("SupportsFloat", array))
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise TypeError(f"Give the value as one number, not as {type(value).__name__} ({_first_line(error)}).") from error


def as_step(step: object) -> int:
    """The step of a call; none is 0."""
    try:
        number = 0 if step is None else int(cast("SupportsInt | SupportsIndex", step))
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise TypeError(f"Give the step as an integer, not as {type(step).__name__} ({_first_line(error)}).") from error
    if not LOWEST_STEP <= number <= HIGHEST_STEP:
        raise ValueError(f"Give a step that fits 64 bits; {number} does not.")
    return number


def as_time(walltime: object) -> float:
    """The time of a call, in seconds since 1970; none is now."""
    try:
        return time() if walltime is None else float(cast("SupportsFloat", walltime))
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise TypeError(f"Give walltime in seconds, not as {type(walltime).__name__} ({_first_line(error)}).") from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".")
