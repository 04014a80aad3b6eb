"""Throughput of a session as the report and the part of that name have it: rates that are certain, and the origin of the batch size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stepscope.analyses.texts import milliseconds
from stepscope.analyses.throughput.batch_size import GIVEN
from stepscope.analyses.throughput.epochs import Epoch, epochs_of_profile
from stepscope.analyses.throughput.throughput import Throughput, throughput
from stepscope.model import declared as d
from stepscope.session.analysed import AnalysedSession
from stepscope.session.report.columns import BatchSizeRow, RateRow, Rates


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


def rate_rows(found: Throughput, tokens: int | None) -> list[RateRow]:
    """Steps, examples and tokens always; bytes where anything records them."""
    ranks = f" × {found.ranks:,} ranks" if found.ranks > 1 else ""
    slowest = " of the slowest rank" if found.uneven else ""
    rows = [
        _row("steps", "Steps", found.steps_per_second, f"typical step{slowest}, {milliseconds(found.step_ns)}"),
        _row("examples", "Examples", found.examples_per_second, _examples_origin(found, ranks)),
        _row("tokens", "Tokens", found.tokens_per_second, _tokens_origin(found, tokens)),
    ]
    if found.input_bytes_per_second is not None:
        rows.append(_row("input", "Input", found.input_bytes_per_second, f"what tf.data delivers{ranks}", "B"))
    if found.copied_bytes_per_second is not None:
        rows.append(_row("copied", "To devices", found.copied_bytes_per_second, f"copies from host to device{ranks}", "B"))
    if len(rows) == 3:
        rows.append(_row("input", "Input", None, "Neither tf.data nor a copy to a device records its size.", "B"))
    return rows


def _row(rate: str, title: str, per_second: float | None, origin: str, unit: str = "") -> RateRow:
    return RateRow(rate=rate, title=title, per_second=per_second, unit=unit, origin=origin)


def _examples_origin(found: Throughput, ranks: str) -> str:
    if found.batch is None:
        return found.unknown
    source = "as entered" if found.batch_source == GIVEN else f"from {found.batch_source}"
    return f"batch size {found.batch:,} {source}{ranks}"


def _tokens_origin(found: Throughput, tokens: int | None) -> str:
    if tokens is None:
        return "Enter the tokens per example."
    return f"{tokens:,} tokens per example as entered" if found.batch is not None else "Enter the batch size."
