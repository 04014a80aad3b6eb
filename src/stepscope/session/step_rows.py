"""Times of a step as several parts answer them: the six groups, the classes inside them, and the step time itself."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from stepscope.model import declared as d

if TYPE_CHECKING:
    from stepscope.analyses.breakdown import Breakdown
    from stepscope.analyses.session.summary import Summary
    from stepscope.model.profile import Float64

_MS = 1e6


class StepGroup(Enum):
    """The six groups that a step's time divides into."""

    COMPUTE = "compute"
    COMMUNICATION = "communication"
    COPY = "copy"
    INPUT_WAIT = "input_wait"
    HOST = "host"
    UNTRACED = "untraced"


class StepTimes(Struct, frozen=True, kw_only=True):
    """Step time in milliseconds; the mean over workers where there are several."""

    median: Annotated[float, d.ms("Median of all steps.")]
    p95: Annotated[float, d.ms("95th percentile of all steps.")]
    typical: Annotated[float, d.ms("Mean of typical steps, to which the breakdown sums.")]


class StepShares(Struct, frozen=True, kw_only=True):
    """Shares of a typical step by group; they sum to 1."""

    compute: Annotated[float, d.fraction("A kernel runs; on a CPU, an operation of 10 µs or more.")]
    communication: Annotated[float, d.fraction("A collective runs and nothing computes.")]
    copy: Annotated[float, d.fraction("Memory is copied or filled and nothing computes or communicates.")]
    input_wait: Annotated[float, d.fraction("The step waits for the next batch.")]
    host: Annotated[float, d.fraction("The device is idle while the threads that control it are busy.")]
    untraced: Annotated[float, d.fraction("Not covered by the trace.")]


class StepParts(Struct, frozen=True, kw_only=True):
    """Milliseconds by class of time, in the order in which classes take precedence."""

    compute: Annotated[float, d.ms("Kernels, or operations of 10 µs or more on a CPU.")]
    comm: Annotated[float, d.ms("Collectives, waiting for other ranks included.")]
    h2d: Annotated[float, d.ms("Copies from host to device.")]
    d2h: Annotated[float, d.ms("Copies from device to host.")]
    d2d: Annotated[float, d.ms("Copies on and between devices, and fills.")]
    compile: Annotated[float, d.ms("Tracing and compiling functions.")]
    gc: Annotated[float, d.ms("Python's garbage collector.")]
    io: Annotated[float, d.ms("Checkpoints and summaries.")]
    input: Annotated[float, d.ms("Waiting for the next batch.")]
    sync: Annotated[float, d.ms("Runtime calls that wait for the device.")]
    alloc: Annotated[float, d.ms("Allocating and freeing device and pinned memory.")]
    launch: Annotated[float, d.ms("Other runtime and driver calls, mostly launches.")]
    op: Annotated[float, d.ms("Framework operations on the host.")]
    framework: Annotated[float, d.ms("Other framework calls.")]
    python: Annotated[float, d.ms("Recorded Python functions.")]
    untraced: Annotated[float, d.ms("Not covered by the trace.")]


class LoggedStepRow(Struct, frozen=True):
    """Step time without the profiler, as the run has logged it."""

    ms: Annotated[float, d.ms("Median step time.")]
    tag: Annotated[str, d.text("Series that it was logged in.")]
    steps: Annotated[int, d.count("Number of logged steps outside of the profile.")]


def step_parts(ns: Float64) -> StepParts:
    """Nanoseconds per TimeClass as a row."""
    from stepscope.analyses.time_classes import TimeClass

    return StepParts(**{each.key: float(ns[each]) / _MS for each in TimeClass})


def step_shares(ns: Float64, step_ns: float) -> StepShares:
    """The groups of nanoseconds per TimeClass as shares of a step."""
    from stepscope.analyses.breakdown import group_sums
    from stepscope.analyses.time_classes import Group

    shares = group_sums(ns) / (step_ns or 1.0)
    return StepShares(**{group.key: float(shares[group]) for group in Group})


def step_times(found: Summary | Breakdown) -> StepTimes:
    """Of all workers, or of one."""
    return StepTimes(median=found.median_ns / _MS, p95=found.p95_ns / _MS, typical=found.typical_ns / _MS)
