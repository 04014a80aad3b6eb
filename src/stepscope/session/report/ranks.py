"""The workers of a session, one by one: step time, breakdown, most exposed operations and idle time of each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from msgspec import Struct

from stepscope.analyses.tpu import TpuStep, tpu_step
from stepscope.analyses.work.exposed_operations import exposed_operations
from stepscope.analyses.work.operations import OperationRow, operations
from stepscope.model import declared as d
from stepscope.model.profile import NONE, Profile
from stepscope.queries.names import path_text
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Host, Rank, Worker
from stepscope.session.report.idle import IdleTime, idle_time
from stepscope.session.report.tpu import TpuTime, tpu_time
from stepscope.session.step_rows import StepGroup, StepParts, StepShares, StepTimes, step_parts, step_shares, step_times

EXPOSED_ROWS = 8
_MS = 1e6
_GROUP_OF_KIND = {
    "kernel": StepGroup.COMPUTE,
    "collective": StepGroup.COMMUNICATION,
    "copy": StepGroup.COPY,
    "fill": StepGroup.COPY,
    "input": StepGroup.INPUT_WAIT,
}


class ExposedRow(Struct, frozen=True, kw_only=True):
    """An operation that a typical step waits for while nothing else hides it; of several workers the mean."""

    name: Annotated[str, d.text("Name of the operation.")]
    kind: Annotated[str, d.text("Span category, such as op, kernel, copy or collective.")]
    group: Annotated[StepGroup, d.text("Group of the step breakdown it belongs to.")]
    device: Annotated[str, d.text("`host`, the device, or `devices` when several.")]
    count: Annotated[int, d.count("Number of executions.")]
    exposed_ms: Annotated[float, d.ms("Exposed time per step.")]
    exposed_share: Annotated[float, d.fraction("Exposed time as a share of a typical step.")]


class RankRow(Struct, frozen=True, kw_only=True):
    """One worker."""

    worker: Worker
    host: Host
    rank: Rank
    file: Annotated[str, d.text("Name of its file.")]
    framework: Annotated[str, d.text("Framework that was profiled.")]
    devices: Annotated[list[str], d.nested("Devices that compute in its steps.")]
    cpu_only: Annotated[bool, d.flag("Whether no device computes, so that operations on the CPU count as compute.")]
    summary: Annotated[str, d.text("Its step time and the main loss, in a sentence.")]
    step_source: Annotated[str, d.text("Source of its steps.")]
    step_sources: Annotated[list[str], d.nested("All sources of steps that `steps` may name, the one in use first.")]
    step_family: Annotated[str, d.text("Kind of that source; `window` when the whole profile is one step.")]
    steps: Annotated[int, d.count("Number of steps.")]
    typical_steps: Annotated[int, d.count("Number of typical steps.")]
    step_ms: Annotated[StepTimes, d.nested("Step time.")]
    breakdown: Annotated[StepShares, d.nested("Shares of a typical step by group.")]
    parts: Annotated[StepParts, d.nested("Exclusive time of a typical step by class.")]
    overlapped: Annotated[StepParts, d.nested("Time of a typical step by class that ran while an earlier class had the time.")]
    waiting_ms: Annotated[float | None, d.ms("Communication spent waiting for slower ranks, per step; null when unknown.")]
    transfer_ms: Annotated[float | None, d.ms("Communication spent transferring, per step; null when unknown.")]
    most_exposed: Annotated[list[ExposedRow], d.nested("Operations with most exposed time.")]
    idle: Annotated[IdleTime, d.nested("Why its devices are idle.")]
    tpu: Annotated[TpuTime | None, d.nested("Its TPUs; null when it has none.")]


def rank_rows(session: AnalysedSession) -> list[RankRow]:
    """All workers, by rank."""
    return [_rank_row(session, place) for place in range(len(session.profiles))]


def exposed_rows(session: AnalysedSession, places: Sequence[int]) -> list[ExposedRow]:
    """Of one worker, or the mean over several."""
    breakdowns = [session.summary.breakdowns[place] for place in places]
    cpu_only = all(breakdown.classified.cpu_only for breakdown in breakdowns)
    tables = [_operations(session, place) for place in places]
    found = exposed_operations(tables, EXPOSED_ROWS, [breakdown.typical_ns for breakdown in breakdowns])
    return [d.fill(ExposedRow, row, group=_group(row.kind, cpu_only)) for row in found]


def tpu_steps(session: AnalysedSession) -> list[TpuStep | None]:
    """Of each worker; None where it has no TPU."""
    return [tpu_step(profile, breakdown) for profile, breakdown in zip(session.profiles, session.summary.breakdowns, strict=True)]


def file_name(profile: Profile) -> str:
    """The name of a profile's file, without its folder."""
    return path_text(os.path.basename(profile.path))


def device_name(profile: Profile, place: int) -> str:
    """A device as people call it."""
    device = profile.devices[place]
    return device.name or f"{device.kind} {device.ordinal}"


def _rank_row(session: AnalysedSession, place: int) -> RankRow:
    summary = session.summary
    profile, breakdown, split = summary.profiles[place], summary.breakdowns[place], summary.collected.splits[place]
    alone = replace(
        summary, profiles=(profile,), breakdowns=(breakdown,), median_ns=breakdown.median_ns, typical_ns=breakdown.typical_ns,
        parts=breakdown.typical_parts,
    )  # fmt: skip
    source = breakdown.steps.source
    return RankRow(
        worker=session.workers[place],
        host=profile.host,
        rank=None if profile.rank == NONE else profile.rank,
        file=file_name(profile),
        framework=profile.framework,
        devices=[device_name(profile, device) for device in breakdown.classified.devices if device != NONE],
        cpu_only=breakdown.classified.cpu_only,
        summary=alone.sentence,
        step_source=source.text,
        step_sources=[source.text, *(other.text for other in breakdown.steps.alternatives)],
        step_family=source.family.name.lower(),
        steps=len(breakdown.steps),
        typical_steps=len(breakdown.typical),
        step_ms=step_times(breakdown),
        breakdown=step_shares(breakdown.typical_parts, breakdown.typical_ns),
        parts=step_parts(breakdown.typical_parts),
        overlapped=step_parts(breakdown.typical_overlapped),
        waiting_ms=None if split is None else split.waiting_ns / _MS,
        transfer_ms=None if split is None else split.transfer_ns / _MS,
        most_exposed=exposed_rows(session, [place]),
        idle=idle_time(session, place),
        tpu=tpu_time([tpu_step(profile, breakdown)]),
    )


def _operations(session: AnalysedSession, place: int) -> list[OperationRow]:
    """All operations and calls of a worker, made once for it alone and for the mean."""
    return session.once(("all operations", place), lambda: operations(session.profiles[place], session.breakdown(place), calls=True))


def _group(kind: str, cpu_only: bool) -> StepGroup:
    return _GROUP_OF_KIND.get(kind, StepGroup.COMPUTE if cpu_only and kind == "op" else StepGroup.HOST)
