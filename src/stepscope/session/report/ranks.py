"""The workers of a session, one by one: step time, breakdown, most exposed operations and idle time of each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from stepscope.analyses.time_classes import GROUP_OF
from stepscope.analyses.tpu import TpuStep, tpu_step
from stepscope.analyses.work.exposed_operations import exposed_operations
from stepscope.analyses.work.operations import OperationRow, operations
from stepscope.model import declared as d
from stepscope.model.profile import NONE, Profile
from stepscope.queries.names import path_text
from stepscope.session.analysed import AnalysedSession
from stepscope.session.report.columns import ExposedRow, RankRow
from stepscope.session.report.idle import idle_time
from stepscope.session.report.tpu import tpu_time
from stepscope.session.step_rows import StepGroup, step_parts, step_shares, step_times

EXPOSED_ROWS = 8
_MS = 1e6
_GROUP_OF_PART = {time_class.key: StepGroup(group.key) for time_class, group in GROUP_OF.items()}


def rank_rows(session: AnalysedSession) -> list[RankRow]:
    """All workers, by rank."""
    return [_rank_row(session, place) for place in range(len(session.profiles))]


def exposed_rows(session: AnalysedSession, places: Sequence[int]) -> list[ExposedRow]:
    """Of one worker, or the mean over several."""
    breakdowns = [session.summary.breakdowns[place] for place in places]
    tables = [_operations(session, place) for place in places]
    found = exposed_operations(tables, EXPOSED_ROWS, [breakdown.typical_ns for breakdown in breakdowns])
    return [d.fill(ExposedRow, row, group=_GROUP_OF_PART[row.part]) for row in found]


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
