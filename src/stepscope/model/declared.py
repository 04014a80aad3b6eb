"""Declared tables: every row and answer names each of its columns once, with type, unit and meaning.

JSON, CSV, data frames, OpenAPI, the page's TypeScript types and the documentation follow from the declaration:

    class OperationRow(Struct, frozen=True):
        name: Annotated[str, text("Name of the operation.")]
        total_us: Annotated[float, us("Total duration of all executions.")]

`fill(OperationRow, found)` makes the row from an object of the analyses, whose attributes have the same names. Analyses count in
nanoseconds, so `total_us` is filled from `total_ns`.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct, UnsetType, structs, to_builtins

from stepscope.model.numbers import JsonNumber, json_number

UNIT = "x-unit"
"""Where OpenAPI has a column's unit."""
DTYPE = "x-dtype"
"""Where OpenAPI has the type of the numbers of a binary column."""

_SCALES = {"_us": ("_ns", 1e3), "_ms": ("_ns", 1e6), "_seconds": ("_ns", 1e9)}
_NONE = -1
"""How analyses write an unknown number of something that is counted."""

Row = TypeVar("Row", bound=Struct)
_Read = Callable[[Any], Any]


def text(meaning: str) -> Meta:
    """A column of text."""
    return Meta(description=meaning)


def flag(meaning: str) -> Meta:
    """A column that is true or false."""
    return Meta(description=meaning)


def nested(meaning: str) -> Meta:
    """A column of rows, lists or objects."""
    return Meta(description=meaning)


def number(meaning: str, unit: str) -> Meta:
    """A number in a unit that has no function of its own below."""
    return Meta(description=meaning, extra_json_schema={UNIT: unit})


def count(meaning: str) -> Meta:
    """A number of things."""
    return number(meaning, "count")


def fraction(meaning: str) -> Meta:
    """A share from 0 to 1."""
    return number(meaning, "fraction")


def us(meaning: str) -> Meta:
    """Microseconds; the key ends in `_us`."""
    return number(meaning, "µs")


def ms(meaning: str) -> Meta:
    """Milliseconds; the key ends in `_ms`."""
    return number(meaning, "ms")


def seconds(meaning: str) -> Meta:
    """Seconds; the key ends in `_seconds`."""
    return number(meaning, "s")


def size(meaning: str) -> Meta:
    """Bytes; the key ends in `bytes`."""
    return number(meaning, "B")


def per_second(meaning: str, what: str) -> Meta:
    """A rate, such as `per_second("…", "FLOP")`."""
    return number(meaning, f"{what}/s")


def step(meaning: str) -> Meta:
    """The number of a training step."""
    return number(meaning, "step")


def wall_time(meaning: str) -> Meta:
    """A point in time, in seconds since 1970 (UTC)."""
    return number(meaning, "s since 1970")


def on_x(meaning: str) -> Meta:
    """A place on the x axis that was asked for: steps, seconds, or values of a tag."""
    return number(meaning, "unit of x")


def as_logged(meaning: str) -> Meta:
    """A value of a series, in the unit in which it was logged."""
    return number(meaning, "as logged")


def unitless(meaning: str) -> Meta:
    """A number that measures nothing, such as a colour or a ratio that is no share."""
    return number(meaning, "1")


def binary(dtype: str, meaning: str, unit: str) -> Meta:
    """A column of a binary frame; the field says where it is."""
    return Meta(description=meaning, extra_json_schema={UNIT: unit, DTYPE: dtype})


@dataclass(frozen=True, slots=True)
class Column:
    """One column as documentation, CSV heads and data frames need it."""

    key: str
    type: str
    unit: str
    meaning: str


def columns(kind: type[Struct]) -> tuple[Column, ...]:
    """The columns that a row or answer declares, in their order."""
    hints = get_type_hints(kind, include_extras=True)
    found: list[Column] = []
    for field in structs.fields(kind):
        meaning, more = _said(hints[field.name])
        type_name = f"column of {more[DTYPE]}" if DTYPE in more else _type_name(hints[field.name])
        found.append(Column(field.encode_name, type_name, more.get(UNIT, ""), meaning))
    return tuple(found)


@cache
def dtypes(kind: type[Struct]) -> Mapping[str, str]:
    """The binary columns that a struct declares, and the type of their numbers."""
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: _said(hints[field.name])[1][DTYPE] for field in structs.fields(kind)}


def fill(kind: type[Row], found: object, **given: object) -> Row:
    """A row made from an object of the analyses by the names of its attributes; `given` are values that it does not have.

    NaN becomes None, or a word where the column has such; −1 becomes None where a count may be None; tuples become lists; enumerations
    their value or key; attributes that are objects themselves fill nested rows.
    """
    reads = _reads(kind, type(found))
    filled = {name: read(found) for name, read in reads if read is not None and name not in given}
    return kind(**filled, **given)


def fill_all(kind: type[Row], found: Iterable[object], **given: object) -> list[Row]:
    """`fill` for each of several objects."""
    return [fill(kind, each, **given) for each in found]


@cache
def _reads(kind: type[Struct], source: type) -> tuple[tuple[str, _Read | None], ...]:
    """How each field is read from objects of a class; None for a field that only the caller can give or that has a default."""
    hints = get_type_hints(kind)
    return tuple((field.name, _reader(field.name, hints[field.name], source)) for field in structs.fields(kind))


def _reader(name: str, hint: object, source: type) -> _Read | None:
    convert = _converter(hint)
    if _has(source, name):
        return lambda found: convert(getattr(found, name))
    for ending, (inner, scale) in _SCALES.items():
        attribute = (f"_{name}".removesuffix(ending) + inner)[1:]  # `us` alone is filled from `ns`
        if f"_{name}".endswith(ending) and _has(source, attribute):
            return lambda found: _scaled(getattr(found, attribute), scale)
    return None


def _has(source: type, name: str) -> bool:
    return hasattr(source, name) or name in getattr(source, "__annotations__", {}) or name in getattr(source, "__struct_fields__", ())


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None or not math.isfinite(value) else value / scale


def _converter(hint: object) -> _Read:
    """How a value of the analyses becomes one of the declared type."""
    kinds = alternatives(hint)
    optional = type(None) in kinds
    kinds = [kind for kind in kinds if kind is not type(None)]
    kind = kinds[0] if len(kinds) == 1 else None
    if isinstance(kind, type) and issubclass(kind, Struct):
        row = kind
        return lambda value: None if value is None else value if isinstance(value, row) else fill(row, value)
    if get_origin(kind) is list:
        item = _converter(get_args(kind)[0])
        return lambda value: None if value is None else [item(each) for each in cast("Iterable[object]", value)]
    if kind is int and optional:
        return lambda value: None if value is None or value == _NONE else int(value)
    if kind is float:
        return known
    if set(kinds) == set(get_args(JsonNumber)):
        return lambda value: None if value is None else json_number(float(value))
    return _plain


def alternatives(hint: object) -> list[Any]:
    """The types that a value may be of, without what is said about them."""
    if get_origin(hint) is Annotated:
        return alternatives(get_args(hint)[0])
    return list(get_args(hint)) if get_origin(hint) in (Union, types.UnionType) else [hint]


def known(value: Any) -> float | None:  # noqa: ANN401 - numpy's numbers as well
    """A number as answers have it: what is NaN or infinite is unknown."""
    return None if value is None or not math.isfinite(value) else float(value)


def _plain(value: object) -> object:
    if isinstance(value, IntEnum):
        return getattr(value, "key", value.name.lower())
    return value.value if isinstance(value, Enum) else value


def _said(hint: object) -> tuple[str, dict[str, Any]]:
    """The meaning of a field and what OpenAPI adds to it. A bounded type used by name has several metas; the outer meaning wins."""
    metas = [each for each in get_args(hint)[1:] if isinstance(each, Meta)] if get_origin(hint) is Annotated else []
    more: dict[str, Any] = {}
    for meta in metas:
        more.update(meta.extra_json_schema or {})
    return next((meta.description for meta in reversed(metas) if meta.description), ""), more


def _type_name(hint: object) -> str:
    """`number`, `text or null`, `list of text`: a type as documentation names it."""
    return " or ".join(_one_type_name(kind) for kind in alternatives(hint) if kind is not UnsetType)


def _one_type_name(kind: Any) -> str:  # noqa: ANN401 - any type
    origin = get_origin(kind)
    if origin in (list, tuple):
        inner = [each for each in get_args(kind) if each is not Ellipsis]
        return f"list of {_type_name(inner[0])}" if inner else "list"
    if origin in (dict, Mapping):
        return f"object of {_type_name(get_args(kind)[1])}"
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in get_args(kind))
    if origin is Annotated:
        return _type_name(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "text"
    return _SIMPLE.get(kind) or str(getattr(cast("object", kind), "__name__", "text"))


_SIMPLE: dict[Any, str] = {str: "text", int: "integer", float: "number", bool: "true or false", type(None): "null"}


def cells(row: Struct) -> dict[str, object]:
    """A row as flat cells for CSV and data frames: the fields of a row inside it are joined to its key by a line.

    Rows in a list become objects of plain values, as JSON has them.
    """
    found: dict[str, object] = {}
    for field in structs.fields(row):
        value: object = getattr(row, field.name)
        if isinstance(value, Struct):
            found.update({f"{field.encode_name}_{key}": cell for key, cell in cells(value).items()})
        else:
            found[field.encode_name] = to_builtins(value) if isinstance(value, list) else value
    return found


def column_values(rows: Sequence[Struct]) -> dict[str, list[object]]:
    """Rows as columns for data frames."""
    flat = [cells(row) for row in rows]
    names = dict.fromkeys(name for row in flat for name in row)
    return {name: [row.get(name) for row in flat] for name in names}
