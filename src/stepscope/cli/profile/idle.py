"""Why devices are idle, for `stepscope profile report`: of each worker, causes by their time in a typical step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stepscope.cli.profile.rank_choice import chosen_worker, worker_label
from stepscope.cli.terminal import COLUMNS, percent, printable, shortened, table

if TYPE_CHECKING:
    from stepscope.session.report.columns import IdleCauseRow, IdleName, IdleTime, RankRow

_CAUSES_SHOWN = 6
_NAMES_SHOWN = 3
_SMALL = 0.005
"""Of a step: causes and names with less are not listed."""
_WHOLE_TABLES = 2
"""Of more ranks each has a line; --rank shows one of them as a table."""
_RANKS_SHOWN = 16
_NAME = 16
_HEAD = ("  cause", "gaps/step", "ms", "of the step")


def idle_lines(ranks: Sequence[RankRow], wanted: str | None = None) -> list[str]:
    """The largest causes with the names behind them; ranks whose device is hardly ever idle are left out. Raises BadInput."""
    if wanted is not None:
        rank = chosen_worker(ranks, wanted)
        return _table(_title(rank), rank.idle) or [f"{worker_label(rank)} is almost never idle."]
    if len(ranks) > _WHOLE_TABLES:
        return _line_each(ranks)
    tables = [_table("Idle time" if len(ranks) == 1 else _title(rank), rank.idle) for rank in ranks]
    return [line for place, lines in enumerate(filter(None, tables)) for line in ([""] if place else []) + lines]


def _title(rank: RankRow) -> str:
    return f"Idle time of {shortened(worker_label(rank), 60)}"


def _table(title: str, idle: IdleTime) -> list[str]:
    """Causes, the names that have most of each below it, and the callers of the first of them."""
    rows: list[tuple[str, ...]] = []
    below: dict[int, str] = {}
    for one in [each for each in idle.causes if each.share >= _SMALL][:_CAUSES_SHOWN]:
        alone = one.names_total == 1
        rows.append((f"  {one.title.lower()}{f': {one.names[0].name}' if alone else ''}", *_numbers(one)))
        shown = [each for each in one.names if each.share >= _SMALL][:_NAMES_SHOWN]
        if not alone:
            rows += [(f"    {each.name}", *_numbers(each)) for each in shown]
        if shown and shown[0].stack:
            below[len(rows) if alone else len(rows) - len(shown) + 1] = _stack_line(shown[0].stack)
    if not rows:
        return []
    rows.append(("  total", "", f"{idle.ms:.2f}", percent(idle.share)))
    lines = [title]
    for place, line in enumerate(table(_HEAD, rows, COLUMNS)):
        lines += [line, *([below[place]] if place in below else [])]
    return lines


def _stack_line(stack: Sequence[str]) -> str:
    """The innermost frames, as many as fit."""
    line = shortened(f"      in {stack[0]}", COLUMNS)
    for frame in stack[1:]:
        longer = f"{line} in {printable(frame)}"
        if len(longer) > COLUMNS:
            break
        line = longer
    return line


def _line_each(ranks: Sequence[RankRow]) -> list[str]:
    """A line for each rank: how long it is idle, and its causes, the largest first and as many as fit."""
    idle = [rank for rank in ranks if rank.idle.share >= _SMALL]
    if not idle:
        return []
    rows = [
        (f"  {shortened(worker_label(rank), _NAME)}", f"{rank.idle.ms:.2f}", percent(rank.idle.share)) for rank in idle[:_RANKS_SHOWN]
    ]
    head, *lines = table(("  rank", "idle ms", "share"), rows, COLUMNS)
    room = COLUMNS - len(head) - 2
    shown = [f"{line}  {_causes(rank.idle, room)}" for line, rank in zip(lines, idle, strict=False)]
    more = len(idle) - _RANKS_SHOWN
    rest = f"  and {more} more; see --json. " if more > 0 else "  "
    return ["Idle time of ranks", f"{head}  causes, of the step", *shown, f"{rest}Use --rank NAME for the details of one."]


def _causes(idle: IdleTime, room: int) -> str:
    """Causes with their shares of the step, as many as fit."""
    text = ""
    for one in idle.causes:
        longer = f"{text}{', ' if text else ''}{one.title.lower()} {100 * one.share:.0f}%"
        if one.share < _SMALL or len(longer) > room:
            break
        text = longer
    return text


def _numbers(one: IdleCauseRow | IdleName) -> tuple[str, str, str]:
    gaps = one.gaps_per_step
    # Halves go up, as on the page.
    counted = f"{math.floor(gaps + 0.5):,}" if gaps >= 10 else f"{math.floor(10 * gaps + 0.5) / 10:.1f}"
    return counted, f"{one.ms:.2f}", percent(one.share)
