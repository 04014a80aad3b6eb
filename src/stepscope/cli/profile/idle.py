"""Why the device is idle, for `stepscope profile report`: causes by the time of a typical step they take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stepscope.cli.terminal import COLUMNS, percent, table

if TYPE_CHECKING:
    from stepscope.analyses.idle_causes import IdleCauses

_SHOWN = 5
_MOST = 50
_SMALL = 0.005


def idle_lines(idle: IdleCauses, step_ns: float) -> list[str]:
    """The largest causes with what explains them; nothing when the device is hardly ever idle."""
    worth = [one for one in idle.causes if one.per_step_ns >= _SMALL * step_ns][:_SHOWN]
    rows = [
        (f"  {one.cause.key.replace('_', ' ')}{f': {one.name}' if one.name else ''}", *_numbers(one.per_step_ns, one.gaps, step_ns))
        for one in worth
    ]
    return ["Why it is idle", *table(("  cause", "gaps", "ms", "of the step"), rows, COLUMNS)] if rows else []


def _numbers(per_step_ns: float, gaps: int, step_ns: float) -> tuple[str, str, str]:
    return f"{gaps:,}", f"{per_step_ns / 1e6:.2f}", percent(per_step_ns / step_ns)


def idle_answer(idle: IdleCauses) -> list[dict[str, Any]]:
    """Causes by time; `ms` is of a typical step, `gaps` of all typical steps."""
    return [{"cause": one.cause.key, "name": one.name, "ms": one.per_step_ns / 1e6, "gaps": one.gaps} for one in idle.causes[:_MOST]]
