"""JSON as TensorBoard writes it: NaN and the infinities are the words "NaN", "Infinity" and "-Infinity"."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from stepscope.compat.route import Body
from stepscope.model.numbers import json_number

ROWS_AT_ONCE = 8_192

Columns = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]
"""Wall time, step and value of each point."""


def answer(found: object) -> Body:
    """An answer of plain Python values."""
    return Body(msgspec.json.encode(cleaned(found)))


def cleaned(found: object) -> Any:  # noqa: ANN401  # whatever was given, with other numbers
    """The same with words in place of numbers that JSON has no form for."""
    if isinstance(found, float):
        return found if math.isfinite(found) else json_number(found)
    if isinstance(found, Mapping):
        return {key: cleaned(value) for key, value in cast("Mapping[str, object]", found).items()}
    if isinstance(found, Sequence) and not isinstance(found, str | bytes):
        return [cleaned(value) for value in cast("Sequence[object]", found)]
    return found


def points(columns: Columns, *, named: bool = False) -> Iterator[bytes]:
    """A list of `[wall time, step, value]`, or of objects with these names, piece by piece."""
    between = b"["
    for wall, step, value in _pieces(columns):
        rows = zip(_numbers(wall), step.tolist(), _numbers(value), strict=True)
        found = [{"wallTime": w, "step": s, "value": v} for w, s, v in rows] if named else list(rows)
        yield between + msgspec.json.encode(found)[1:-1]
        between = b","
    yield b"[]" if between == b"[" else b"]"


def points_csv(columns: Columns) -> Iterator[bytes]:
    """The points as CSV with a heading, in the columns and line ends that TensorBoard's downloads have."""
    yield b"Wall time,Step,Value\r\n"
    for wall, step, value in _pieces(columns):
        rows = zip(wall.tolist(), step.tolist(), value.tolist(), strict=True)
        yield "".join(f"{w!r},{s},{v!r}\r\n" for w, s, v in rows).encode()


def members(found: Iterator[tuple[str, Iterator[bytes]]]) -> Iterator[bytes]:
    """An object whose values are made piece by piece."""
    between = b"{"
    for name, pieces in found:
        yield between + msgspec.json.encode(name) + b":"
        yield from pieces
        between = b","
    yield b"{}" if between == b"{" else b"}"


def _pieces(columns: Columns) -> Iterator[Columns]:
    wall, step, value = columns
    for start in range(0, len(step), ROWS_AT_ONCE):
        part = slice(start, start + ROWS_AT_ONCE)
        yield wall[part], step[part], value[part]


def _numbers(column: NDArray[np.float64]) -> list[Any]:
    found = column.tolist()
    return found if np.isfinite(column).all() else [json_number(one) for one in found]
