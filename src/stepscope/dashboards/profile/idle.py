"""Why a device is idle, for the overview: causes by the time of a typical step they take, each with the names that have most of it."""

from __future__ import annotations

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.host.stack import stack_of
from stepscope.analyses.idle_causes import Cause, CauseTable, mean_causes
from stepscope.analyses.input.stages import ReadAttributes
from stepscope.analyses.time_classes import Group
from stepscope.dashboards.profile import messages as m
from stepscope.model.profile import Profile

NAMES = 3
SMALL = 0.005
"""Of a step: names with less are not listed; causes are, so that they sum to the idle time."""
_MS = 1e6
_GROUP_OF_CAUSE = {Cause.INPUT_WAIT: Group.INPUT_WAIT, Cause.UNTRACED: Group.UNTRACED}
_MEANS = {
    Cause.INPUT_WAIT: "The host waits for the next batch.",
    Cause.SYNC: "A call returns only when the device is done: the host launches nothing meanwhile.",
    Cause.STREAM_WAIT: "Work was launched, and another stream, a collective or another device held it.",
    Cause.LAUNCH_BOUND: "Launch follows launch, and the device is done before the next one comes.",
    Cause.QUEUE_FULL: "A launch takes far longer than its like.",
    Cause.HOST_OP: "Operations and framework calls run on the host between launches.",
    Cause.ALLOCATOR: "Device or pinned memory is taken or given back.",
    Cause.COMPILE: "Functions are traced or compiled.",
    Cause.GC: "Python's garbage is collected.",
    Cause.IO: "Checkpoints and summaries are written.",
    Cause.PYTHON: "Python functions run on the host.",
    Cause.UNTRACED: "Nothing that was traced ran.",
}


def idle_row(profile: Profile, breakdown: Breakdown, attributes: ReadAttributes | None = None) -> m.IdleRow:
    """Of a rank's typical step, the mean over its devices; `attributes` reads stacks that are kept beside spans."""
    table, step_ns = mean_causes(profile, breakdown), breakdown.typical_ns or 1.0
    return m.IdleRow(
        ms=table.idle_ns / _MS,
        share=table.idle_ns / step_ns,
        causes=[
            m.IdleCauseRow(
                cause=one.cause.key,
                title=one.cause.text.capitalize(),
                means=_MEANS[one.cause],
                group=_GROUP_OF_CAUSE.get(one.cause, Group.HOST).key,
                ms=one.per_step_ns / _MS,
                share=one.per_step_ns / step_ns,
                gaps_per_step=one.gaps_per_step,
                names=_names(profile, table, one.cause, step_ns, attributes),
            )
            for one in table.sums
        ],
    )


def _names(profile: Profile, table: CauseTable, cause: Cause, step_ns: float, attributes: ReadAttributes | None) -> list[m.IdleNameRow]:
    named = [one for one in table.named(cause) if one.name and one.per_step_ns >= SMALL * step_ns]
    return [
        m.IdleNameRow(
            name=one.name,
            part=one.part.key,
            ms=one.per_step_ns / _MS,
            share=one.per_step_ns / step_ns,
            gaps_per_step=one.gaps_per_step,
            after_wait_ms=one.after_wait_ns / _MS,
            stack=list(stack_of(profile, one.row, attributes)),
        )
        for one in named[:NAMES]
    ]
