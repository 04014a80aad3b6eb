"""Rows of the table of span kinds, for formats to list the rules by which they tell kinds from names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stepscope._native import listed_rules
from stepscope.model.span_kinds import KindRow


def native_rows(format_id: str, title: str, held_against: Mapping[str, str]) -> Iterator[KindRow]:
    """The native core's rules of a format; `held_against` gives a heading for each of its tables."""
    for of_format, table, match, text, kind in listed_rules():
        if of_format == format_id:
            yield KindRow(pattern_of(match, text), kind, held_against[table], title, False)


def pattern_of(match: str, text: str) -> str:
    """A rule as one pattern in which * stands for anything."""
    if match == "frame":
        file, function = text.split(" ", 1)
        return f"${file}:* {function}"
    return {"exact": text, "prefix": f"{text}*", "suffix": f"*{text}", "call": f"{text}[A-Z]*"}.get(match, f"*{text}*")
