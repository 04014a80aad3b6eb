"""Throughput: what a session processes per second with the origin of each rate, and epochs, marked in the profile or logged."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.texts import milliseconds
from stepscope.analyses.throughput import throughput as analysis
from stepscope.analyses.throughput.batch_size import GIVEN
from stepscope.model import declared as d
from stepscope.model.profile import MarkerFamily
from stepscope.session.analysed import AnalysedSession
from stepscope.session.epoch_rows import EpochTime, LoggedEpochs, epoch_times, logged_epochs
from stepscope.session.limits import BatchSize, Tokens
from stepscope.session.part import Answer, Part, Wanted
from stepscope.session.report.rates import Rates, marked_epochs, rates, throughput_of

_MS = 1e6


class ThroughputWanted(Wanted, frozen=True, kw_only=True):
    """What only the user knows, and how many epochs are listed."""

    batch: BatchSize = None
    tokens: Tokens = None
    limit: Annotated[int, Meta(ge=0, le=1 << 40, description="Most epochs to answer, the last ones; 0: all of them.")] = 0


class RateRow(Struct, frozen=True, kw_only=True):
    """One rate of all ranks together."""

    rate: Annotated[str, d.text("What is counted: `steps`, `examples`, `tokens`, `input` or `copied`.")]
    title: Annotated[str, d.text("What is counted, as a label.")]
    per_second: Annotated[float | None, d.per_second("The rate; null when unknown.", "`unit`")]
    unit: Annotated[str, d.text("`B` where bytes are counted, else empty.")]
    origin: Annotated[str, d.text("How the rate is known, or why it is unknown.")]


class Throughput(Answer, frozen=True, kw_only=True):
    """Rates of all workers together, at the pace of the slowest, and epochs."""

    has_steps: Annotated[bool, d.flag("Whether steps were found; without them, rates mean nothing.")]
    step_ms: Annotated[float, d.ms("Median step time of the slowest rank.")]
    throughput: Annotated[Rates, d.nested("The rates by name.")]
    rates: Annotated[list[RateRow], d.nested("The same rates with the origin of each.")]
    epochs: Annotated[list[EpochTime], d.nested("Epochs that the first worker's profile marks; of more than `limit` the last ones.")]
    epochs_total: Annotated[int, d.count("Number of epochs that the profile marks.")]
    logged: Annotated[LoggedEpochs | None, d.nested("Epochs logged by the run of the profile, or by the nearest run that has any.")]


def _make(session: AnalysedSession, wanted: ThroughputWanted) -> Throughput:
    found = throughput_of(session, wanted.batch, wanted.tokens)
    epochs = marked_epochs(session)
    return Throughput(
        has_steps=session.summary.breakdowns[0].steps.source.family != MarkerFamily.WINDOW,
        step_ms=found.step_ns / _MS,
        throughput=rates(found, epochs),
        rates=_rate_rows(found, wanted.tokens),
        epochs=epoch_times(epochs, wanted.limit, found.batch, found.ranks),
        epochs_total=len(epochs),
        logged=_logged(session, wanted.limit),
    )


def _logged(session: AnalysedSession, limit: int) -> LoggedEpochs | None:
    run = session.logs.epoch_run()
    return None if run is None else logged_epochs(run, session.logs.epoch_series(run), limit)


def _rate_rows(found: analysis.Throughput, tokens: int | None) -> list[RateRow]:
    """Steps, examples and tokens always; bytes where anything records them."""
    ranks = f" × {found.ranks:,} ranks" if found.ranks > 1 else ""
    slowest = " of the slowest rank" if found.uneven else ""
    rows = [
        _row("steps", "Steps", found.steps_per_second, f"median step{slowest}, {milliseconds(found.step_ns)}"),
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


def _examples_origin(found: analysis.Throughput, ranks: str) -> str:
    if found.batch is None:
        return found.unknown
    source = "as entered" if found.batch_source == GIVEN else f"from {found.batch_source}"
    return f"batch size {found.batch:,} {source}{ranks}"


def _tokens_origin(found: analysis.Throughput, tokens: int | None) -> str:
    if tokens is None:
        return "Enter the tokens per example."
    return f"{tokens:,} tokens per example as entered" if found.batch is not None else "Enter the batch size."


THROUGHPUT = Part("throughput", "Throughput", ThroughputWanted, Throughput, _make, table="epochs", reads_logs=True, kept=True)
