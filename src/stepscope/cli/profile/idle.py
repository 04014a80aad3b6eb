"""Why the device is idle, for `stepscope profile report`: of each rank, causes by the time of a typical step they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stepscope.cli.profile.rank_choice import chosen_rank
from stepscope.cli.terminal import COLUMNS, percent, printable, shortened, table

if TYPE_CHECKING:
    from stepscope.analyses.idle_causes import CauseSum, CauseTable, IdleCause
    from stepscope.analyses.input.stages import ReadAttributes
    from stepscope.analyses.summary import Summary
    from stepscope.model.profile import Profile

_CAUSES_SHOWN = 6
_NAMES_SHOWN = 3
_MOST = 50
_SMALL = 0.005
_WHOLE_TABLES = 2
"""Of more ranks each has a line; --rank shows one of them as a table."""
_RANKS_SHOWN = 16
_NAME = 16
_HEAD = ("  cause", "gaps a step", "ms", "of the step")


def idle_of_ranks(found: Summary) -> list[CauseTable]:
    """Of every rank, in their order; of several devices the mean."""
    from stepscope.analyses.idle_causes import mean_causes

    return [mean_causes(profile, breakdown) for profile, breakdown in zip(found.profiles, found.breakdowns, strict=True)]


def idle_lines(
    found: Summary, idle: Sequence[CauseTable], wanted: str | None = None, attributes: ReadAttributes | None = None
) -> list[str]:
    """The largest causes with what explains them; ranks whose device is hardly ever idle are left out. Raises BadInput."""
    from stepscope.analyses.summary import rank_name

    names = [rank_name(profile, place) for place, profile in enumerate(found.profiles)]
    steps = [breakdown.typical_ns or 1.0 for breakdown in found.breakdowns]
    if wanted is not None:
        place = chosen_rank(names, wanted)
        title = f"Why {shortened(names[place], 60)} is idle"
        lines = _table(title, idle[place], steps[place], found.profiles[place], attributes)
        return lines or [f"{names[place]} is hardly ever idle."]
    if len(idle) > _WHOLE_TABLES:
        return _line_each(names, idle, steps)
    titles = ["Why it is idle"] if len(idle) == 1 else [f"Why {shortened(name, 60)} is idle" for name in names]
    tables = [_table(*each, attributes) for each in zip(titles, idle, steps, found.profiles, strict=True)]
    return [line for place, lines in enumerate(filter(None, tables)) for line in ([""] if place else []) + lines]


def _table(title: str, idle: CauseTable, step_ns: float, profile: Profile, attributes: ReadAttributes | None) -> list[str]:
    """Causes, the names that have most of each below it, and what is around the first of them."""
    from stepscope.analyses.host.stack import stack_of

    rows: list[tuple[str, ...]] = []
    below: dict[int, str] = {}
    for one in [each for each in idle.sums if each.per_step_ns >= _SMALL * step_ns][:_CAUSES_SHOWN]:
        names = [each for each in idle.named(one.cause) if each.name]
        alone = len(names) == 1
        rows.append((f"  {one.cause.text}{f': {names[0].name}' if alone else ''}", *_numbers(one, step_ns)))
        shown = [each for each in names if each.per_step_ns >= _SMALL * step_ns][:_NAMES_SHOWN]
        if not alone:
            rows += [(f"    {each.name}", *_numbers(each, step_ns)) for each in shown]
        stack = stack_of(profile, shown[0].row, attributes) if shown else ()
        if stack:
            below[len(rows) if alone else len(rows) - len(shown) + 1] = _stack_line(stack)
    if not rows:
        return []
    rows.append(("  in all", "", f"{idle.idle_ns / 1e6:.2f}", percent(idle.idle_ns / step_ns)))
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


def _line_each(names: Sequence[str], idle: Sequence[CauseTable], steps: Sequence[float]) -> list[str]:
    """A line for each rank: how long it is idle, and its causes, the largest first and as many as fit."""
    ranks = [(name, each, step_ns) for name, each, step_ns in zip(names, idle, steps, strict=True) if each.idle_ns >= _SMALL * step_ns]
    if not ranks:
        return []
    rows = [
        (f"  {shortened(name, _NAME)}", f"{each.idle_ns / 1e6:.2f}", percent(each.idle_ns / step_ns))
        for name, each, step_ns in ranks[:_RANKS_SHOWN]
    ]
    head, *lines = table(("  rank", "idle ms", "share"), rows, COLUMNS)
    room = COLUMNS - len(head) - 2
    shown = [f"{line}  {_causes(each, step_ns, room)}" for line, (_, each, step_ns) in zip(lines, ranks, strict=False)]
    more = len(ranks) - _RANKS_SHOWN
    rest = f"  and {more} more; see --json. " if more > 0 else "  "
    return ["Why ranks are idle", f"{head}  causes, of the step", *shown, f"{rest}--rank NAME tells more of one."]


def _causes(idle: CauseTable, step_ns: float, room: int) -> str:
    """Causes by kind with their shares of the step, as many as fit."""
    text = ""
    for one in idle.sums:
        longer = f"{text}{', ' if text else ''}{one.cause.text} {100 * one.per_step_ns / step_ns:.0f} %"
        if one.per_step_ns < _SMALL * step_ns or len(longer) > room:
            break
        text = longer
    return text


def _numbers(one: IdleCause | CauseSum, step_ns: float) -> tuple[str, str, str]:
    gaps = one.gaps_per_step
    return f"{gaps:,.0f}" if gaps >= 10 else f"{gaps:.1f}", f"{one.per_step_ns / 1e6:.2f}", percent(one.per_step_ns / step_ns)


def idle_answer(profile: Profile, idle: CauseTable) -> list[dict[str, Any]]:
    """Causes by time, all of a typical step; `part` is whose time it is in the breakdown."""
    from stepscope.analyses.host.stack import stack_of

    return [
        {
            "cause": one.cause.key,
            "part": one.part.key,
            "name": one.name,
            "ms": one.per_step_ns / 1e6,
            "gaps_per_step": one.gaps_per_step,
            "after_wait_ms": one.after_wait_ns / 1e6,
            "longest_ms": one.longest_ns / 1e6,
            "stack": list(stack_of(profile, one.row)),
        }
        for one in idle.causes[:_MOST]
    ]
