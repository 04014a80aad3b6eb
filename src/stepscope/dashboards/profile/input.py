"""The input pipeline on the Profile tab: what a step waits for before it has its batch, by phase and by stage."""

from __future__ import annotations

from msgspec import Struct

from stepscope.analyses.breakdown import break_down
from stepscope.analyses.input.phases import PhaseTime
from stepscope.analyses.input.pipeline import Loader, input_pipeline
from stepscope.analyses.input.stages import Stage
from stepscope.analyses.steps import find_steps
from stepscope.analyses.what_if.loading import remedies_text
from stepscope.dashboards.profile.messages import RangeText, ReadingRow, SessionText, StepsText, WorkerText
from stepscope.queries.profiles import Opened

_US = 1e3


class InputRequest(Struct, frozen=True):
    """Which session and worker (none: the first)."""

    session: SessionText
    worker: WorkerText = ""
    steps: StepsText = ""
    range: RangeText = ""


class PhaseLine(Struct, frozen=True):
    """What preparing a batch consists of, in a typical step; `waited_us` sums to the step's wait, `beside_us` is of all threads."""

    phase: str
    title: str
    waited_us: float
    beside_us: float


class StageLine(Struct, frozen=True):
    """One stage of tf.data, nearest to the consumer first; `waited_us` and `beside_us` are of a typical step, the rest of all steps."""

    path: str
    name: str
    depth: int
    count: int
    total_us: float
    self_us: float
    waited_us: float
    beside_us: float
    threads: int
    at_once: float
    parallelism: int | None
    autotune: bool | None
    buffer_size: int | None
    batch_size: int | None
    buffered: float | None
    empty: float | None


class InputFound(Struct, frozen=True):
    """`loader` is none where no call that fetches a batch was recorded."""

    loader: str
    workers: bool
    fetches: int
    step_us: float
    waited_us: float
    hidden_us: float
    copied_waited_us: float
    copied_beside_us: float
    batch_bytes: float | None
    phases: list[PhaseLine]
    stages: list[StageLine]
    slowest: str | None
    remedies: list[str]


class InputAnswer(Struct, frozen=True):
    """The pipeline of one worker, or how far reading has come."""

    epoch: int
    reading: ReadingRow | None
    input: InputFound | None


def input_found(opened: Opened, steps: str) -> InputFound:
    """The first worker's pipeline."""
    profile = opened.profiles[0]
    breakdown = break_down(profile, find_steps(profile, steps or None))
    found = input_pipeline(profile, breakdown, opened.read_attributes)
    return InputFound(
        loader=found.loader.value,
        workers=found.loader is Loader.TORCH_WORKERS,
        fetches=found.calls,
        step_us=breakdown.typical_ns / _US,
        waited_us=found.exposed_ns / _US,
        hidden_us=found.overlapped_ns / _US,
        copied_waited_us=found.copied_exposed_ns / _US,
        copied_beside_us=found.copied_beside_ns / _US,
        batch_bytes=found.batch_bytes,
        phases=[_phase_line(each) for each in found.phases],
        stages=[_stage_line(each) for each in found.stages],
        slowest=None if found.slowest is None else found.slowest.path,
        remedies=list(remedies_text(profile, breakdown, found)),
    )


def _phase_line(each: PhaseTime) -> PhaseLine:
    return PhaseLine(each.phase.value, each.phase.title, each.exposed_ns / _US, each.beside_ns / _US)


def _stage_line(each: Stage) -> StageLine:
    told = each.settings
    return StageLine(
        path=each.path,
        name=each.name,
        depth=each.path.count("::") - 1,
        count=each.count,
        total_us=each.total_ns / _US,
        self_us=each.self_ns / _US,
        waited_us=each.exposed_ns / _US,
        beside_us=each.beside_ns / _US,
        threads=each.threads,
        at_once=each.at_once,
        parallelism=told.parallelism,
        autotune=told.autotune,
        buffer_size=told.buffer_size,
        batch_size=told.batch_size,
        buffered=each.buffered,
        empty=each.empty,
    )
