"""Reads `--rank` of the profile verbs: a rank by its number, by the name that the report gives it, or by its worker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from stepscope.analyses.texts import worker_name
from stepscope.cli.terminal import printable
from stepscope.model.errors import BadInput

if TYPE_CHECKING:
    from stepscope.cli.profile.rank_column import OfWorker

    _Row = TypeVar("_Row", bound=OfWorker)

_NAMED = 8


def worker_label(row: OfWorker) -> str:
    """`rank 3`, or the worker where the profile does not record its rank."""
    return worker_name(row.worker, row.rank)


def chosen_worker(rows: Sequence[_Row], wanted: str) -> _Row:
    """The row of the worker that goes by this name or number. Raises BadInput."""
    found = next((row for row in rows if row.worker == wanted), None)
    return found or rows[chosen_rank([worker_label(row) for row in rows], wanted)]


def chosen_rank(names: Sequence[str], wanted: str) -> int:
    """The place of the rank that goes by this name or number. Raises BadInput."""
    for place, name in enumerate(names):
        if wanted in (name, name.removeprefix("rank ")):
            return place
    listed = ", ".join(printable(name) for name in names[:_NAMED])
    raise BadInput(f"There is no rank {printable(wanted)}; there are {listed}.", "no_such_rank")
