"""Throughput: what a session processes per second with the origin of each rate, and epochs, marked in the profile or logged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from stepscope.model import declared as d
from stepscope.session.epoch_rows import EpochTime, LoggedEpochs, epoch_times, logged_epochs
from stepscope.session.limits import BatchSize, Tokens
from stepscope.session.part import Answer, Part, Wanted
from stepscope.session.report.columns import RateRow, Rates

if TYPE_CHECKING:
    from stepscope.session.analysed import AnalysedSession

_MS = 1e6


class ThroughputWanted(Wanted, frozen=True, kw_only=True):
    """What only the user knows, and how many epochs are listed."""

    batch: BatchSize = None
    tokens: Tokens = None
    limit: Annotated[int, Meta(ge=0, le=1 << 40, description="Most epochs to answer, the last ones; 0: all of them.")] = 0


class Throughput(Answer, frozen=True, kw_only=True):
    """Rates of all workers together, at the pace of the slowest, and epochs."""

    has_steps: Annotated[bool, d.flag("Whether steps were found that are alike enough for rates.")]
    step_ms: Annotated[float, d.ms("Typical step time of the slowest rank.")]
    throughput: Annotated[Rates, d.nested("The rates by name.")]
    rates: Annotated[list[RateRow], d.nested("The same rates with the origin of each.")]
    epochs: Annotated[list[EpochTime], d.nested("Epochs that the first worker's profile marks; of more than `limit` the last ones.")]
    epochs_total: Annotated[int, d.count("Number of epochs that the profile marks.")]
    logged: Annotated[LoggedEpochs | None, d.nested("Epochs logged by the run of the profile, or by the nearest run that has any.")]


def _make(session: AnalysedSession, wanted: ThroughputWanted) -> Throughput:
    from stepscope.session.report.rates import marked_epochs, rate_rows, rates, throughput_of

    found = throughput_of(session, wanted.batch, wanted.tokens)
    epochs = marked_epochs(session)
    return Throughput(
        has_steps=session.summary.has_step_time,
        step_ms=found.step_ns / _MS,
        throughput=rates(found, epochs),
        rates=rate_rows(found, wanted.tokens),
        epochs=epoch_times(epochs, wanted.limit, found.batch, found.ranks),
        epochs_total=len(epochs),
        logged=_logged(session, wanted.limit),
    )


def _logged(session: AnalysedSession, limit: int) -> LoggedEpochs | None:
    run = session.logs.epoch_run()
    return None if run is None else logged_epochs(run, session.logs.epoch_series(run), limit)


THROUGHPUT = Part("throughput", "Throughput", ThroughputWanted, Throughput, _make, table="epochs", reads_logs=True, kept=True)
