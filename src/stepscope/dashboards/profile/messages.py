"""What the routes of the Profile tab take and answer. Times are milliseconds unless a name says otherwise, shares are fractions."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from stepscope.analyses.ranges.chosen import LONGEST_RANGE
from stepscope.analyses.work.kernels import KernelsBy
from stepscope.analyses.work.operations import By

SessionText = Annotated[str, Meta(max_length=64)]
StepsText = Annotated[str, Meta(max_length=10_000)]
RangeText = Annotated[str, Meta(max_length=LONGEST_RANGE)]
WorkerText = Annotated[str, Meta(max_length=1_000)]
RequestText = Annotated[str, Meta(max_length=1_000)]
Count = Annotated[int, Meta(ge=1, le=1 << 40)]
StepMs = Annotated[float, Meta(gt=0, le=1e9)]


class WorkerRow(Struct, frozen=True):
    """One process's file of a session."""

    worker: str
    file: str
    format: str
    bytes: int
    problem: str | None


class SessionRow(Struct, frozen=True):
    """A session as the picker lists it; without steps only its memory can be looked at."""

    id: str
    run: str
    run_name: str
    name: str
    time: float
    bytes: int
    has_steps: bool
    workers: list[WorkerRow]


class SessionsAnswer(Struct, frozen=True):
    """All sessions, newest first."""

    epoch: int
    sessions: list[SessionRow]


class OverviewRequest(Struct, frozen=True):
    """Which session, by which of the sources that its ranks name steps are found, and which range of them; none: the best, and all.

    `step_ms` is a median step without the profiler, where the user says it.
    """

    session: SessionText
    steps: StepsText = ""
    range: RangeText = ""
    step_ms: StepMs | None = None


class ReportRequest(OverviewRequest, frozen=True):
    """Beside that, what only the user knows: examples in one rank's step, tokens in one example, the annotation around a request."""

    batch: Count | None = None
    tokens: Count | None = None
    request: RequestText = ""


class TraceRequest(Struct, frozen=True):
    """Which session and worker (none: the first), which range of it, and for which viewer: Perfetto's file or Chrome's JSON."""

    session: SessionText
    worker: WorkerText = ""
    format: Literal["pftrace", "json"] = "pftrace"
    steps: StepsText = ""
    range: RangeText = ""


class OperationsRequest(Struct, frozen=True):
    """Which session and worker (none: the first), what makes a row, and whether runtime, framework and Python calls are listed too."""

    session: SessionText
    worker: WorkerText = ""
    by: By = By.NAME
    calls: bool = False
    steps: StepsText = ""
    range: RangeText = ""


class KernelsRequest(Struct, frozen=True):
    """Which session and worker (none: the first), and what makes a row."""

    session: SessionText
    worker: WorkerText = ""
    by: KernelsBy = KernelsBy.NAME
    steps: StepsText = ""
    range: RangeText = ""


class ReadingRow(Struct, frozen=True):
    """How far reading has come; ask again to go on waiting."""

    files_done: int
    files: int
    bytes_done: int
    bytes: int
    analysing: bool
    seconds: float


class PartRow(Struct, frozen=True):
    """A class of time inside a group: what it took, and what it did while something before it had the time."""

    part: str
    ms: float
    overlapped_ms: float


class GroupRow(Struct, frozen=True):
    """One of the six groups, mean over typical steps."""

    group: str
    ms: float
    share: float
    parts: list[PartRow]


class StepRow(Struct, frozen=True):
    """One step: its length, and its parts in the order of the definitions, which sum to it."""

    step: int
    start_ms: float
    ms: float
    parts: list[float]
    typical: bool
    warm_up: bool
    grew: str | None
    grew_ms: float | None
    waiting_ms: float | None


class StepTimes(Struct, frozen=True):
    """Median and 95th percentile of all steps; `typical` is the mean of typical steps, to which the groups sum."""

    median: float
    p95: float
    typical: float


class StepSourceRow(Struct, frozen=True):
    """How steps were found."""

    family: str
    text: str
    steps: int
    alternatives: list[str]


class WhereRow(Struct, frozen=True):
    """What time is spent in: the part of a typical step in which this and nothing before it had the time."""

    name: str
    kind: str
    group: str
    exposed_ms: float
    share: float
    count: int


class IdleNameRow(Struct, frozen=True):
    """What has idle time of one cause: a span of the host with what is around it, the innermost first; times of a typical step."""

    name: str
    part: str  # whose time it is in the breakdown
    ms: float
    share: float
    gaps_per_step: float
    after_wait_ms: float  # in gaps before which the host had waited for the device
    stack: list[str]


class IdleCauseRow(Struct, frozen=True):
    """One cause for which a device is idle, and the names that have most of it."""

    cause: str
    title: str
    means: str
    group: str
    ms: float
    share: float
    gaps_per_step: float
    names: list[IdleNameRow]


class IdleRow(Struct, frozen=True):
    """How long a rank's devices do nothing in a typical step; the causes, largest first, sum to it."""

    ms: float
    share: float
    causes: list[IdleCauseRow]


class TpuPart(Struct, frozen=True):
    """What a TPU does in a typical step."""

    part: str
    title: str
    ms: float
    share: float


class TpuRow(Struct, frozen=True):
    """A typical step of TPUs, mean over them; the parts sum to it. The use of the matrix unit is of its peak, null when unknown."""

    devices: int
    step_ms: float
    parts: list[TpuPart]
    matrix_use: float | None
    step_matrix_use: float | None


class RankRow(Struct, frozen=True):
    """One worker's steps, divided; `waiting_ms` is the part of its communication spent waiting for ranks that came later."""

    worker: str
    host: str
    rank: int | None
    framework: str
    devices: list[str]
    cpu_only: bool
    sentence: str
    step_source: StepSourceRow
    step_ms: StepTimes
    groups: list[GroupRow]
    waiting_ms: float | None
    steps: list[StepRow]
    where: list[WhereRow]
    idle: IdleRow
    tpu: TpuRow | None


class NoteRow(Struct, frozen=True):
    """Something to know about the data; `level` is info, warning or error."""

    level: str
    code: str
    text: str


class BrokenRow(Struct, frozen=True):
    """A worker whose file could not be read."""

    worker: str
    reason: str


class SpanPlace(Struct, frozen=True):
    """Where evidence can be seen: a worker's track, rows of it (null for a stretch of time), and when, from the recording's start."""

    worker: str
    track: int
    track_name: str
    rows: tuple[int, int] | None
    start_ms: float
    end_ms: float


class EvidenceRow(Struct, frozen=True):
    """One sentence with a number, and where to see it."""

    text: str
    spans: SpanPlace | None


class GainRow(Struct, frozen=True):
    """What a change would gain, as fractions of the step; `kind` is removes, moves or at_best."""

    low: float
    high: float
    kind: str
    weak: bool


class FindingRow(Struct, frozen=True):
    """One rule's verdict: fires, note, quiet or cannot_tell; `change` is code for the framework, `option` is what would show more."""

    rule: str
    verdict: str
    title: str
    summary: str
    evidence: list[EvidenceRow]
    gain: GainRow | None
    step_ms: tuple[float, float] | None
    change: str
    wrong_when: str
    option: str


class DisagreementLine(Struct, frozen=True):
    """Something in which the ranks differ, with what each rank has, in their order."""

    what: str
    values: list[str]


class Report(Struct, frozen=True):
    """The overview of a session: means over its ranks, the ranks themselves, and what is known of the data.

    `programs` are the compiled XLA programs of all ranks; `range` says what was chosen, null for all; `throughput` are the rates
    that are certain, as texts. `ranks_said` is what several ranks are where none is clearly the slowest, "" otherwise. `request` is the
    annotation that is taken for one around a request, "" when there is none.
    """

    definitions: int
    format: str
    captured: float | None
    sentence: str
    step_ms: StepTimes
    groups: list[GroupRow]
    waiting_ms: float | None
    ranks: list[RankRow]
    disagreements: list[DisagreementLine]
    slowest: str | None
    ranks_said: str
    waited_for: str | None
    where: list[WhereRow]
    idle: IdleRow  # of the rank that `idle_of` names
    idle_of: str
    findings: list[FindingRow]
    checked: str
    replay_error: float | None
    range: str | None
    broken: list[BrokenRow]
    quality: list[NoteRow]
    programs: int
    throughput: list[str]
    tpu: TpuRow | None
    request: str


class OverviewAnswer(Struct, frozen=True):
    """The report, or how far reading has come."""

    epoch: int
    reading: ReadingRow | None
    report: Report | None


class OperationLine(Struct, frozen=True):
    """One row of the table of operations; what is unknown is null."""

    name: str
    type: str
    kind: str
    device: str
    count: int
    total_us: float
    self_us: float
    average_us: float
    min_us: float
    max_us: float
    share: float
    cumulative: float
    exposed_us: float
    exposed_share: float
    part: str
    eager: bool | None
    function: str
    program: str
    scope: str
    source: str
    shapes: list[str]
    output_shapes: list[str]
    memory_bytes: int | None
    flops: float | None
    bytes: float | None
    flops_from: str
    bytes_from: str


class OperationsAnswer(Struct, frozen=True):
    """Most exposed first, or how far reading has come; `total` rows there are, of which at most 20,000 are sent."""

    epoch: int
    reading: ReadingRow | None
    rows: list[OperationLine] | None
    total: int


class KernelLine(Struct, frozen=True):
    """One row of the table of kernels; what is unknown, or differs inside a row, is null."""

    name: str
    short: str
    family: str
    op: str
    device: str
    streams: list[int]
    count: int
    total_us: float
    average_us: float
    min_us: float
    max_us: float
    share: float
    cumulative: float
    exposed_us: float
    grid: tuple[int, int, int] | None
    block: tuple[int, int, int] | None
    registers: int | None
    shared_memory: int | None
    theoretical_occupancy: float | None
    achieved_occupancy: float | None
    theoretical_occupancy_from: str
    achieved_occupancy_from: str
    matrix_core: bool | None
    matrix_core_eligible: bool
    launch_delay_us: float | None
    bytes: float | None
    bytes_from: str
    flops: float | None
    flops_from: str
    flops_per_byte: float | None
    flops_per_second: float | None
    bytes_per_second: float | None
    ridge_flops_per_byte: float | None
    of_peak_flops: float | None
    of_peak_bandwidth: float | None
    of_roof: float | None
    bound_by: str


class KernelsAnswer(Struct, frozen=True):
    """Longest in sum first, or how far reading has come; `total` rows there are, of which at most 20,000 are sent."""

    epoch: int
    reading: ReadingRow | None
    rows: list[KernelLine] | None
    total: int
    notes: list[str] = []
    """What is known of the devices' peaks."""
