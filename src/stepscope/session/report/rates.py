"""Throughput and epochs of a session as the report has them: rates that are certain, with the origin of the batch size."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Struct

from stepscope.analyses.texts import milliseconds
from stepscope.analyses.throughput.epochs import Epoch, epochs_of_profile
from stepscope.analyses.throughput.throughput import throughput
from stepscope.model import declared as d
from stepscope.session.analysed import AnalysedSession


class BatchSizeRow(Struct, frozen=True, kw_only=True):
    """A batch size that something names."""

    size: Annotated[int, d.count("Examples in one rank's step.")]
    origin: Annotated[str, d.text("What names it.")]


class Rates(Struct, frozen=True, kw_only=True):
    """What all workers together process per second, at the pace of the slowest."""

    steps_per_second: Annotated[float, d.per_second("Steps.", "steps")]
    ranks: Annotated[int, d.count("Ranks counted.")]
    batch_size: Annotated[int | None, d.count("Examples in one rank's step; null when unknown.")]
    batch_size_from: Annotated[str, d.text("Origin of the batch size; empty when unknown.")]
    batch_sizes: Annotated[list[BatchSizeRow], d.nested("All batch sizes that something names; they may disagree.")]
    examples_per_second: Annotated[float | None, d.per_second("Examples; null when unknown.", "examples")]
    tokens_per_second: Annotated[float | None, d.per_second("Tokens; null when unknown.", "tokens")]
    input_bytes_per_second: Annotated[float | None, d.per_second("Input from tf.data; null when unknown.", "B")]
    copied_to_devices_bytes_per_second: Annotated[float | None, d.per_second("Copies from host to device; null when unknown.", "B")]
    unknown: Annotated[str, d.text("Why the batch size is unknown.")]
    facts: Annotated[list[str], d.nested("Known rates and the time of an epoch in words.")]


class EpochTime(Struct, frozen=True, kw_only=True):
    """One epoch that the profile marks; its parts exclude each other and sum to it."""

    epoch: Annotated[int, d.number("Number of the epoch.", "epoch")]
    steps: Annotated[int, d.count("Steps of the epoch.")]
    seconds: Annotated[float, d.seconds("Duration.")]
    first_step_seconds: Annotated[float | None, d.seconds("First step; null when unknown.")]
    train_seconds: Annotated[float | None, d.seconds("All other steps; null when unknown.")]
    validation_seconds: Annotated[float | None, d.seconds("Validation; null when unknown.")]
    checkpoint_seconds: Annotated[float | None, d.seconds("Checkpoints; null when unknown.")]
    between_seconds: Annotated[float | None, d.seconds("Everything else; null when unknown.")]
    examples_per_second: Annotated[float | None, d.per_second("Examples; null when unknown.", "examples")]


def rates_and_epochs(session: AnalysedSession, batch: int | None, tokens: int | None) -> tuple[Rates, list[EpochTime]]:
    """Of all workers, and the epochs that the first one marks; `batch` and `tokens` are what the user says."""
    summary = session.summary
    epochs = epochs_of_profile(summary.profiles[0], summary.breakdowns[0])
    lengths = [f"{milliseconds(1e9 * float(np.median([epoch.seconds for epoch in epochs])))} per epoch"] if epochs else []
    found = throughput(
        summary.profiles,
        summary.breakdowns,
        session.attributes,
        batch,
        tokens,
        session.logs.hyperparameters(),
        lambda place: session.programs(place)[0],
    )
    rates = d.fill(
        Rates,
        found,
        batch_size=found.batch,
        batch_size_from=found.batch_source,
        batch_sizes=d.fill_all(BatchSizeRow, found.batch_sources),
        copied_to_devices_bytes_per_second=found.copied_bytes_per_second,
        facts=[*found.facts, *lengths],
    )
    return rates, [_epoch_time(each) for each in epochs]


def _epoch_time(epoch: Epoch) -> EpochTime:
    return d.fill(
        EpochTime,
        epoch,
        epoch=epoch.number,
        first_step_seconds=epoch.first_step,
        train_seconds=epoch.train,
        validation_seconds=epoch.validation,
        checkpoint_seconds=epoch.checkpoint,
        between_seconds=epoch.between,
    )
