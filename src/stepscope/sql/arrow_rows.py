"""Declared rows as an Arrow table: types follow from the declaration, so that an empty table has the same columns as a full one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct, structs

from stepscope.model.declared import alternatives
from stepscope.model.flat_columns import flat_columns, value_at
from stepscope.model.numbers import JsonNumber
from stepscope.sql.packages import pyarrow

_NUMBERS = set(get_args(JsonNumber))


def schema_of(*kinds: type[Struct]) -> Any:  # noqa: ANN401 - pyarrow carries no types
    """The Arrow schema of rows that are put side by side."""
    arrow = pyarrow()
    return arrow.schema([(found.column.key, arrow_type(found.hint)) for found in flat_columns(*kinds)])


def rows_table(kinds: Sequence[type[Struct]], rows: Sequence[Sequence[Struct]]) -> Any:  # noqa: ANN401 - pyarrow carries no types
    """The table of rows, each given as one struct for each of `kinds`."""
    arrow = pyarrow()
    schema = schema_of(*kinds)
    plain: list[dict[str, Any]] = [{key: value for one in row for key, value in msgspec.to_builtins(one).items()} for row in rows]
    columns = [
        arrow.array([_cell(value_at(row, found.path), field.type, arrow) for row in plain], field.type)
        for found, field in zip(flat_columns(*kinds), schema, strict=True)
    ]
    return arrow.Table.from_arrays(columns, schema=schema)


def arrow_type(hint: object) -> Any:  # noqa: ANN401 - pyarrow carries no types
    """The Arrow type of a declared one; what could be of several kinds is text."""
    arrow = pyarrow()
    kinds = [kind for kind in alternatives(hint) if kind not in (type(None), msgspec.UnsetType)]
    if set(kinds) == _NUMBERS:
        return arrow.float64()
    kind = kinds[0] if len(kinds) == 1 else str
    simple = {bool: arrow.bool_(), int: arrow.int64(), float: arrow.float64(), str: arrow.string()}
    if kind in simple:
        return simple[kind]
    if get_origin(kind) in (list, tuple):
        return arrow.list_(arrow_type(get_args(kind)[0]))
    if isinstance(kind, type) and issubclass(kind, Struct):
        hints = get_type_hints(kind)
        return arrow.struct([(field.encode_name, arrow_type(hints[field.name])) for field in structs.fields(kind)])
    if get_origin(kind) is Literal or (isinstance(kind, type) and issubclass(kind, Enum)):
        return arrow.string()
    if get_origin(kind) in (dict, Mapping):
        return arrow.map_(arrow.string(), arrow_type(get_args(kind)[1]))
    raise TypeError(f"No Arrow type is known for {kind}.")


def _cell(value: Any, kind: Any, arrow: Any) -> object:  # noqa: ANN401 - any plain value
    """A plain value as pyarrow takes it for its type: `NaN` and `Infinity` are words in JSON, and maps are pairs."""
    if value is None:
        return None
    if arrow.types.is_floating(kind):
        return float(value)
    if arrow.types.is_string(kind):
        return utf8(value if isinstance(value, str) else str(value))
    if arrow.types.is_list(kind):
        return [_cell(each, kind.value_type, arrow) for each in value]
    if arrow.types.is_struct(kind):
        return {field.name: _cell(value.get(field.name), field.type, arrow) for field in kind}
    if arrow.types.is_map(kind):
        return [(key, _cell(each, kind.item_type, arrow)) for key, each in value.items()]
    return value


def utf8(text: str) -> str:
    """Text that Arrow can carry: what is no character shows as an escape."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
