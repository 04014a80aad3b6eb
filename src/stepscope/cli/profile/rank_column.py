"""The column that tells ranks apart in a terminal's table of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stepscope.cli.terminal import COLUMNS, shortened, table

if TYPE_CHECKING:
    from stepscope.model.profile import Profile

_WIDEST = 10


def table_of_ranks(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], profiles: Sequence[Profile], several: bool) -> list[str]:
    """A table whose rows are each of one profile; with several ranks, the second column says whose a row is."""
    if not several:
        return table(head, rows, COLUMNS)
    ranked = [(row[0], _rank(profile), *row[1:]) for row, profile in zip(rows, profiles, strict=True)]
    return table((head[0], "rank", *head[1:]), ranked, COLUMNS)


def _rank(profile: Profile) -> str:
    from stepscope.analyses.summary import rank_name

    return str(profile.rank) if profile.rank >= 0 else shortened(rank_name(profile, 0), _WIDEST)
