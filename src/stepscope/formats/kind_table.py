"""The table by which spans get their kinds, with the user's rows before those of the formats, for whoever wants to read it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from stepscope.formats.all_formats import PROFILE_FORMATS
from stepscope.formats.span_kinds import SpanRule
from stepscope.model.span_kinds import KindRow, KindTable

_EVERYTHING = "names of spans"


def kind_table(file: str, own: Sequence[tuple[str, Sequence[SpanRule]]], problem: str = "") -> KindTable:
    """The user's rules, each set with the file that it comes from, and then those of the formats."""
    yours = [KindRow(rule.pattern, rule.kind, _EVERYTHING, path, True) for path, rules in own for rule in rules]
    return KindTable(file, (*yours, *built_in_rows()), problem)


@lru_cache(maxsize=1)
def built_in_rows() -> tuple[KindRow, ...]:
    """The rows of all formats that tell kinds by names, each table in the order in which it is tried."""
    return tuple(row for known in PROFILE_FORMATS if known.kind_rows for row in known.kind_rows())
