"""Epochs as several answers have them: those that a profile marks, and those that a run has logged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.shared_columns import RunKey

if TYPE_CHECKING:
    from stepscope.analyses.throughput.epochs import Epoch
    from stepscope.queries.epoch_series import EpochRun, EpochSeries


class EpochTime(Struct, frozen=True, kw_only=True):
    """One epoch; its parts exclude each other and sum to it."""

    epoch: Annotated[int, d.number("Number of the epoch.", "epoch")]
    steps: Annotated[int, d.count("Steps of the epoch; 0 when unknown.")]
    seconds: Annotated[float, d.seconds("Duration.")]
    first_step_seconds: Annotated[float | None, d.seconds("First step; null when unknown.")]
    train_seconds: Annotated[float | None, d.seconds("All other steps; null when unknown.")]
    validation_seconds: Annotated[float | None, d.seconds("Validation; null when unknown.")]
    checkpoint_seconds: Annotated[float | None, d.seconds("Checkpoints; null when unknown.")]
    between_seconds: Annotated[float | None, d.seconds("Everything else; null when unknown.")]
    examples_per_second: Annotated[float | None, d.per_second("Examples of its training; null when unknown.", "examples")]


class LoggedEpochs(Struct, frozen=True, kw_only=True):
    """Epochs and step times that one run has logged."""

    run: RunKey
    run_name: Annotated[str, d.text("Name of the run.")]
    series: Annotated[list[str], d.nested("Tags of the series that have them.")]
    epochs: Annotated[list[EpochTime], d.nested("The epochs; of more than `limit` the last ones.")]
    epochs_total: Annotated[int, d.count("Number of epochs.")]
    step_seconds: Annotated[float | None, d.seconds("Median of the logged step times; null when the run logs none.")]
    steps_logged: Annotated[int, d.count("Number of logged step times.")]
    batch_size: Annotated[int | None, d.count("Examples in a step by the run's hyperparameters; null when unknown.")]
    batch_size_from: Annotated[str, d.text("Which hyperparameter, or why it is unknown.")]
    note: Annotated[str, d.text("Why parts of epochs are unknown, and what to log; empty when nothing is missing.")]


def epoch_times(epochs: Sequence[Epoch], limit: int = 0, batch: int | None = None, ranks: int = 1) -> list[EpochTime]:
    """The last `limit` epochs, or all of them when it is 0. With a batch, also their examples per second where none are logged."""
    return [_epoch_time(each, batch, ranks) for each in (epochs[-limit:] if limit else epochs)]


def logged_epochs(run: EpochRun, series: EpochSeries, limit: int = 0) -> LoggedEpochs:
    """What a run has logged."""
    from stepscope.analyses.throughput.run_epochs import run_epochs

    found = run_epochs(series, run.hyperparameters())
    return d.fill(
        LoggedEpochs,
        found,
        run=run.id,
        run_name=run.name,
        epochs=epoch_times(found.epochs, limit),
        epochs_total=len(found.epochs),
    )


def _epoch_time(epoch: Epoch, batch: int | None, ranks: int) -> EpochTime:
    return d.fill(
        EpochTime,
        epoch,
        epoch=epoch.number,
        first_step_seconds=epoch.first_step,
        train_seconds=epoch.train,
        validation_seconds=epoch.validation,
        checkpoint_seconds=epoch.checkpoint,
        between_seconds=epoch.between,
        examples_per_second=_examples(epoch, batch, ranks) if epoch.examples_per_second is None else epoch.examples_per_second,
    )


def _examples(epoch: Epoch, batch: int | None, ranks: int) -> float | None:
    if batch is None or epoch.first_step is None or epoch.train is None:
        return None
    training = epoch.first_step + epoch.train
    return epoch.steps * batch * ranks / training if training > 0 else None
