"""The column that tells ranks apart in a terminal's table of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from stepscope.cli.terminal import COLUMNS, printable, shortened, table

_WIDEST = 10


class OfWorker(Protocol):
    """A row that belongs to a worker."""

    @property
    def worker(self) -> str: ...

    @property
    def host(self) -> str: ...

    @property
    def rank(self) -> int | None: ...


def table_of_workers(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], whose: Sequence[OfWorker]) -> list[str]:
    """A table whose rows belong to workers; with several workers, the second column says whose a row is."""
    if len({each.worker for each in whose}) < 2:
        return table(head, rows, COLUMNS)
    ranked = [
        (row[0], str(each.rank) if each.rank is not None else shortened(each.worker, _WIDEST), *row[1:])
        for row, each in zip(rows, whose, strict=True)
    ]
    return table((head[0], "rank", *head[1:]), ranked, COLUMNS)


def title_of(each: OfWorker) -> str:
    """The heading above what belongs to one worker of several."""
    return f"{printable(each.host or each.worker)}{'' if each.rank is None else f' rank {each.rank}'}"
