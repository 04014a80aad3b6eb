"""In what ranks differ, as the first lines of a terminal's report: nobody reads a mean over them without having seen it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stepscope.cli.terminal import COLUMNS, count_of, shortened

if TYPE_CHECKING:
    from stepscope.analyses.communication.disagreements import Disagreement

_VALUES = 4
_WHAT, _VALUE = 24, 20


def difference_lines(found: Sequence[Disagreement]) -> list[str]:
    """What differs with its values, the most common first; nothing when all agree."""
    from stepscope.analyses.communication.disagreements import value_counts

    if not found:
        return []
    lines = ["The ranks differ; means over them are to be read with that in mind"]
    for each in found:
        values = value_counts(each.values)
        more = f" and {len(values) - _VALUES} more" if len(values) > _VALUES else ""
        shown = ", ".join(f"{shortened(value, _VALUE)} on {count_of(ranks, 'rank')}" for value, ranks in values[:_VALUES])
        lines.append(f"  {shortened(each.what, _WHAT)}: {shown}{more}"[:COLUMNS])
    return lines
