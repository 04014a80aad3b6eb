"""The overview of a session, from the analyses: each rank alone, the mean over them, and what is known of the data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stepscope.analyses.breakdown import Breakdown, group_sums
from stepscope.analyses.epochs import epochs_of_profile
from stepscope.analyses.requests import likely_request, request_names
from stepscope.analyses.summary import Summary, milliseconds, summarise
from stepscope.analyses.throughput import throughput
from stepscope.analyses.time_classes import DEFINITIONS, GROUP_OF, Group, TimeClass
from stepscope.analyses.tpu import TpuStep, tpu_step
from stepscope.analyses.what_if.prediction import MUCH_INFLATION
from stepscope.analyses.work.exposed_operations import exposed_operations
from stepscope.analyses.work.operations import OperationRow, operations
from stepscope.dashboards.profile import messages as m
from stepscope.dashboards.profile.findings import finding_rows
from stepscope.dashboards.profile.idle import idle_row
from stepscope.dashboards.profile.tpu import tpu_row
from stepscope.dashboards.profile.unprofiled import logged_step
from stepscope.model.profile import NONE, Float64, Profile
from stepscope.queries.profiles import Opened
from stepscope.rules.headline import headline, waited_for
from stepscope.rules.judge import Judgement, judge
from stepscope.rules.rule import Verdict

WHERE_ROWS = 8
_MS = 1e6
_GROUP_OF_KIND = {
    "kernel": Group.COMPUTE,
    "collective": Group.COMMUNICATION,
    "copy": Group.COPY,
    "fill": Group.COPY,
    "input": Group.INPUT_WAIT,
}


@dataclass(frozen=True, slots=True)
class _Rank:
    """One worker's profile with what was made of it."""

    worker: str
    profile: Profile
    breakdown: Breakdown
    sentence: str
    waiting_ns: float | None
    step_waiting_ns: Sequence[float] | None  # of each step
    operations: list[OperationRow]
    tpu: TpuStep | None


@dataclass(frozen=True, slots=True)
class Told:
    """What a user knows and the files do not tell; None where nobody does."""

    cores: int | None = None  # of the machine that was recorded
    unprofiled_ns: float | None = None  # a median step without the profiler
    batch: int | None = None  # examples of one rank's step
    tokens: int | None = None  # of one example


NOTHING_TOLD = Told()


def told_by(request: m.OverviewRequest) -> Told:
    """What the page's user says."""
    return Told(unprofiled_ns=None if request.step_ms is None else request.step_ms * _MS)


def make_report(opened: Opened, steps: str = "", told: Told = NOTHING_TOLD) -> m.Report:
    """The overview of all workers that could be read; `steps` names where steps come from. Raises BadInput."""
    summary = summarise(opened.profiles, steps or None)
    logged = logged_step(opened)
    judged = judge(
        summary,
        opened.read_attributes,
        told.cores,
        unprofiled_ns=told.unprofiled_ns or (None if logged is None else logged.ms * _MS),
        programs=opened.programs,
    )
    ranks = [_rank(file.worker, summary, place) for place, file in enumerate(opened.files)]
    captured = min((profile.base_ns for profile in opened.profiles if profile.base_ns > 0), default=0)
    names = [rank.worker for rank in ranks]
    late = waited_for(summary)
    slowest = None if summary.lengths.slowest is None else ranks[summary.lengths.slowest].worker
    waits = [rank.waiting_ns for rank in ranks if rank.waiting_ns is not None]
    longest = ranks[summary.lengths.longest]
    return m.Report(
        definitions=DEFINITIONS,
        format=opened.profiles[0].format,
        captured=captured / 1e9 if captured else None,
        sentence=headline(summary, judged, names),
        step_ms=m.StepTimes(summary.median_ns / _MS, summary.p95_ns / _MS, summary.typical_ns / _MS),
        groups=_groups(summary.parts, summary.overlapped),
        waiting_ms=sum(waits) / len(waits) / _MS if waits else None,
        ranks=[_rank_row(rank) for rank in ranks],
        disagreements=[m.DisagreementLine(each.what, list(each.values)) for each in summary.disagreements],
        slowest=slowest,
        ranks_said=summary.lengths.text if len(ranks) > 1 else "",
        waited_for=None if late is None else names[late],
        where=_where(ranks),
        idle=idle_row(longest.profile, longest.breakdown, opened.read_attributes),
        idle_of=longest.worker,
        findings=finding_rows(judged.findings, [rank.worker for rank in ranks], summary.profiles),
        checked=judged.text,
        replay_error=judged.replay_error,
        range=opened.profiles[0].part.text if opened.profiles[0].part else None,
        broken=[m.BrokenRow(file.worker, reason) for file, reason in opened.broken],
        quality=_notes(summary, judged),
        programs=sum(len(profile.programs) for profile in opened.profiles),
        throughput=_rates(summary, opened, told),
        tpu=tpu_row([rank.tpu for rank in ranks]),
        request=likely_request(request_names(opened.profiles[0])),
    )


def _rates(summary: Summary, opened: Opened, told: Told) -> list[str]:
    """What is done in a second, and how long an epoch takes where the recording marks them."""
    epochs = epochs_of_profile(summary.profiles[0], summary.breakdowns[0])
    lengths = [f"{milliseconds(1e9 * float(np.median([epoch.seconds for epoch in epochs])))} an epoch"] if epochs else []
    logged = opened.hyperparameters()
    rates = throughput(summary.profiles, summary.breakdowns, opened.read_attributes, told.batch, told.tokens, logged, opened.programs)
    return [*rates.facts, *lengths]


def _inflation(found: float | None) -> m.NoteRow:
    if found is None:
        return m.NoteRow("info", "inflation", "What profiling itself cost is not known: log the time of every step as step_time.")
    if found <= 0:
        return m.NoteRow("info", "inflation", "Recorded steps take no longer than others of the run.")
    level = "warning" if found > MUCH_INFLATION else "info"
    return m.NoteRow(
        level, "inflation", f"Recorded steps take {100 * found:.0f} % longer than others of the run, by whose time gains are told."
    )


def _rank(worker: str, summary: Summary, place: int) -> _Rank:
    profile, breakdown = summary.profiles[place], summary.breakdowns[place]
    rows = operations(profile, breakdown, calls=True)
    split = summary.collected.splits[place]
    alone = replace(
        summary, profiles=(profile,), breakdowns=(breakdown,), median_ns=breakdown.median_ns, typical_ns=breakdown.typical_ns,
        parts=breakdown.typical_parts,
    )  # fmt: skip
    waiting = (split.waiting_ns, split.step_waiting_ns) if split else (None, None)
    return _Rank(worker, profile, breakdown, alone.sentence, *waiting, rows, tpu_step(profile, breakdown))


def _rank_row(rank: _Rank) -> m.RankRow:
    profile, breakdown = rank.profile, rank.breakdown
    steps, source = breakdown.steps, breakdown.steps.source
    return m.RankRow(
        worker=rank.worker,
        host=profile.host,
        rank=None if profile.rank == NONE else profile.rank,
        framework=profile.framework,
        devices=[_device(profile, place) for place in breakdown.classified.devices if place != NONE],
        cpu_only=breakdown.classified.cpu_only,
        sentence=rank.sentence,
        step_source=m.StepSourceRow(
            source.family.name.lower(), source.text, len(steps), [other.text for other in steps.alternatives[:WHERE_ROWS]]
        ),
        step_ms=_step_times(breakdown),
        groups=_groups(breakdown.typical_parts, breakdown.typical_overlapped),
        waiting_ms=None if rank.waiting_ns is None else rank.waiting_ns / _MS,
        steps=_steps(rank),
        where=_where([rank]),
        idle=idle_row(profile, breakdown),
        tpu=tpu_row([rank.tpu]),
    )


def _device(profile: Profile, place: int) -> str:
    device = profile.devices[place]
    return device.name or f"{device.kind} {device.ordinal}"


def _step_times(breakdown: Breakdown) -> m.StepTimes:
    return m.StepTimes(breakdown.median_ns / _MS, breakdown.p95_ns / _MS, breakdown.typical_ns / _MS)


def _groups(parts: Float64, overlapped: Float64) -> list[m.GroupRow]:
    """The six groups with their parts; a part that neither took time nor ran beside others is left out."""
    total = float(parts.sum())
    inside: dict[Group, list[m.PartRow]] = defaultdict(list)
    for part in TimeClass:
        if parts[part] > 0 or overlapped[part] > 0:
            inside[GROUP_OF[part]].append(m.PartRow(part.key, float(parts[part]) / _MS, float(overlapped[part]) / _MS))
    sums = group_sums(parts)
    return [
        m.GroupRow(group.key, float(sums[group]) / _MS, float(sums[group]) / total if total else 0.0, inside[group]) for group in Group
    ]


def _steps(rank: _Rank) -> list[m.StepRow]:
    breakdown = rank.breakdown
    steps = breakdown.steps
    typical = set(breakdown.typical)
    slow = {step.place: step for step in breakdown.slow}
    found: list[m.StepRow] = []
    for place, number in enumerate(steps.number.tolist()):
        grew = slow.get(place)
        found.append(
            m.StepRow(
                step=number,
                start_ms=(int(steps.bounds[place]) - rank.profile.window[0]) / _MS,
                ms=float(steps.length[place]) / _MS,
                parts=[round(ns / _MS, 6) for ns in breakdown.parts[place].tolist()],
                typical=place in typical,
                warm_up=place < breakdown.warm_up,
                grew=grew.part.key if grew else None,
                grew_ms=grew.part_difference_ns / _MS if grew else None,
                waiting_ms=None if rank.step_waiting_ns is None else rank.step_waiting_ns[place] / _MS,
            )
        )
    return found


def _where(ranks: Sequence[_Rank]) -> list[m.WhereRow]:
    """Of one rank, or the mean over several."""
    cpu_only = all(rank.breakdown.classified.cpu_only for rank in ranks)
    return [
        m.WhereRow(row.name, row.kind, _group(row.kind, cpu_only).key, row.exposed_ns / _MS, row.exposed_share, row.count)
        for row in exposed_operations([rank.operations for rank in ranks], WHERE_ROWS, [rank.breakdown.typical_ns for rank in ranks])
    ]


def _group(kind: str, cpu_only: bool) -> Group:
    return _GROUP_OF_KIND.get(kind, Group.COMPUTE if cpu_only and kind == "op" else Group.HOST)


def _notes(summary: Summary, judged: Judgement) -> list[m.NoteRow]:
    """Sentences for the foot of the overview: reasons to doubt first, then what the reader said, then plain facts."""
    quality = summary.quality
    notes = [m.NoteRow("warning", "weak", text) for text in judged.doubts]
    if quality.missing_ranks:
        listed = ", ".join(map(str, quality.missing_ranks[:WHERE_ROWS])) + (" …" if len(quality.missing_ranks) > WHERE_ROWS else "")
        whole = len(quality.ranks) + len(quality.missing_ranks)
        notes.append(m.NoteRow("warning", "missing_ranks", f"{len(quality.missing_ranks)} of {whole} ranks have no file: {listed}."))
    notes += [m.NoteRow(note.level, note.code, note.text) for note in quality.notes]
    if quality.device_spans and not quality.unlinked:
        notes.append(m.NoteRow("info", "linked", "All device work is linked to its launch."))
    if summary.first_step_note:
        notes.append(m.NoteRow("info", "first_step", summary.first_step_note))
    if quality.clock_error_ns is not None:
        notes.append(m.NoteRow("info", "clocks", f"The ranks' clocks agree within {milliseconds(quality.clock_error_ns)}."))
    if float(summary.parts[TimeClass.COMM]) > 0 and not any(summary.collected.splits):
        text = f"Communication holds the waiting for other ranks ({summary.collected.text})."
        notes.append(m.NoteRow("info", "not_split", text))
    if judged.replay_error is not None:
        text = f"A replay of the unchanged recording agrees with it within {max(0.1, 100 * abs(judged.replay_error)):.1f} %."
        notes.append(m.NoteRow("info", "replay", text))
    notes.append(_inflation(judged.inflation))
    options = dict.fromkeys(each.option for each in judged.of(Verdict.CANNOT_TELL))
    notes += [m.NoteRow("info", "option", text) for text in options]
    return notes
