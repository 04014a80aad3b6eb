"""The table by which spans get their kinds from their names, as it is listed for users."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KindRow:
    """One rule; of those of one origin the first that fits decides, and the user's own come before all others."""

    pattern: str  # * stands for anything
    kind: str
    held_against: str  # "host events", "kernels", …: what of a recording the pattern is compared with
    origin: str  # the file that has it, or the title of the format that it belongs to
    yours: bool


@dataclass(frozen=True, slots=True)
class KindTable:
    """The table in force."""

    file: str  # the one to write your own names into; it need not exist
    rows: tuple[KindRow, ...]
    problem: str = ""  # one sentence on a file of yours that cannot be used; the rows are then those of the formats alone
