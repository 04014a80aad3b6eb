"""`stepscope profile memory` for a log folder without recorded memory: what its runs have logged about it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import echo_answer
from stepscope.cli.profile.range_options import range_chosen
from stepscope.cli.terminal import COLUMNS, printable, shortened
from stepscope.model.errors import BadInput, NotThere

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stepscope.dashboards.profile.logged_memory import LoggedMemoryRow
    from stepscope.store.library import Library

_SHOWN = 100
_NAME = 60


def logged_memory(
    path: str, marked: Sequence[str] = (), unit: str | None = None, *, cache: bool, keep: bool = False
) -> list[LoggedMemoryRow]:
    """A row for every series of memory in a log folder; none for what is no folder. Raises NotThere or BadInput.

    The series that are marked on the page, or were kept here, count as well; `keep` keeps these.
    """
    from stepscope.dashboards.profile.logged_memory import unit_to_keep
    from stepscope.logdir import open_folder
    from stepscope.model.user import LOCAL_USER
    from stepscope.queries.memory_levels import check_marked
    from stepscope.store.user_state import UserState

    path = os.path.abspath(os.path.expanduser(path))
    if not os.path.isdir(path):
        if marked:
            raise NotThere(f"{path} is no folder; --series takes series from a log folder.", "no_such_folder")
        return []
    folder = open_folder(path, cache=cache)
    check_marked(folder.library, marked)
    given = {tag: unit_to_keep(tag, unit or "") for tag in marked}
    state = UserState()
    notes = state.of(LOCAL_USER.id)
    marks = notes.memory_marks(path) | given
    if keep:
        for tag, its_unit in given.items():
            notes.mark_memory(path, tag, its_unit)
    state.close()
    rows = _rows(folder.library, marks)
    return _rows(folder.library, marks) if folder.repair() else rows


def forget_series(path: str, marked: Sequence[str]) -> None:
    """Takes marks away that were kept for a log folder. Raises NotThere for a series without one."""
    from stepscope.model.user import LOCAL_USER
    from stepscope.store.user_state import UserState

    path = os.path.abspath(os.path.expanduser(path))
    state = UserState()
    notes = state.of(LOCAL_USER.id)
    kept = notes.memory_marks(path)
    for tag in marked:
        if tag not in kept:
            there = f"; marked are {', '.join(kept)}" if kept else ", and no other one is"
            raise NotThere(f"The series {tag!r} is not marked as memory in {path}{there}.", "not_marked")
        notes.mark_memory(path, tag, None)
        click.echo(printable(f"{tag} is no longer taken for memory in {path}."))
    state.close()


def show_logged_memory(rows: Sequence[LoggedMemoryRow], advice: str, *, as_json: bool) -> None:
    """Prints what series say, and how to see more. Raises BadInput without any, and when only a part of a profile is asked for."""
    from stepscope.dashboards.profile.logged_memory import logged_counts

    if not rows:
        raise BadInput("No point of these series can be a size of memory: all are negative, too large or no number.", "no_sizes")
    if range_chosen():
        raise BadInput("Leave out the range: of logged series everything since the last restart is judged.", "no_ranges")
    if as_json:
        echo_answer({"devices": [], "series": rows, "advice": advice})
        return
    lines = _wrapped(f"Memory as it was logged: {logged_counts(rows)}.")
    run: str | None = None
    for row in rows[:_SHOWN]:
        if row.run != run:
            run = row.run
            lines += ["", shortened(run, COLUMNS)]
        lines += _wrapped(f"{shortened(row.name, _NAME)}: {row.sentence}", "  ", "    ")
    if len(rows) > _SHOWN:
        lines.append(f"and {len(rows) - _SHOWN:,} more; see --json")
    click.echo("\n".join([*lines, "", *_wrapped(advice)]))


def _rows(library: Library, marked: Mapping[str, str]) -> list[LoggedMemoryRow]:
    from stepscope.dashboards.profile.logged_memory import logged_memory_rows
    from stepscope.queries.memory_levels import memory_levels

    runs = sorted(library.snapshot.runs, key=lambda run: run.name)
    return [row for run in runs for row in logged_memory_rows(run.name, memory_levels(library, run, marked))]


def _wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    return click.wrap_text(printable(text), COLUMNS, first, rest).splitlines()
