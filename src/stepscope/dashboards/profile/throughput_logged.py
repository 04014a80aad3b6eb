"""Epochs and step times as runs have logged them, for recordings that mark no epochs and for folders without any profile."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from stepscope.analyses.input.batch_hyperparameters import batch_readings
from stepscope.analyses.throughput.batch_size import agreed, with_readings
from stepscope.analyses.throughput.epochs import Epoch, epochs_logged
from stepscope.dashboards.profile.messages import SessionText
from stepscope.dashboards.profile.throughput import EpochRow, epoch_rows
from stepscope.queries.epoch_series import EpochRun, EpochSeries, epoch_runs, epoch_series, find_run
from stepscope.session.reads import Reads

MOST_RUNS = 1_000


class LoggedEpochsRequest(Struct, frozen=True):
    """The session whose run comes first, and the run whose epochs are wanted (none: the first that belongs to the session)."""

    session: SessionText = ""
    run: Annotated[str, Meta(max_length=64)] = ""


class LoggedRun(Struct, frozen=True):
    """A run that has logged epochs; `near` when it belongs to the session: the same folder, one inside the other, or side by side."""

    run: str
    run_name: str
    near: bool


class LoggedEpochs(Struct, frozen=True):
    """Epochs of one run and the series that they come from; `step_seconds` is the median of the steps that it has logged.

    `batch` is by the run's hyperparameters, null when they do not tell; `batch_from` says which, or why not.
    """

    run: str
    run_name: str
    series: list[str]
    epochs: list[EpochRow]
    epochs_total: int
    step_seconds: float | None
    steps_logged: int
    batch: int | None
    batch_from: str
    note: str


class LoggedEpochsAnswer(Struct, frozen=True):
    """Runs that have logged epochs, nearest first, and the epochs of one of them; null where no run belongs to the session."""

    epoch: int
    runs: list[LoggedRun]
    total: int
    logged: LoggedEpochs | None


def logged_epochs_answer(reads: Reads, request: LoggedEpochsRequest) -> LoggedEpochsAnswer:
    """Without a session all runs belong. Raises NotThere for a session or run that there is not."""
    library = reads.library
    found = epoch_runs(library, request.session)
    wanted = find_run(library, request.run) if request.run else next((run for run in found if run.near), None)
    return LoggedEpochsAnswer(
        epoch=library.snapshot.epoch,
        runs=[LoggedRun(run.id, run.name, run.near) for run in found[:MOST_RUNS]],
        total=len(found),
        logged=None if wanted is None else logged_epochs(wanted, epoch_series(library, wanted)),
    )


def logged_epochs(run: EpochRun, series: EpochSeries) -> LoggedEpochs:
    """What one run has logged."""
    epochs = epochs_logged(series)
    steps = _lengths(series)
    sources, unknown = with_readings([], batch_readings(run.hyperparameters(), 1, accumulates=None))
    batch, origin, _ = agreed(sources)
    return LoggedEpochs(
        run=run.id,
        run_name=run.name,
        series=series.tags,
        epochs=epoch_rows(epochs),
        epochs_total=len(epochs),
        step_seconds=float(np.median(steps)) if len(steps) else None,
        steps_logged=len(steps),
        batch=batch,
        batch_from=origin or unknown,
        note=_note(series, epochs),
    )


def _lengths(series: EpochSeries) -> NDArray[np.float64]:
    if series.steps is None:
        return np.zeros(0)
    return series.steps.value[series.steps.value > 0]


def _note(series: EpochSeries, epochs: list[Epoch]) -> str:
    """Why parts are missing, and what to log; empty when nothing is."""
    if not epochs:
        return "It takes the ends of two epochs, or one logged length, to tell how long an epoch is."
    if any(each.train is not None for each in epochs):
        missing = [f"step_time/{part}" for part in ("validation", "checkpoint") if part not in series.parts]
        return f"What {' and '.join(missing)} would tell counts as time between, since the run has not logged it." if missing else ""
    if series.ends is None:
        return "Parts of an epoch need the series epoch as well: its number, logged at its last step."
    if series.steps is None:
        return "Parts of an epoch need the seconds of every step, logged as step_time/total."
    return "Parts of an epoch need the seconds of every step; step_time was logged for some of them only."
