"""`stepscope profile memory` for a log folder without recorded memory: what its runs have logged about it."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import click
import msgspec

from stepscope.cli.profile.range_options import range_chosen
from stepscope.cli.profile.reading import echo_json
from stepscope.cli.terminal import COLUMNS, count_of, printable
from stepscope.model.errors import BadInput, NotThere

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepscope.dashboards.profile.logged_memory import LoggedMemoryRow
    from stepscope.logdir import RunReader
    from stepscope.queries.memory_tags import MemoryTag

_SHOWN = 100


def logged_memory(path: str, marked: Sequence[str] = (), unit: str | None = None, *, cache: bool) -> list[LoggedMemoryRow]:
    """A row for every series of memory in a log folder; none for what is no folder. Raises NotThere or BadInput."""
    from stepscope.logdir import open_folder
    from stepscope.queries.memory_tags import check_marked, memory_tags

    path = os.path.expanduser(path)
    if not os.path.isdir(path):
        if marked:
            raise NotThere(f"{path} is no folder; --series takes series from a log folder.", "no_such_folder")
        return []
    runs = [(run, run.tags) for run in open_folder(path, cache=cache).runs]
    check_marked({tag for _, tags in runs for tag in tags}, marked)
    found = [_row(run, tag, tags) for run, tags in runs for tag in memory_tags(tags, marked, unit)]
    return [row for row in found if row is not None]


def show_logged_memory(rows: Sequence[LoggedMemoryRow], advice: str, *, as_json: bool) -> None:
    """Prints what series say, and how to see more. Raises BadInput when only a part of a profile is asked for."""
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
            lines += ["", *_wrapped(run)]
        lines += _wrapped(f"{row.name}: {row.sentence}", "  ", "    ")
    if len(rows) > _SHOWN:
        lines.append(f"and {len(rows) - _SHOWN:,} more; see --json")
    click.echo("\n".join([*lines, "", *_wrapped(advice)]))


def _row(run: RunReader, tag: MemoryTag, tags: Sequence[str]) -> LoggedMemoryRow | None:
    from stepscope.analyses.memory_series import memory_series
    from stepscope.dashboards.profile.logged_memory import logged_memory_row
    from stepscope.queries.memory_tags import capacity_beside

    series = run.scalars(tag.tag, "all")
    capacity: float | None = None
    if tag.beside in tags and tag.beside is not None:
        beside = run.scalars(tag.beside, "all")
        capacity = capacity_beside(tag, series.wall_time, series.value, beside.wall_time, beside.value)
    found = memory_series(series.step, series.wall_time, series.value * tag.unit, series.segment, capacity)
    return None if found is None else logged_memory_row(run.name, tag, found)


def _counts(rows: Sequence[LoggedMemoryRow]) -> str:
    counts = Counter(row.verdict for row in rows)
    told = (("grows", "growing"), ("steady", "steady"), ("cannot_tell", "of which it cannot be told"))
    return f"{count_of(len(rows), 'series', '')}, " + ", ".join(
        f"{counts[verdict]:,} {word}" for verdict, word in told if counts[verdict]
    )


def _wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    return click.wrap_text(printable(text), COLUMNS, first, rest).splitlines()
