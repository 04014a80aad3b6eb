"""Writes docs/profiles/answers.md: what each part of a profile's analysis takes and answers, from the declarations alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_origin, get_type_hints

from msgspec import Struct

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "profiles" / "answers.md"

_HEAD = """# What each part answers

This page is written from the declarations in `stepscope.session.parts` by `make docs`. The same keys are in
`stepscope profile PART PROFILE --json`, in `GET /api/v1/profile/{session}/PART`, in CSV files and data frames, and in the objects that
`stepscope.load_profile` gives. Shares are fractions from 0 to 1; other numbers carry their unit in the key. What is unknown is null.

Every part takes `steps` (source of the steps), `range` (steps, time or epochs) and `worker` (a rank), and answers `range`, the chosen
range in words.
"""


def structs_in(kind: type[Struct], seen: dict[str, type[Struct]]) -> Iterator[type[Struct]]:
    """A declared answer and the rows in it, each once, in reading order."""
    if kind.__name__ in seen:
        return
    seen[kind.__name__] = kind
    yield kind
    for hint in get_type_hints(kind).values():
        for inner in _structs(hint):
            yield from structs_in(inner, seen)


def _structs(hint: object) -> Iterator[type[Struct]]:
    if isinstance(hint, type) and get_origin(hint) is None:
        if issubclass(hint, Struct):
            yield hint
        return
    for inner in get_args(hint):
        yield from _structs(inner)


def table_of(kind: type[Struct], left_out: frozenset[str]) -> Iterator[str]:
    """The columns of one struct as a Markdown table."""
    from stepscope.model.declared import columns

    yield "| key | type | unit | meaning |"
    yield "| --- | --- | --- | --- |"
    for column in columns(kind):
        if column.key not in left_out:
            yield f"| `{column.key}` | {column.type} | {column.unit} | {column.meaning.replace('|', '&#124;')} |"


def page() -> str:
    """The whole page."""
    from stepscope.session.all_parts import ALL_PARTS, SEVERAL_PARTS
    from stepscope.session.part import Answer, Wanted

    shared = frozenset(Wanted.__struct_fields__)
    lines = [_HEAD]
    for part in (*ALL_PARTS, *SEVERAL_PARTS):
        lines += [f"## {part.title}: `{part.id}`", ""]
        if set(part.wanted.__struct_fields__) > shared:
            lines += ["Takes:", "", *table_of(part.wanted, shared), ""]
        for kind in structs_in(part.answer, {}):
            text = " ".join((kind.__doc__ or "").split())
            lines += [f"`{kind.__name__}`: {text}", "", *table_of(kind, frozenset(Answer.__struct_fields__)), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    PAGE.write_text(page(), encoding="utf-8")
