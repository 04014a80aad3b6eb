"""Whether two sets of steps differ by more than noise: Welch's interval of the difference of their means over typical steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.model.profile import Float64
from stepscope.queries.student import t_within

FEWEST_STEPS = 3
"""Typical steps on each side; of fewer, noise cannot be told from a difference."""
BETWEEN_RECORDINGS = 0.01
"""Recordings of the same code differ by as much from one to the next, which no recording shows alone: of a step's time."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over typical steps and over ranks, and how sure it is."""

    mean: float
    variance: float  # of the mean
    freedom: float
    steps: int  # typical steps of the rank that has fewest


@dataclass(frozen=True, slots=True)
class Difference:
    """Before and after in nanoseconds; `noise_ns` is what the difference may be by chance, None with too few steps to tell."""

    before_ns: float
    after_ns: float
    noise_ns: float | None

    @property
    def change_ns(self) -> float:
        """More than 0 is slower."""
        return self.after_ns - self.before_ns

    @property
    def change(self) -> float | None:
        """As a fraction of before; None when nothing was there."""
        return self.change_ns / self.before_ns if self.before_ns > 0 else None

    @property
    def beyond_noise(self) -> bool | None:
        """Whether the difference is more than chance; None: too few steps to tell."""
        return None if self.noise_ns is None else abs(self.change_ns) > self.noise_ns


def estimate(ranks: Sequence[Float64]) -> Estimate:
    """From each rank's values, one a typical step; every rank counts the same."""
    count = max(1, len(ranks))
    variances = [float(values.var(ddof=1)) / len(values) if len(values) > 1 else 0.0 for values in ranks]
    variance = sum(variances) / count**2
    parts = [(each / count**2) ** 2 / (len(values) - 1) for each, values in zip(variances, ranks, strict=True) if len(values) > 1]
    fewest = min((len(values) for values in ranks), default=0)
    freedom = variance**2 / sum(parts) if sum(parts) > 0 else float(max(1, fewest - 1))
    return Estimate(float(np.mean([values.mean() for values in ranks])) if fewest else 0.0, variance, freedom, fewest)


def difference(before: Estimate, after: Estimate, least_ns: float, within: float = 0.95) -> Difference:
    """With a noise of at least `least_ns`; `within` is the chance that a difference of nothing stays inside of it."""
    if min(before.steps, after.steps) < FEWEST_STEPS:
        return Difference(before.mean, after.mean, None)
    variance = before.variance + after.variance
    parts = before.variance**2 / before.freedom + after.variance**2 / after.freedom
    freedom = max(1, int(variance**2 / parts)) if parts > 0 else 1
    noise = t_within(within, freedom) * float(np.sqrt(variance)) if variance > 0 else 0.0
    return Difference(before.mean, after.mean, max(noise, least_ns))
