"""The report: where step time goes on all workers, what to change, and what is known of the data behind it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.requests import likely_request, request_names
from stepscope.analyses.time_classes import DEFINITIONS
from stepscope.analyses.work.kernels import matrix_use
from stepscope.model import declared as d
from stepscope.model.profile import NONE
from stepscope.rules.headline import headline, waited_for
from stepscope.session.analysed import AnalysedSession
from stepscope.session.epoch_rows import EpochTime, epoch_times
from stepscope.session.limits import BatchSize, Host, Rank, Tokens, Worker
from stepscope.session.part import Answer, Part, Wanted
from stepscope.session.parts.communication import DisagreementRow
from stepscope.session.parts.whatif import LoggedStepRow
from stepscope.session.report.findings import CheckedRules, FindingRow, checked_rules, finding_rows
from stepscope.session.report.quality import DataQualityRow, data_quality_row
from stepscope.session.report.ranks import ExposedRow, RankRow, device_name, exposed_rows, file_name, rank_rows, tpu_steps
from stepscope.session.report.rates import Rates, marked_epochs, rates, throughput_of
from stepscope.session.report.tpu import TpuTime, tpu_time
from stepscope.session.step_rows import StepParts, StepShares, StepTimes, step_parts, step_shares, step_times

_MS = 1e6

Cores = Annotated[int, Meta(ge=1, le=65_536)]
StepMs = Annotated[float, Meta(gt=0, le=1e9)]


class ReportWanted(Wanted, frozen=True, kw_only=True):
    """What only the user knows, beside the choices of every part."""

    cores: Annotated[Cores | None, d.count("CPU cores of the profiled machine, if not recorded.")] = None
    step_ms: Annotated[StepMs | None, d.ms("Median step time without the profiler; null: as the run has logged it.")] = None
    batch: BatchSize = None
    tokens: Tokens = None


class CommunicationSplit(Struct, frozen=True, kw_only=True):
    """Communication of a typical step, divided; the mean over workers for which it can be."""

    split: Annotated[str, d.text("How it was divided, or why it cannot be.")]
    waiting_ms: Annotated[float | None, d.ms("Waiting for slower ranks; null when unknown.")]
    transfer_ms: Annotated[float | None, d.ms("Transferring; null when unknown.")]


class SlowStep(Struct, frozen=True, kw_only=True):
    """A step that is not typical."""

    step: Annotated[int, d.number("Number of the step.", "step")]
    worker: Worker
    host: Host
    rank: Rank
    ms: Annotated[float, d.ms("Step time.")]
    part: Annotated[str, d.text("Class that differs most from a typical step.")]
    part_ms: Annotated[float, d.ms("By how much that class differs.")]
    may_hold_profiler_start: Annotated[bool, d.flag("Whether it is the first of the profile, which may include the profiler's start.")]


class MatrixCoreUse(Struct, frozen=True, kw_only=True):
    """Shares of kernel time, on the worker with the longest typical step."""

    used: Annotated[float, d.fraction("On matrix units (tensor cores).")]
    unknown: Annotated[float, d.fraction("In kernels whose names do not say.")]


class BrokenWorker(Struct, frozen=True, kw_only=True):
    """A worker whose file could not be read."""

    worker: Annotated[str, d.text("The worker.")]
    reason: Annotated[str, d.text("Why not.")]


class Report(Answer, frozen=True, kw_only=True):
    """The report of a session: averages over its workers, and each worker in `ranks`."""

    definitions: Annotated[int, d.number("Version of the definitions of classes.", "version")]
    session: Annotated[str, d.text("Name of the session.")]
    summary: Annotated[str, d.text("Step time, main loss and best change in a few sentences.")]
    format: Annotated[str, d.text("Format of the first file.")]
    framework: Annotated[str, d.text("Framework of the first worker.")]
    captured_seconds: Annotated[float | None, d.seconds("Start of the capture since 1970; null when not recorded.")]
    files: Annotated[list[str], d.nested("Names of the files, in the order of `ranks`.")]
    devices: Annotated[list[str], d.nested("All devices of the first worker.")]
    step_source: Annotated[str, d.text("Source of the first worker's steps.")]
    step_sources: Annotated[list[str], d.nested("All sources of steps that `steps` may name, the one in use first.")]
    step_ms: Annotated[StepTimes, d.nested("Step time.")]
    breakdown: Annotated[StepShares, d.nested("Shares of a typical step by group.")]
    parts: Annotated[StepParts, d.nested("Exclusive time of a typical step by class.")]
    overlapped: Annotated[StepParts, d.nested("Time of a typical step by class that ran while an earlier class had the time.")]
    communication: Annotated[CommunicationSplit, d.nested("Communication, divided into waiting and transfer.")]
    slow_steps: Annotated[list[SlowStep], d.nested("Steps that are not typical.")]
    most_exposed: Annotated[list[ExposedRow], d.nested("Operations with most exposed time.")]
    matrix_core: Annotated[MatrixCoreUse, d.nested("Use of matrix units (tensor cores).")]
    ranks: Annotated[list[RankRow], d.nested("Each worker, by rank.")]
    disagreements: Annotated[list[DisagreementRow], d.nested("In what workers differ.")]
    longest: Annotated[str, d.text("Worker with the longest typical step.")]
    slowest: Annotated[str, d.text("Worker that is slower than all others by more than noise; empty when there is none.")]
    waited_for: Annotated[str, d.text("Worker that the others wait for; empty when there is none.")]
    ranks_apart: Annotated[float, d.fraction("Longest typical step over the shortest, less 1.")]
    ranks_equal: Annotated[bool, d.flag("Whether workers differ by no more than noise.")]
    ranks_text: Annotated[str, d.text("How far workers differ, in words; empty when one is the slowest or there is only one.")]
    findings: Annotated[list[FindingRow], d.nested("All rules; those that fire come first, by gain.")]
    checked: Annotated[CheckedRules, d.nested("Number of rules by verdict.")]
    replay_error: Annotated[float | None, d.fraction("Replayed step time over the recorded one, less 1; null without a replay.")]
    inflation: Annotated[float | None, d.fraction("Slowdown by the profiler; null when no step time without it is known.")]
    logged_step: Annotated[LoggedStepRow | None, d.nested("Logged step time without the profiler; null when the run logs none.")]
    data_quality: Annotated[DataQualityRow, d.nested("What is known of the data.")]
    throughput: Annotated[Rates, d.nested("Rates that are certain.")]
    epochs: Annotated[list[EpochTime], d.nested("Epochs that the profile marks.")]
    tpu: Annotated[TpuTime | None, d.nested("TPUs of all workers; null when there are none.")]
    request: Annotated[str, d.text("Annotation that is likely around one request; empty when there is none.")]
    programs: Annotated[int, d.count("Compiled XLA programs of all workers.")]
    broken: Annotated[list[BrokenWorker], d.nested("Workers whose files could not be read.")]


def _make(session: AnalysedSession, wanted: ReportWanted) -> Report:
    summary, judged, workers = session.summary, session.judged(wanted.cores, wanted.step_ms), session.workers
    profiles, lengths, source = session.profiles, summary.lengths, summary.breakdowns[0].steps
    files, late = [file_name(profile) for profile in profiles], waited_for(summary)
    captured = min((profile.base_ns for profile in profiles if profile.base_ns > 0), default=0)
    processed, epochs = throughput_of(session, wanted.batch, wanted.tokens), marked_epochs(session)
    logged = session.logged_step
    return Report(
        definitions=DEFINITIONS,
        session=session.name,
        summary=headline(summary, judged, _names(session)),
        format=profiles[0].format,
        framework=profiles[0].framework,
        captured_seconds=captured / 1e9 if captured else None,
        files=files,
        devices=[device_name(profiles[0], place) for place in range(len(profiles[0].devices))],
        step_source=source.source.text,
        step_sources=[source.source.text, *(other.text for other in source.alternatives)],
        step_ms=step_times(summary),
        breakdown=step_shares(summary.parts, summary.typical_ns),
        parts=step_parts(summary.parts),
        overlapped=step_parts(summary.overlapped),
        communication=_split(session),
        slow_steps=_slow_steps(session),
        most_exposed=exposed_rows(session, range(len(profiles))),
        matrix_core=d.fill(MatrixCoreUse, matrix_use(profiles[lengths.longest])),
        ranks=rank_rows(session),
        disagreements=d.fill_all(DisagreementRow, summary.disagreements),
        longest=workers[lengths.longest],
        slowest="" if lengths.slowest is None else workers[lengths.slowest],
        waited_for="" if late is None else workers[late],
        ranks_apart=lengths.apart,
        ranks_equal=lengths.equal,
        ranks_text=lengths.text if len(workers) > 1 else "",
        findings=finding_rows(judged, workers, profiles, files),
        checked=checked_rules(judged),
        replay_error=judged.replay_error,
        inflation=judged.inflation,
        logged_step=None if logged is None else d.fill(LoggedStepRow, logged),
        data_quality=data_quality_row(summary, judged),
        throughput=rates(processed, epochs),
        epochs=epoch_times(epochs, batch=processed.batch, ranks=processed.ranks),
        tpu=tpu_time(tpu_steps(session)),
        request=likely_request(profiles[0], request_names(profiles[0])),
        programs=sum(len(profile.programs) for profile in profiles),
        broken=d.fill_all(BrokenWorker, session.broken),
    )


def _names(session: AnalysedSession) -> list[str]:
    """What sentences call the workers."""
    named = zip(session.workers, session.profiles, strict=True)
    return [worker if profile.rank == NONE else f"rank {profile.rank}" for worker, profile in named]


def _split(session: AnalysedSession) -> CommunicationSplit:
    collected = session.summary.collected
    known = [split for split in collected.splits if split is not None]
    return CommunicationSplit(
        split=collected.text,
        waiting_ms=sum(split.waiting_ns for split in known) / len(known) / _MS if known else None,
        transfer_ms=sum(split.transfer_ns for split in known) / len(known) / _MS if known else None,
    )


def _slow_steps(session: AnalysedSession) -> list[SlowStep]:
    return [
        SlowStep(
            step=int(breakdown.steps.number[step.place]),
            worker=session.workers[place],
            host=profile.host,
            rank=None if profile.rank == NONE else profile.rank,
            ms=int(breakdown.steps.length[step.place]) / _MS,
            part=step.part.key,
            part_ms=step.part_difference_ns / _MS,
            may_hold_profiler_start=step.place + breakdown.steps.before == 0,
        )
        for place, (profile, breakdown) in enumerate(zip(session.profiles, session.summary.breakdowns, strict=True))
        for step in breakdown.slow
    ]


REPORT = Part("report", "Report", ReportWanted, Report, _make, reads_logs=True, kept=True)
