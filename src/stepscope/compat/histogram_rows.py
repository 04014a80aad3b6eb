"""Logged histograms as rows of left edge, right edge and count, at as many steps as TensorBoard's clients expect at most."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from stepscope._native import histogram_buckets
from stepscope.compat.logged import Logged
from stepscope.compat.served import Served
from stepscope.model.errors import StepscopeError

Rows = NDArray[np.float64]
"""A row of three numbers for each bucket."""

_GOOD = 0


def histogram_rows(served: Served, one: Logged, most: int) -> Iterator[tuple[float, int, Rows]]:
    """Wall time, step and buckets of a series; of more steps than `most`, that many at equal distances with both ends."""
    series = served.blobs.open(served.view(), one.run_id, one.name, one.kind)
    places = np.arange(len(series))
    if len(places) > most:
        places = np.unique(np.linspace(0, len(places) - 1, most).round().astype(int))
    for place in places.tolist():
        try:
            state, left, right, count, _ = histogram_buckets(served.blobs.read_value(series, place), series.tag)
        except StepscopeError:
            continue  # a value that cannot be read costs that value alone
        if state == _GOOD:
            yield float(series.wall[place]), int(series.step[place]), np.column_stack([left, right, count])
