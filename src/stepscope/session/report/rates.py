"""Throughput of a session as the report and the part of that name have it: rates that are certain, and the origin of the batch size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from msgspec import Struct

from stepscope.analyses.texts import milliseconds
from stepscope.analyses.throughput.epochs import Epoch, epochs_of_profile
from stepscope.analyses.throughput.throughput import Throughput, throughput
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


def throughput_of(session: AnalysedSession, batch: int | None, tokens: int | None) -> Throughput:
    """Of all workers; `batch` and `tokens` are what the user says."""
    summary, logged = session.summary, session.logs.hyperparameters()
    return session.once(
        ("throughput", batch, tokens, *sorted(logged.items())),
        lambda: throughput(
            summary.profiles,
            summary.breakdowns,
            session.attributes,
            batch,
            tokens,
            logged,
            lambda place: session.programs(place)[0],
        ),
    )


def marked_epochs(session: AnalysedSession) -> list[Epoch]:
    """The epochs that the first worker's profile marks."""
    summary = session.summary
    return session.once("epochs", lambda: epochs_of_profile(summary.profiles[0], summary.breakdowns[0]))


def rates(found: Throughput, epochs: Sequence[Epoch]) -> Rates:
    """The rates as a row."""
    lengths = [f"{milliseconds(1e9 * float(np.median([epoch.seconds for epoch in epochs])))} per epoch"] if epochs else []
    return d.fill(
        Rates,
        found,
        batch_size=found.batch,
        batch_size_from=found.batch_source,
        batch_sizes=d.fill_all(BatchSizeRow, found.batch_sources),
        copied_to_devices_bytes_per_second=found.copied_bytes_per_second,
        facts=[*found.facts, *lengths],
    )
