"""How much a training gets through: steps, examples, tokens and bytes of input a second, as far as that is certain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.attributes import ReadAttributes
from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.input.pipeline import input_pipeline
from stepscope.analyses.throughput.batch_size import GIVEN, BatchSource, ReadPrograms, agreed, batch_size
from stepscope.model.number_text import three_digits
from stepscope.model.profile import CopyDirection, Profile

_SEC = 1e9
_EVEN = 0.01
_PIPELINES = 4  # ranks whose input is looked at: all run one program


@dataclass(frozen=True, slots=True)
class Throughput:
    """Rates of all ranks together, by the typical step of the slowest rank; None is unknown, and `unknown` says why."""

    step_ns: float
    steps_per_second: float
    ranks: int
    batch: int | None  # examples of one rank's step
    batch_source: str  # its origin in words; "" when unknown
    examples_per_second: float | None
    tokens_per_second: float | None
    input_bytes_per_second: float | None  # as tf.data hands them out
    copied_bytes_per_second: float | None  # from hosts to devices
    unknown: str  # one sentence, "" when nothing is
    batch_sources: tuple[BatchSource, ...] = ()  # everything that says a size, the most direct first; they may disagree
    has_steps: bool = True  # whether steps were found that are alike enough for rates
    uneven: bool = False  # whether steps of the slowest rank are longer than the mean of all by more than a hundredth

    @property
    def facts(self) -> list[str]:
        """Short texts of what is known, for a line above a report; none without a step time."""
        if not self.has_steps:
            return []
        rates = [
            (self.steps_per_second, "steps/s of the slowest rank" if self.uneven else "steps/s"),
            (self.examples_per_second, "examples/s"),
            (self.tokens_per_second, "tokens/s"),
        ]
        found = [f"{rate_text(rate)} {what}" for rate, what in rates if rate is not None]
        input_rate = self.input_bytes_per_second or self.copied_bytes_per_second
        if input_rate is not None:
            where = "input" if self.input_bytes_per_second is not None else "to the device"
            found.append(f"{rate_text(input_rate / 1e6)} MB/s {where}")
        return found


def throughput(
    profiles: Sequence[Profile],
    breakdowns: Sequence[Breakdown],
    attributes: ReadAttributes | None = None,
    batch: int | None = None,
    tokens: int | None = None,
    logged: Mapping[str, str] | None = None,
    programs: ReadPrograms | None = None,
) -> Throughput:
    """`batch` is the examples of one rank's step and `tokens` those of one example, where the user knows them.

    `logged` are the hyperparameters of the run, and `programs` reads what was compiled: both may tell the size of a batch.
    """
    typical = [breakdown.typical_ns for breakdown in breakdowns]
    step_ns = max(typical)
    seconds = max(step_ns, 1.0) / _SEC
    ranks = max(len(profiles), *(profile.world_size for profile in profiles))
    looked_at = list(zip(profiles, breakdowns, strict=True))[:_PIPELINES]
    pipelines = [input_pipeline(*pair, attributes) for pair in looked_at] if attributes else []
    sources, unknown = ([BatchSource(batch, GIVEN)], "") if batch else batch_size(looked_at, ranks, pipelines, logged or {}, programs)
    size, source, _ = agreed(sources)
    examples = None if size is None else size * ranks / seconds
    handed = [pipeline.batch_bytes for pipeline in pipelines if pipeline.batch_bytes is not None]
    copied = [_copied(*pair) for pair in zip(profiles, breakdowns, strict=True)]
    return Throughput(
        step_ns=step_ns,
        steps_per_second=1.0 / seconds,
        ranks=ranks,
        batch=size,
        batch_source=source,
        examples_per_second=examples,
        tokens_per_second=examples * tokens if examples is not None and tokens else None,
        input_bytes_per_second=sum(handed) / len(handed) * ranks / seconds if handed else None,
        copied_bytes_per_second=sum(copied) / len(copied) * ranks / seconds if any(copied) else None,
        batch_sources=tuple(sources),
        has_steps=all(breakdown.has_step_time for breakdown in breakdowns),
        uneven=step_ns > (1 + _EVEN) * sum(typical) / len(typical),
        unknown=unknown,
    )


def rate_text(rate: float) -> str:
    """Three digits, and thousands apart."""
    return three_digits(rate)


def _copied(profile: Profile, breakdown: Breakdown) -> float:
    """Bytes that a step copies to devices, in the mean over the recorded steps."""
    copies, spans, bounds = profile.copies, profile.spans, breakdown.steps.bounds
    to_device = (copies.direction == CopyDirection.HOST_TO_DEVICE) & (copies.bytes > 0)
    start = spans.start[copies.row]
    inside = to_device & (start >= bounds[0]) & (start < bounds[-1])
    return float(np.sum(copies.bytes[inside])) / max(1, len(breakdown.steps))
