"""What names of spans mean, for the Profile tab: the user's own rows, and those that each format knows."""

from __future__ import annotations

from msgspec import Struct

from stepscope.model.span_kinds import KindTable
from stepscope.queries.names import path_text


class KindLine(Struct, frozen=True):
    """One rule: a pattern in which * stands for anything, what it is held against, and the file or format that has it."""

    pattern: str
    kind: str
    held_against: str
    origin: str
    yours: bool


class KindsAnswer(Struct, frozen=True):
    """The table in force; `problem` is one sentence on a file of the user's that cannot be used, whose rows are then missing."""

    file: str
    problem: str
    rows: list[KindLine]


def kinds_answer(table: KindTable) -> KindsAnswer:
    """The table as the page lists it."""
    rows = [KindLine(path_text(row.pattern), row.kind, row.held_against, path_text(row.origin), row.yours) for row in table.rows]
    return KindsAnswer(path_text(table.file), path_text(table.problem), rows)
