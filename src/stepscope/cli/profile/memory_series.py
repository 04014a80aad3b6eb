"""`stepscope profile memory` for a log folder without recorded memory: what its runs have logged about it."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import click
import msgspec

from stepscope.cli.profile.range_options import range_chosen
from stepscope.cli.profile.reading import echo_json
from stepscope.cli.terminal import COLUMNS, count_of, printable, shortened
from stepscope.model.errors import BadInput, NotThere

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepscope.dashboards.profile.logged_memory import LoggedMemoryRow
    from stepscope.store.library import Library

_SHOWN = 100
_NAME = 60


def logged_memory(path: str, marked: Sequence[str] = (), unit: str | None = None, *, cache: bool) -> list[LoggedMemoryRow]:
    """A row for every series of memory in a log folder; none for what is no folder. Raises NotThere or BadInput."""
    from stepscope.logdir import open_folder
    from stepscope.queries.memory_levels import check_marked

    path = os.path.expanduser(path)
    if not os.path.isdir(path):
        if marked:
            raise NotThere(f"{path} is no folder; --series takes series from a log folder.", "no_such_folder")
        return []
    folder = open_folder(path, cache=cache)
    check_marked(folder.library, marked)
    rows = _rows(folder.library, marked, unit)
    return _rows(folder.library, marked, unit) if folder.repair() else rows


def show_logged_memory(rows: Sequence[LoggedMemoryRow], advice: str, *, as_json: bool) -> None:
    """Prints what series say, and how to see more. Raises BadInput without any, and when only a part of a profile is asked for."""
    if not rows:
        raise BadInput("No point of these series can be a size of memory: all are negative, too large or no number.", "no_sizes")
    if range_chosen():
        raise BadInput("Leave out the range: of logged series everything since the last restart is judged.", "no_ranges")
    if as_json:
        echo_json({"devices": [], "series": [msgspec.to_builtins(row) for row in rows], "advice": advice})
        return
    lines = _wrapped(f"Memory as it was logged: {_counts(rows)}.")
    run: str | None = None
    for row in rows[:_SHOWN]:
        if row.run != run:
            run = row.run
            lines += ["", shortened(run, COLUMNS)]
        lines += _wrapped(f"{shortened(row.name, _NAME)}: {row.sentence}", "  ", "    ")
    if len(rows) > _SHOWN:
        lines.append(f"and {len(rows) - _SHOWN:,} more; see --json")
    click.echo("\n".join([*lines, "", *_wrapped(advice)]))


def _rows(library: Library, marked: Sequence[str], unit: str | None) -> list[LoggedMemoryRow]:
    from stepscope.dashboards.profile.logged_memory import logged_memory_rows
    from stepscope.queries.memory_levels import memory_levels

    runs = sorted(library.snapshot.runs, key=lambda run: run.name)
    return [row for run in runs for row in logged_memory_rows(run.name, memory_levels(library, run, marked, unit))]


def _counts(rows: Sequence[LoggedMemoryRow]) -> str:
    counts = Counter(row.verdict for row in rows)
    told = (("grows", "growing"), ("steady", "steady"), ("cannot_tell", "of which it cannot be told"))
    return f"{count_of(len(rows), 'series', '')}, " + ", ".join(
        f"{counts[verdict]:,} {word}" for verdict, word in told if counts[verdict]
    )


def _wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    return click.wrap_text(printable(text), COLUMNS, first, rest).splitlines()
