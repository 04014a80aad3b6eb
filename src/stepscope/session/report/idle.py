"""Why the devices of a worker are idle: causes by their time in a typical step, each with the names that have most of it."""

from __future__ import annotations

from stepscope.analyses.host.stack import stack_of
from stepscope.analyses.idle_causes import Cause, CauseTable, mean_causes
from stepscope.session.analysed import AnalysedSession
from stepscope.session.report.columns import IdleCauseRow, IdleName, IdleTime
from stepscope.session.step_rows import StepGroup

MOST_NAMES = 10
"""Of one cause; `names_total` says how many there are."""
WITH_WRITTEN_STACK = 3
"""Names of a cause whose stack is looked for in the file too, which costs a read each."""
_MS = 1e6
_GROUP_OF_CAUSE = {Cause.INPUT_WAIT: StepGroup.INPUT_WAIT, Cause.UNTRACED: StepGroup.UNTRACED}
_MEANS = {
    Cause.INPUT_WAIT: "The host waits for the next batch.",
    Cause.SYNC: "A call waits for the device, and the host launches nothing meanwhile.",
    Cause.STREAM_WAIT: "Work was launched but waits for another stream, a collective or another device.",
    Cause.LAUNCH_BOUND: "The device finishes each kernel before the next one is launched.",
    Cause.SLOW_LAUNCH: "A launch call is far slower than usual.",
    Cause.STARTUP: "Once in a process: context creation, lazy loading, autotuning, first calls. Later steps do not have it.",
    Cause.HOST_OP: "Operations and framework calls run on the host between launches.",
    Cause.ALLOCATOR: "Device or pinned memory is allocated or freed.",
    Cause.COMPILE: "Functions are traced or compiled.",
    Cause.GC: "Python's garbage collector runs.",
    Cause.IO: "Checkpoints and summaries are written.",
    Cause.PYTHON: "Python functions run on the host.",
    Cause.UNTRACED: "Not covered by the trace.",
}


def group_of_cause(cause: Cause) -> StepGroup:
    """The group of a step's time that idle time with this cause counts in."""
    return _GROUP_OF_CAUSE.get(cause, StepGroup.HOST)


def idle_time(session: AnalysedSession, place: int) -> IdleTime:
    """Of one worker."""
    profile, breakdown = session.profiles[place], session.summary.breakdowns[place]
    table, step_ns = mean_causes(profile, breakdown), breakdown.typical_ns or 1.0
    return IdleTime(
        ms=table.idle_ns / _MS,
        share=table.idle_ns / step_ns,
        causes=[
            IdleCauseRow(
                cause=one.cause.key,
                title=one.cause.text.capitalize(),
                means=_MEANS[one.cause],
                group=group_of_cause(one.cause),
                ms=one.per_step_ns / _MS,
                share=one.per_step_ns / step_ns,
                gaps_per_step=one.gaps_per_step,
                names=_names(session, place, table, one.cause, step_ns),
                names_total=len([name for name in table.named(one.cause) if name.name]),
            )
            for one in table.sums
        ],
    )


def _names(session: AnalysedSession, place: int, table: CauseTable, cause: Cause, step_ns: float) -> list[IdleName]:
    profile = session.profiles[place]
    named = [one for one in table.named(cause) if one.name][:MOST_NAMES]
    return [
        IdleName(
            name=one.name,
            part=one.part.key,
            ms=one.per_step_ns / _MS,
            share=one.per_step_ns / step_ns,
            gaps_per_step=one.gaps_per_step,
            after_wait_ms=one.after_wait_ns / _MS,
            longest_ms=one.longest_ns / _MS,
            stack=list(stack_of(profile, one.row, session.attributes if at < WITH_WRITTEN_STACK else None)),
        )
        for at, one in enumerate(named)
    ]
