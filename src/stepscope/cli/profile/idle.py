"""Why the device is idle, for `stepscope profile report`: of each rank, causes by the time of a typical step they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stepscope.cli.profile.rank_choice import chosen_rank
from stepscope.cli.terminal import COLUMNS, percent, shortened, table

if TYPE_CHECKING:
    from stepscope.analyses.idle_causes import IdleCause, IdleCauses
    from stepscope.analyses.summary import Summary

_SHOWN = 5
_MOST = 50
_SMALL = 0.005
_WHOLE_TABLES = 2
"""Of more ranks each has a line; --rank shows one of them as a table."""
_RANKS_SHOWN = 16
_NAME = 16
_HEAD = ("  cause", "gaps", "ms", "of the step")


def idle_of_ranks(found: Summary) -> list[IdleCauses]:
    """Of every rank, in their order."""
    from stepscope.analyses.idle_causes import idle_causes

    return [idle_causes(profile, breakdown) for profile, breakdown in zip(found.profiles, found.breakdowns, strict=True)]


def idle_lines(found: Summary, idle: Sequence[IdleCauses], wanted: str | None = None) -> list[str]:
    """The largest causes with what explains them; ranks whose device is hardly ever idle are left out. Raises BadInput."""
    from stepscope.analyses.summary import rank_name

    names = [rank_name(profile, place) for place, profile in enumerate(found.profiles)]
    steps = [breakdown.typical_ns or 1.0 for breakdown in found.breakdowns]
    if wanted is not None:
        place = chosen_rank(names, wanted)
        title = f"Why {shortened(names[place], 60)} is idle"
        return _table(title, idle[place], steps[place]) or [f"{names[place]} is hardly ever idle."]
    if len(idle) > _WHOLE_TABLES:
        return _line_each(names, idle, steps)
    titles = ["Why it is idle"] if len(idle) == 1 else [f"Why {shortened(name, 60)} is idle" for name in names]
    tables = [_table(*each) for each in zip(titles, idle, steps, strict=True)]
    return [line for place, lines in enumerate(filter(None, tables)) for line in ([""] if place else []) + lines]


def _worth(idle: IdleCauses, step_ns: float) -> list[IdleCause]:
    return [one for one in idle.causes if one.per_step_ns >= _SMALL * step_ns]


def _table(title: str, idle: IdleCauses, step_ns: float) -> list[str]:
    rows = [
        (f"  {_cause(one)}{f': {one.name}' if one.name else ''}", f"{one.gaps:,}", *_numbers(one.per_step_ns, step_ns))
        for one in _worth(idle, step_ns)[:_SHOWN]
    ]
    return [title, *table(_HEAD, rows, COLUMNS)] if rows else []


def _line_each(names: Sequence[str], idle: Sequence[IdleCauses], steps: Sequence[float]) -> list[str]:
    """A line for each rank: how long it is idle, and its causes, the largest first and as many as fit."""
    ranks = [(name, each, step_ns) for name, each, step_ns in zip(names, idle, steps, strict=True) if _worth(each, step_ns)]
    if not ranks:
        return []
    rows = [
        (f"  {shortened(name, _NAME)}", *_numbers(sum(one.per_step_ns for one in each.causes), step_ns))
        for name, each, step_ns in ranks[:_RANKS_SHOWN]
    ]
    head, *lines = table(("  rank", "idle ms", "share"), rows, COLUMNS)
    room = COLUMNS - len(head) - 2
    shown = [f"{line}  {_causes(each, step_ns, room)}" for line, (_, each, step_ns) in zip(lines, ranks, strict=False)]
    more = len(ranks) - _RANKS_SHOWN
    rest = f"  and {more} more; see --json. " if more > 0 else "  "
    return ["Why ranks are idle", f"{head}  causes, of the step", *shown, f"{rest}--rank NAME tells more of one."]


def _causes(idle: IdleCauses, step_ns: float, room: int) -> str:
    """Causes by kind with their shares of the step, as many as fit."""
    sums: dict[str, float] = {}
    for one in idle.causes:
        sums[_cause(one)] = sums.get(_cause(one), 0.0) + one.per_step_ns
    text = ""
    for ns, name in sorted(((ns, name) for name, ns in sums.items() if ns >= _SMALL * step_ns), reverse=True):
        longer = f"{text}{', ' if text else ''}{name} {100 * ns / step_ns:.0f} %"
        if len(longer) > room:
            break
        text = longer
    return text


def _cause(one: IdleCause) -> str:
    return one.cause.key.replace("_", " ")


def _numbers(per_step_ns: float, step_ns: float) -> tuple[str, str]:
    return f"{per_step_ns / 1e6:.2f}", percent(per_step_ns / step_ns)


def idle_answer(idle: IdleCauses) -> list[dict[str, Any]]:
    """Causes by time; `ms` is of a typical step, `gaps` of all typical steps."""
    return [{"cause": one.cause.key, "name": one.name, "ms": one.per_step_ns / 1e6, "gaps": one.gaps} for one in idle.causes[:_MOST]]
