"""The Throughput part of the Profile tab: what is done in a second and what epochs consist of, each number with its origin."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from stepscope.analyses.breakdown import break_down
from stepscope.analyses.steps import find_steps
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.throughput.batch_size import GIVEN
from stepscope.analyses.throughput.epochs import Epoch, epochs_of_profile
from stepscope.analyses.throughput.throughput import Throughput, throughput
from stepscope.dashboards.profile.messages import Count, RangeText, ReadingRow, SessionText, StepsText
from stepscope.model.profile import MarkerFamily
from stepscope.queries.profiles import Opened

MOST_EPOCHS = 2_000
"""Rows of an answer; of more epochs the last."""
_MS = 1e6


class ThroughputRequest(Struct, frozen=True):
    """Which session, and what only the user knows: examples in one rank's step, and tokens in one example."""

    session: SessionText
    batch: Count | None = None
    tokens: Count | None = None
    steps: StepsText = ""
    range: RangeText = ""


class RateRow(Struct, frozen=True):
    """What is done in a second, of all ranks together; null where it cannot be told, and `origin` says how it is known or why not."""

    rate: str
    title: str
    per_second: float | None
    unit: str
    origin: str


class EpochRow(Struct, frozen=True):
    """Seconds of one epoch; the parts exclude one another and sum to it. Null is unknown."""

    epoch: int
    steps: int
    seconds: float
    first_step: float | None
    train: float | None
    validation: float | None
    checkpoint: float | None
    between: float | None
    examples_per_second: float | None


class ThroughputFound(Struct, frozen=True):
    """Rates of a session, and the epochs that its first worker's recording marks; `has_steps` is false where no steps were found."""

    has_steps: bool
    step_ms: float
    ranks: int
    batch: int | None
    batch_from: str
    rates: list[RateRow]
    epochs: list[EpochRow]
    epochs_total: int


class ThroughputAnswer(Struct, frozen=True):
    """The rates of a session, or how far reading has come."""

    epoch: int
    reading: ReadingRow | None
    throughput: ThroughputFound | None


def throughput_found(opened: Opened, steps: str, batch: int | None, tokens: int | None) -> ThroughputFound:
    """Of all workers that could be read."""
    breakdowns = [break_down(profile, find_steps(profile, steps or None)) for profile in opened.profiles]
    logged = opened.hyperparameters()
    found = throughput(opened.profiles, breakdowns, opened.read_attributes, batch, tokens, logged, opened.programs)
    epochs = epochs_of_profile(opened.profiles[0], breakdowns[0])
    return ThroughputFound(
        has_steps=breakdowns[0].steps.source.family != MarkerFamily.WINDOW,
        step_ms=found.step_ns / _MS,
        ranks=found.ranks,
        batch=found.batch,
        batch_from=found.batch_source,
        rates=rate_rows(found, tokens),
        epochs=epoch_rows(epochs, found.batch, found.ranks),
        epochs_total=len(epochs),
    )


def rate_rows(found: Throughput, tokens: int | None) -> list[RateRow]:
    """Steps, examples and tokens always; bytes where anything tells of them."""
    ranks = f" × {found.ranks:,} ranks" if found.ranks > 1 else ""
    slowest = " of the slowest rank" if found.uneven else ""
    rows = [
        RateRow("steps", "Steps", found.steps_per_second, "", f"a median step{slowest}, {milliseconds(found.step_ns)}"),
        RateRow("examples", "Examples", found.examples_per_second, "", _examples_origin(found, ranks)),
        RateRow("tokens", "Tokens", found.tokens_per_second, "", _tokens_origin(found, tokens)),
    ]
    if found.input_bytes_per_second is not None:
        rows.append(RateRow("input", "Input", found.input_bytes_per_second, "B", f"what tf.data hands out{ranks}"))
    if found.copied_bytes_per_second is not None:
        rows.append(RateRow("copied", "To devices", found.copied_bytes_per_second, "B", f"copies from host to device{ranks}"))
    if len(rows) == 3:
        why = "Neither tf.data nor a copy to a device tells how much there is of it."
        rows.append(RateRow("input", "Input", None, "B", why))
    return rows


def _examples_origin(found: Throughput, ranks: str) -> str:
    if found.batch is None:
        return found.unknown
    source = "as you say" if found.batch_source == GIVEN else f"from {found.batch_source}"
    return f"{found.batch:,} in a batch, {source}{ranks}"


def _tokens_origin(found: Throughput, tokens: int | None) -> str:
    if tokens is None:
        return "How many are in an example, only you know."
    return f"{tokens:,} in an example, as you say" if found.batch is not None else "These need the size of a batch."


def epoch_rows(epochs: Sequence[Epoch], batch: int | None = None, ranks: int = 1) -> list[EpochRow]:
    """With a batch, examples a second of training where nobody has logged them."""
    return [
        EpochRow(
            epoch=each.number,
            steps=each.steps,
            seconds=each.seconds,
            first_step=each.first_step,
            train=each.train,
            validation=each.validation,
            checkpoint=each.checkpoint,
            between=each.between,
            examples_per_second=each.examples_per_second if each.examples_per_second is not None else _examples(each, batch, ranks),
        )
        for each in epochs[-MOST_EPOCHS:]
    ]


def _examples(epoch: Epoch, batch: int | None, ranks: int) -> float | None:
    if batch is None or epoch.first_step is None or epoch.train is None:
        return None
    training = epoch.first_step + epoch.train
    return epoch.steps * batch * ranks / training if training > 0 else None
