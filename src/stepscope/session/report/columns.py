"""What the report declares of findings, data quality, idle time, TPUs, workers and rates; the modules beside it fill these rows."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.session.limits import Host, Rank, Worker
from stepscope.session.step_rows import StepGroup, StepParts, StepShares, StepTimes


class Verdict(Enum):
    """What a rule comes to."""

    FIRES = "fires"
    QUIET = "quiet"
    CANNOT_TELL = "cannot_tell"


class SpanPlace(Struct, frozen=True, kw_only=True):
    """Where evidence can be seen."""

    worker: Annotated[str, d.text("Worker (rank) whose file has the spans.")]
    file: Annotated[str, d.text("Name of that file.")]
    track: Annotated[str, d.text("Thread or stream.")]
    track_number: Annotated[int, d.number("Place of the track in the file.", "index")]
    rows: Annotated[tuple[int, int] | None, d.number("First span and the one after the last; null for a range of time.", "row")]
    start_ms: Annotated[float, d.ms("Start, from the start of the profile.")]
    end_ms: Annotated[float, d.ms("End, from the start of the profile.")]
    step: Annotated[int | None, d.number("Number of the step that it belongs to; null outside of steps.", "step")]


class EvidenceRow(Struct, frozen=True, kw_only=True):
    """One sentence with a number, and where to see it."""

    text: Annotated[str, d.text("The sentence.")]
    spans: Annotated[SpanPlace | None, d.nested("Where to see it; null when it is not a matter of single spans.")]


class GainRow(Struct, frozen=True, kw_only=True):
    """Estimated gain of a change."""

    low: Annotated[float, d.fraction("Least gain.")]
    high: Annotated[float, d.fraction("Largest gain.")]
    of: Annotated[str, d.text("What it is a share of: step or recording.")]
    kind: Annotated[str, d.text("removes, moves or at_best (an upper bound).")]
    weak: Annotated[bool, d.flag("Whether the profile gives reason to doubt it.")]


class StepRange(Struct, frozen=True, kw_only=True):
    """Estimated step time in milliseconds."""

    low: Annotated[float, d.ms("Least.")]
    high: Annotated[float, d.ms("Most.")]


class ChangeCode(Struct, frozen=True, kw_only=True):
    """The change as code, for each framework."""

    tensorflow: Annotated[str, d.text("For TensorFlow.")]
    pytorch: Annotated[str, d.text("For PyTorch.")]
    jax: Annotated[str, d.text("For JAX.")]


class FindingRow(Struct, frozen=True, kw_only=True):
    """One rule's verdict."""

    rule: Annotated[str, d.text("Id of the rule; docs/rules has a page for each.")]
    verdict: Annotated[Verdict, d.text("fires, quiet or cannot_tell.")]
    noted: Annotated[bool, d.flag("Whether a quiet rule found something with little to gain.")]
    title: Annotated[str, d.text("Short title of the change.")]
    summary: Annotated[str, d.text("What was found, or why not.")]
    evidence: Annotated[list[EvidenceRow], d.nested("Numbers behind it.")]
    gain: Annotated[GainRow | None, d.nested("Estimated gain; null when nothing is gained or it is unknown.")]
    step_ms: Annotated[StepRange | None, d.nested("Estimated step time after this change and those before it; null when unknown.")]
    promise: Annotated[str, d.text("The estimate as a sentence.")]
    code: Annotated[str, d.text("The change as code, for the framework of this profile.")]
    change: Annotated[ChangeCode, d.nested("The change as code, for all frameworks.")]
    wrong_when: Annotated[str, d.text("When the rule does not apply.")]
    option: Annotated[str, d.text("What to record so that the rule can tell.")]
    proven: Annotated[str, d.text("real: first and right on real trainings with a known cause; drawn: tried on synthetic traces only.")]
    proven_trainings: Annotated[int, d.count("Number of these real trainings.")]


class CheckedRules(Struct, frozen=True, kw_only=True):
    """How many rules came to each verdict."""

    rules: Annotated[int, d.count("Number of rules.")]
    fires: Annotated[int, d.count("Rules that fire.")]
    quiet: Annotated[int, d.count("Rules that are quiet, those with a note included.")]
    noted: Annotated[int, d.count("Quiet rules that found something with little to gain.")]
    cannot_tell: Annotated[int, d.count("Rules whose evidence is not in the profile.")]
    text: Annotated[str, d.text("The counts in words.")]


class NoteRow(Struct, frozen=True, kw_only=True):
    """Something to know about the data."""

    level: Annotated[str, d.text("info, warning or error.")]
    code: Annotated[str, d.text("Stable key of the note.")]
    text: Annotated[str, d.text("The note as a sentence.")]


class DataQualityRow(Struct, frozen=True, kw_only=True):
    """Facts about the profile, over all workers."""

    steps: Annotated[int, d.count("Steps of the worker with the fewest.")]
    typical_steps: Annotated[int, d.count("Typical steps of the worker with the fewest.")]
    first_step_may_hold_profiler_start: Annotated[bool, d.flag("Whether the first step may include the profiler's start.")]
    first_step_unlike: Annotated[bool, d.flag("Whether the first step may, and is not typical.")]
    device_spans: Annotated[int, d.count("Kernels, copies and collectives on devices.")]
    unlinked: Annotated[int, d.count("Device spans whose launch is not in the profile.")]
    unlinked_share: Annotated[float, d.fraction("Their share of the devices' time.")]
    dropped_events: Annotated[bool, d.flag("Whether the profiler dropped events.")]
    cut_short: Annotated[bool, d.flag("Whether a file ends before its end.")]
    missing_ranks: Annotated[list[int], d.number("Ranks of the job without a file.", "rank")]
    clock_error_us: Annotated[float | None, d.us("Largest difference between the ranks' clocks; null when it cannot be measured.")]
    weak: Annotated[list[str], d.nested("Reasons to doubt the breakdown, a sentence each; a truncated file comes first.")]
    notes: Annotated[list[NoteRow], d.nested("Everything to know about the data: doubts first, then the reader's notes, then facts.")]


class IdleName(Struct, frozen=True, kw_only=True):
    """Idle time of one cause under one name, in a typical step."""

    name: Annotated[str, d.text("Span of the host, or work that waits; empty when unknown.")]
    part: Annotated[str, d.text("Class of the step breakdown that has this time.")]
    ms: Annotated[float, d.ms("Idle time per step.")]
    share: Annotated[float, d.fraction("Idle time as a share of a typical step.")]
    gaps_per_step: Annotated[float, d.number("Gaps per step in which it occurs.", "count")]
    after_wait_ms: Annotated[float, d.ms("Part of it in gaps before which the host had waited for the device.")]
    longest_ms: Annotated[float, d.ms("Longest single gap.")]
    stack: Annotated[list[str], d.nested("Callers of the span in the longest gap, innermost first.")]


class IdleCauseRow(Struct, frozen=True, kw_only=True):
    """One cause of idle time."""

    cause: Annotated[str, d.text("Key of the cause, such as input_wait or launch_bound.")]
    title: Annotated[str, d.text("The cause in words.")]
    means: Annotated[str, d.text("What it means.")]
    group: Annotated[StepGroup, d.text("Group of the step breakdown it belongs to.")]
    ms: Annotated[float, d.ms("Idle time per step.")]
    share: Annotated[float, d.fraction("Idle time as a share of a typical step.")]
    gaps_per_step: Annotated[float, d.number("Gaps per step in which it occurs.", "count")]
    names: Annotated[list[IdleName], d.nested("Names with most of it, longest first.")]
    names_total: Annotated[int, d.count("Number of names there are.")]


class IdleTime(Struct, frozen=True, kw_only=True):
    """Idle time of a worker's devices, averaged over them; the causes sum to it."""

    ms: Annotated[float, d.ms("Idle time per step.")]
    share: Annotated[float, d.fraction("Idle time as a share of a typical step.")]
    causes: Annotated[list[IdleCauseRow], d.nested("Causes, longest first.")]


class TpuPart(Struct, frozen=True, kw_only=True):
    """What a TPU does in a typical step."""

    part: Annotated[str, d.text("Key of the part.")]
    title: Annotated[str, d.text("The part in words.")]
    ms: Annotated[float, d.ms("Time per step.")]
    share: Annotated[float, d.fraction("Share of the step.")]


class TpuTime(Struct, frozen=True, kw_only=True):
    """A typical step of TPUs, averaged over them; the parts sum to it."""

    devices: Annotated[int, d.count("Number of TPUs.")]
    step_ms: Annotated[float, d.ms("Typical step time.")]
    parts: Annotated[list[TpuPart], d.nested("Parts of the step.")]
    matrix_use: Annotated[float | None, d.fraction("Share of the matrix unit's peak while computing; null when unknown.")]
    step_matrix_use: Annotated[float | None, d.fraction("Share of the matrix unit's peak over the step; null when unknown.")]


class ExposedRow(Struct, frozen=True, kw_only=True):
    """An operation that a typical step waits for while nothing else hides it; of several workers the mean."""

    name: Annotated[str, d.text("Name of the operation.")]
    kind: Annotated[str, d.text("Span category, such as op, kernel, copy or collective.")]
    part: Annotated[str, d.text("Class of the step breakdown that has most of its exposed time.")]
    group: Annotated[StepGroup, d.text("Group of the step breakdown that class belongs to.")]
    device: Annotated[str, d.text("`host`, the device, or `devices` when several.")]
    count_per_step: Annotated[float, d.number("Executions in a typical step.", "executions")]
    exposed_ms: Annotated[float, d.ms("Exposed time of a typical step.")]
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


class BatchSizeRow(Struct, frozen=True, kw_only=True):
    """A batch size that something names."""

    size: Annotated[int, d.count("Examples in one rank's step.")]
    origin: Annotated[str, d.text("What names it.")]


class Rates(Struct, frozen=True, kw_only=True):
    """What all workers together process per second, at the pace of the slowest."""

    steps_per_second: Annotated[float, d.per_second("Steps.", "steps")]
    ranks: Annotated[int, d.count("Ranks counted.")]
    batch_size: Annotated[int | None, d.count("Examples in one rank's step; null when unknown.")]
    batch_size_from: Annotated[str, d.text("Origin of the batch size; empty when unknown.")]
    batch_sizes: Annotated[list[BatchSizeRow], d.nested("All batch sizes that something names; they may disagree.")]
    examples_per_second: Annotated[float | None, d.per_second("Examples; null when unknown.", "examples")]
    tokens_per_second: Annotated[float | None, d.per_second("Tokens; null when unknown.", "tokens")]
    input_bytes_per_second: Annotated[float | None, d.per_second("Input from tf.data; null when unknown.", "B")]
    copied_to_devices_bytes_per_second: Annotated[float | None, d.per_second("Copies from host to device; null when unknown.", "B")]
    unknown: Annotated[str, d.text("Why the batch size is unknown.")]
    facts: Annotated[list[str], d.nested("Known rates and the time of an epoch in words.")]


class RateRow(Struct, frozen=True, kw_only=True):
    """One rate of all ranks together."""

    rate: Annotated[str, d.text("What is counted: `steps`, `examples`, `tokens`, `input` or `copied`.")]
    title: Annotated[str, d.text("What is counted, as a label.")]
    per_second: Annotated[float | None, d.per_second("The rate; null when unknown.", "`unit`")]
    unit: Annotated[str, d.text("`B` where bytes are counted, else empty.")]
    origin: Annotated[str, d.text("How the rate is known, or why it is unknown.")]


class DisagreementRow(Struct, frozen=True):
    """Something in which the ranks differ."""

    what: Annotated[str, d.text("What differs.")]
    values: Annotated[list[str], d.nested("The value of each rank, in the order of the ranks.")]
