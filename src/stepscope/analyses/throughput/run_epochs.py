"""What one run has logged of its epochs and steps: their times, the size of a batch, and what else to log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.input.batch_hyperparameters import batch_readings
from stepscope.analyses.throughput.batch_size import agreed, with_readings
from stepscope.analyses.throughput.epochs import Epoch, epochs_logged
from stepscope.queries.epoch_series import PARTS, EpochSeries


@dataclass(frozen=True, slots=True)
class RunEpochs:
    """Epochs of one run, and the series that they come from."""

    series: tuple[str, ...]
    epochs: tuple[Epoch, ...]
    step_seconds: float | None  # median of the logged steps
    steps_logged: int
    batch_size: int | None  # by the run's hyperparameters
    batch_size_from: str  # which of them, or why it is unknown
    note: str  # why parts of epochs are unknown, and what to log; "" when nothing is missing


def run_epochs(series: EpochSeries, hyperparameters: Mapping[str, str]) -> RunEpochs:
    """What the series of a run say."""
    epochs = epochs_logged(series)
    steps = np.zeros(0) if series.steps is None else series.steps.value[series.steps.value > 0]
    sources, unknown = with_readings([], batch_readings(hyperparameters, 1, accumulates=None))
    batch_size, origin, _ = agreed(sources)
    return RunEpochs(
        series=tuple(series.tags),
        epochs=tuple(epochs),
        step_seconds=float(np.median(steps)) if len(steps) else None,
        steps_logged=len(steps),
        batch_size=batch_size,
        batch_size_from=origin or unknown,
        note=_note(series, epochs),
    )


def _note(series: EpochSeries, epochs: Sequence[Epoch]) -> str:
    if not epochs:
        return "The length of an epoch is unknown until the ends of two epochs, or the seconds of one, are logged."
    if any(each.train is not None for each in epochs):
        missing = [f"step_time/{part}" for part in PARTS if part not in series.parts]
        return f"Time between includes what {' and '.join(missing)} would measure, which the run has not logged." if missing else ""
    if series.by_epoch is not None:
        return f"An epoch lasts from one point of {series.by_epoch.tag} to the next, which includes validation and checkpoints."
    if series.ends is None:
        return "Parts of an epoch need the series epoch as well: its number, logged at its last step."
    if series.steps is None:
        return "Parts of an epoch need the seconds of every step, logged as step_time/total."
    return "Parts of an epoch need the seconds of every step; step_time was logged for some of them only."
