"""The report: where step time goes on all workers, what to change, and what is known of the data behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from stepscope.model import declared as d
from stepscope.session.epoch_rows import EpochTime
from stepscope.session.limits import BatchSize, Host, Rank, Tokens, Worker
from stepscope.session.part import Answer, Part, Wanted
from stepscope.session.report.columns import (
    CheckedRules,
    DataQualityRow,
    DisagreementRow,
    ExposedRow,
    FindingRow,
    RankRow,
    Rates,
    TpuTime,
)
from stepscope.session.step_rows import LoggedStepRow, StepParts, StepShares, StepTimes

if TYPE_CHECKING:
    from stepscope.session.analysed import AnalysedSession

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

    used: Annotated[float, d.fraction("On Tensor Cores or Matrix Cores.")]
    unknown: Annotated[float, d.fraction("In kernels with names that do not show it.")]


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
    captured_seconds: Annotated[float, d.seconds("When it was captured, since 1970, as the list of sessions has it.")]
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
    matrix_core: Annotated[MatrixCoreUse, d.nested("Use of Tensor Cores or Matrix Cores.")]
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
    unprofiled_ms: Annotated[float | None, d.ms("Step time without the profiler, where savings start; null when unknown.")]
    logged_step: Annotated[LoggedStepRow | None, d.nested("Logged step time without the profiler; null when the run logs none.")]
    data_quality: Annotated[DataQualityRow, d.nested("What is known of the data.")]
    throughput: Annotated[Rates, d.nested("Rates that are certain.")]
    epochs: Annotated[list[EpochTime], d.nested("Epochs that the profile marks.")]
    tpu: Annotated[TpuTime | None, d.nested("TPUs of all workers; null when there are none.")]
    request: Annotated[str, d.text("Annotation that is likely around one request; empty when there is none.")]
    programs: Annotated[int, d.count("Compiled XLA programs of all workers.")]
    empty_views: Annotated[list[str], d.nested("Parts that have nothing to show: `memory`, `counters`, `modules`.")]
    broken: Annotated[list[BrokenWorker], d.nested("Workers whose files could not be read.")]


def _make(session: AnalysedSession, wanted: ReportWanted) -> Report:
    from stepscope.session.report.making import make_report

    return make_report(session, wanted)


REPORT = Part("report", "Report", ReportWanted, Report, _make, reads_logs=True, kept=True)
