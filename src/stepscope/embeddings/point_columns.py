"""Columns of metadata as the page colours by them: numbers where all texts are, classes where few differ, else texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

MOST_CLASSES = 2_000
"""Different texts of a column that is sent as classes; more are sent one by one."""


@dataclass(frozen=True, slots=True)
class PointColumn:
    """One column of the kept points."""

    name: str
    kind: Literal["classes", "texts"]
    classes: tuple[str, ...]
    """The different texts, most frequent first; empty for texts."""
    codes: NDArray[np.int32]
    """The class of each point; empty for texts."""
    texts: tuple[str, ...]
    numbers: NDArray[np.float64] | None
    """The values when all that are there are numbers; NaN for an empty one."""


def point_column(name: str, texts: list[str]) -> PointColumn:
    """A column in its shortest form."""
    counts: dict[str, int] = {}
    for text in texts:
        counts[text] = counts.get(text, 0) + 1
    numbers = _numbers(counts, texts)
    if len(counts) > MOST_CLASSES:
        return PointColumn(name, "texts", (), np.zeros(0, np.int32), tuple(texts), numbers)
    order = sorted(counts, key=lambda text: (-counts[text], text))
    places = {text: place for place, text in enumerate(order)}
    codes = np.fromiter((places[text] for text in texts), np.int32, len(texts))
    return PointColumn(name, "classes", tuple(order), codes, (), numbers)


def _numbers(counts: dict[str, int], texts: list[str]) -> NDArray[np.float64] | None:
    known: dict[str, float] = {}
    for text in counts:
        if not text.strip():
            known[text] = np.nan
            continue
        try:
            number = float(text)
        except ValueError:
            return None
        if not np.isfinite(number) or "_" in text:
            return None
        known[text] = number
    if all(np.isnan(number) for number in known.values()):
        return None
    return np.fromiter((known[text] for text in texts), np.float64, len(texts))
