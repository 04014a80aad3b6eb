"""In what ranks differ, as the first lines of a terminal's report, because averages over them mislead then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from stepscope.cli.terminal import COLUMNS, count_of, shortened

_VALUES = 4
_WHAT, _VALUE = 24, 20


class Differing(Protocol):
    """Something in which ranks differ, with its value on each."""

    @property
    def what(self) -> str: ...

    @property
    def values(self) -> Sequence[str]: ...


def difference_lines(found: Sequence[Differing]) -> list[str]:
    """What differs with its values, the most common first; nothing when all agree."""
    if not found:
        return []
    from stepscope.analyses.communication.disagreements import value_counts

    lines = ["Ranks differ; averages hide this"]
    for each in found:
        values = value_counts(each.values)
        more = f" and {len(values) - _VALUES} more" if len(values) > _VALUES else ""
        shown = ", ".join(f"{shortened(value, _VALUE)} on {count_of(ranks, 'rank')}" for value, ranks in values[:_VALUES])
        lines.append(f"  {shortened(each.what, _WHAT)}: {shown}{more}"[:COLUMNS])
    return lines
