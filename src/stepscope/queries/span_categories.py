"""The table of span categories as page, terminal and HTTP API show it: the user's own rows, and those that each format knows."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.span_kinds import KindTable
from stepscope.queries.names import path_text


class SpanCategoryRow(Struct, frozen=True, kw_only=True):
    """One rule; the first that fits a name decides."""

    pattern: Annotated[str, d.text("Pattern of names, in which * matches any text.")]
    kind: Annotated[str, d.text("Category of the spans, such as `input`.")]
    held_against: Annotated[str, d.text("Names that the pattern is compared with, such as `kernels`.")]
    origin: Annotated[str, d.text("File or format that has the rule.")]
    yours: Annotated[bool, d.flag("Whether it is one of the user's own rules.")]


class SpanCategories(Struct, frozen=True, kw_only=True):
    """The table in force."""

    file: Annotated[str, d.text("TOML file for the user's own rules; it need not exist.")]
    problem: Annotated[str, d.text("Why a file of the user cannot be used, so that its rules are missing; empty when it can.")]
    kinds: Annotated[list[SpanCategoryRow], d.nested("The rules in the order in which they are tried.")]


def span_categories(table: KindTable, kind: str | None = None, *, yours: bool = False) -> SpanCategories:
    """The rules of a kind, or all; with `yours` only the user's own."""
    rows = [row for row in table.rows if (kind is None or row.kind == kind) and (row.yours or not yours)]
    return SpanCategories(
        file=path_text(table.file),
        problem=path_text(table.problem),
        kinds=[d.fill(SpanCategoryRow, row, pattern=path_text(row.pattern), origin=path_text(row.origin)) for row in rows],
    )
