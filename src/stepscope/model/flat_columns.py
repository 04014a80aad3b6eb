"""The columns of a declared row without rows inside rows: what tables of SQL, Arrow and Parquet have.

A row inside a row becomes columns of its own, joined to its key by a line, as in CSV files: `gain` becomes `gain_low` and `gain_high`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, cast, get_type_hints

from msgspec import Struct, structs

from stepscope.model.declared import Column, alternatives, columns


@dataclass(frozen=True, slots=True)
class FlatColumn:
    """One column, and the keys that lead to its value in a row of plain values."""

    column: Column
    path: tuple[str, ...]
    hint: Any
    """The declared type, without meaning and unit."""


@cache
def flat_columns(*kinds: type[Struct]) -> tuple[FlatColumn, ...]:
    """The columns of rows that are put side by side, in their order."""
    return tuple(found for kind in kinds for found in _of(kind, (), ""))


def value_at(row: Any, path: tuple[str, ...]) -> object:  # noqa: ANN401 - plain values of any shape
    """The value of a column in a row of plain values; None where a row inside it is missing."""
    for key in path:
        if row is None:
            return None
        row = cast("dict[str, Any]", row).get(key)
    return row


def _of(kind: type[Struct], path: tuple[str, ...], prefix: str) -> Iterator[FlatColumn]:
    hints = get_type_hints(kind)
    for field, column in zip(structs.fields(kind), columns(kind), strict=True):
        here = (*path, field.encode_name)
        inner = _row_inside(hints[field.name])
        if inner is not None:
            yield from _of(inner, here, f"{prefix}{field.encode_name}_")
        else:
            named = Column(f"{prefix}{column.key}", column.type, column.unit, column.meaning)
            yield FlatColumn(named, here, hints[field.name])


def _row_inside(hint: object) -> type[Struct] | None:
    """The row that a field is, or may be."""
    kinds = [kind for kind in alternatives(hint) if kind is not type(None)]
    return kinds[0] if len(kinds) == 1 and isinstance(kinds[0], type) and issubclass(kinds[0], Struct) else None
