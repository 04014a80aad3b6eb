"""Reads `--rank` of the profile verbs: a rank by the name that the report gives it, or by its number."""

from __future__ import annotations

from collections.abc import Sequence

from stepscope.cli.terminal import printable
from stepscope.model.errors import BadInput

_NAMED = 8


def chosen_rank(names: Sequence[str], wanted: str) -> int:
    """The place of the rank that goes by this name or number. Raises BadInput."""
    for place, name in enumerate(names):
        if wanted in (name, name.removeprefix("rank ")):
            return place
    listed = ", ".join(printable(name) for name in names[:_NAMED])
    raise BadInput(f"There is no rank {printable(wanted)}; there are {listed}.", "no_such_rank")
