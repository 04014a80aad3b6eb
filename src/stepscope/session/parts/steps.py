"""Every step with the classes its time divides into, and which class makes a step unlike the typical ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.profile import NONE
from stepscope.session.limits import Host, Rank, Worker
from stepscope.session.part import Answer, Part, Wanted
from stepscope.session.step_rows import StepParts, step_parts

if TYPE_CHECKING:
    from stepscope.session.analysed import AnalysedSession

_MS = 1e6


class StepsWanted(Wanted, frozen=True, kw_only=True):
    """Nothing but what every part takes."""


class StepRow(Struct, frozen=True, kw_only=True):
    """One step of one worker."""

    step: Annotated[int, d.number("Number of the step.", "step")]
    worker: Worker
    host: Host
    rank: Rank
    start_ms: Annotated[float, d.ms("Start of the step, from the start of the profile.")]
    ms: Annotated[float, d.ms("Step time.")]
    parts: Annotated[StepParts, d.nested("Exclusive time by class; the classes sum to `ms`.")]
    overlapped: Annotated[StepParts, d.nested("Time by class that ran while an earlier class had the time.")]
    typical: Annotated[bool, d.flag("Whether the step is typical; averages are over typical steps.")]
    grew: Annotated[str, d.text("Class that differs most from a typical step; empty when the step is typical.")]
    grew_ms: Annotated[float | None, d.ms("By how much that class differs; null when the step is typical.")]
    warm_up: Annotated[bool, d.flag("Whether it is before the first typical step: compilation, caches, start of the profiler.")]
    may_hold_profiler_start: Annotated[bool, d.flag("Whether it is the first of the profile, which may include the profiler's start.")]
    waiting_ms: Annotated[float | None, d.ms("Part of its communication spent waiting for slower ranks; null when unknown.")]


class Steps(Answer, frozen=True, kw_only=True):
    """The steps of all workers, worker by worker."""

    definitions: Annotated[int, d.number("Version of the definitions of classes.", "version")]
    step_source: Annotated[str, d.text("Source of the first worker's steps.")]
    step_sources: Annotated[list[str], d.nested("All sources of steps that `steps` may name, the one in use first.")]
    steps: Annotated[list[StepRow], d.nested("The rows.")]


def _make(session: AnalysedSession, wanted: StepsWanted) -> Steps:
    from stepscope.analyses.time_classes import DEFINITIONS

    found = session.summary.breakdowns[0].steps
    return Steps(
        definitions=DEFINITIONS,
        step_source=found.source.text,
        step_sources=[found.source.text, *(other.text for other in found.alternatives)],
        steps=[row for place in session.places(wanted.worker) for row in _of_worker(session, place)],
    )


def _of_worker(session: AnalysedSession, place: int) -> Iterator[StepRow]:
    profile, breakdown = session.profiles[place], session.summary.breakdowns[place]
    rank = None if profile.rank == NONE else profile.rank
    steps, typical = breakdown.steps, set(breakdown.typical)
    slow = {step.place: step for step in breakdown.slow}
    split = session.summary.collected.splits[place]
    for at, number in enumerate(steps.number.tolist()):
        grew = slow.get(at)
        yield StepRow(
            step=number,
            worker=session.workers[place],
            host=profile.host,
            rank=rank,
            start_ms=(int(steps.bounds[at]) - profile.window[0]) / _MS,
            ms=float(steps.length[at]) / _MS,
            parts=step_parts(breakdown.parts[at]),
            overlapped=step_parts(breakdown.overlapped[at]),
            typical=at in typical,
            grew=grew.part.key if grew else "",
            grew_ms=grew.part_difference_ns / _MS if grew else None,
            warm_up=at < breakdown.warm_up,
            may_hold_profiler_start=at + steps.before == 0,
            waiting_ms=None if split is None else split.step_waiting_ns[at] / _MS,
        )


STEPS = Part("steps", "Steps", StepsWanted, Steps, _make, table="steps", kept=True)
