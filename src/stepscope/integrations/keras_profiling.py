"""Which batches of a Keras training are profiled: those of profile_batch, or of the environment."""

from __future__ import annotations

from typing import cast

from stepscope.capture.marked_steps import MarkedSteps
from stepscope.capture.profile import profile

Batches = int | str | tuple[int, int] | list[int]


def batch_profile(folder: str, batches: tuple[int, int], backend: str) -> MarkedSteps | None:
    """The capture of a training that begins, with the backend's own profiler; None when no batches are chosen.

    Batches are counted from 1. Where profile_batch chooses none, STEPSCOPE_PROFILE may.
    """
    first, last = batches
    if first:
        return MarkedSteps(profile(folder, steps=range(first, last + 1), framework=backend))
    return MarkedSteps.from_environment(folder, backend)


def checked_batches(profile_batch: Batches) -> tuple[int, int]:
    """First and last batch, from what Keras takes: a number, a pair, or either as text; (0, 0) is none. Raises ValueError."""
    parts: object = profile_batch.split(",") if isinstance(profile_batch, str) else profile_batch
    numbers = list(cast("list[object]", parts)) if isinstance(parts, list | tuple) else [parts]
    try:
        first, last = (int(cast("int", number)) for number in (numbers * 2 if len(numbers) == 1 else numbers))
    except (TypeError, ValueError):
        first, last = -1, -1
    if first < 0 or last < first:
        raise ValueError(f"Give profile_batch as a batch or a pair of batches, the earlier first, not as {profile_batch!r}.")
    return first, last
