"""Turns rows of whole numbers into typed columns, for small tables that are read in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def integer_columns(rows: Sequence[tuple[int, ...]], types: Sequence[type[np.signedinteger]]) -> list[NDArray[Any]]:
    """One contiguous column for each type; the rows have as many numbers, all of which fit."""
    table = np.array(rows, dtype=np.int64).reshape(len(rows), len(types))
    return [np.ascontiguousarray(table[:, place].astype(kind)) for place, kind in enumerate(types)]
