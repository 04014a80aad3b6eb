"""TensorBoard's distributions plugin: nine percentiles of each histogram, at no more than 501 steps."""

from __future__ import annotations

import numpy as np

from stepscope.compat.histogram_rows import Rows, histogram_rows
from stepscope.compat.json_text import answer
from stepscope.compat.logged import found_one, listed
from stepscope.compat.route import Answer, Question, plugin_route
from stepscope.compat.routes.scalars import described
from stepscope.compat.served import Served

PLUGIN = "distributions"
MOST_STEPS = 501
BASIS_POINTS = (0, 668, 1587, 3085, 5000, 6915, 8413, 9332, 10000)
"""Shares of all values in hundredths of a percent: those of a normal distribution at half standard deviations."""


def percentiles(rows: Rows) -> list[tuple[int, float]]:
    """Each share with the value below which so many are; within a bucket values are taken to be spread evenly."""
    if not len(rows):
        return [(point, 0.0) for point in BASIS_POINTS]
    left, right, count = rows[:, 0], rows[:, 1], rows[:, 2]
    reached = np.cumsum(count * BASIS_POINTS[-1] / (count.sum() or 1.0))
    lowest, highest = float(left[0]), float(right[-1])
    found: list[tuple[int, float]] = []
    for point in BASIS_POINTS:
        bucket = int(np.searchsorted(reached, point, side="right"))
        if bucket >= len(reached):
            found.append((point, highest))
            continue
        before = float(reached[bucket - 1]) if bucket else 0.0
        start = max(float(right[bucket - 1]), lowest) if before else lowest
        end = min(float(right[bucket]), highest)
        found.append((point, start + (point - before) * (end - start) / (float(reached[bucket]) - before)))
    return found


def _tags(served: Served, _: Question) -> Answer:
    return answer(described(listed(served, "histograms")))


def _distributions(served: Served, question: Question) -> Answer:
    one = found_one(served, "histograms", *question.run_and_tag())
    return answer([[wall, step, percentiles(rows)] for wall, step, rows in histogram_rows(served, one, MOST_STEPS)])


ROUTES = (
    plugin_route(PLUGIN, "tags", "Display name and description of every histogram tag of every run.", _tags),
    plugin_route(PLUGIN, "distributions", "Percentiles of a run and tag at up to 501 steps.", _distributions),
)
