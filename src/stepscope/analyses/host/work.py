"""What the host does around operations: Python between them, tracing, dispatching operations one by one, garbage and locks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.host.compiled_functions import CompiledFunction, compiled_functions
from stepscope.analyses.host.dispatch import DISPATCHED, dispatch_runs
from stepscope.analyses.rows import are_named, rows_named, rows_of
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Int64, Profile, SpanKind
from stepscope.model.span_names import NameRole

_NAMED = 10
_SINGLE = 2


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A name with time of its own, in nanoseconds of a typical step."""

    name: str
    ns: float
    calls: float  # in a step
    row: int  # its longest span


@dataclass(frozen=True, slots=True)
class Garbage:
    """Collections in all steps; times in nanoseconds."""

    count: int
    total_ns: int
    longest_ns: int


@dataclass(frozen=True, slots=True)
class HostWork:
    """Nanoseconds of a typical step that nothing else hides."""

    step_ns: float
    python_ns: float  # Python functions that work
    waiting_ns: float  # Python functions that wait for a lock, a thread or the device
    compile_ns: float
    dispatch_ns: float  # inside runs of short calls
    framework_ns: float  # other calls into the framework, the runtime and the driver
    sync_ns: float  # calls that wait for the device
    alloc_ns: float
    io_ns: float
    gc_ns: float
    untraced_ns: float
    python_recorded: bool  # whether Python functions were recorded at all
    calls_in_runs: float  # short calls one after another, in a typical step
    eager: int  # operations that were run on their own, in all steps
    compiled: int  # operations that ran as part of a function or program
    functions: tuple[CompiledFunction, ...]
    python: tuple[NamedTime, ...]
    waits: tuple[NamedTime, ...]
    garbage: Garbage

    @property
    def lines(self) -> tuple[tuple[str, str, float], ...]:
        """Key, title and nanoseconds of everything that is the host's; in sum the host's group of the breakdown.

        Python is left out where it was not recorded: nothing is known of it.
        """
        python = (("python", "Python between operations", self.python_ns), ("waiting", "Python waiting", self.waiting_ns))
        return (
            *(python if self.python_recorded else ()),
            ("compile", "Tracing and compiling", self.compile_ns),
            ("dispatch", "Dispatching operations one by one", self.dispatch_ns),
            ("framework", "Other framework and runtime calls", self.framework_ns),
            ("sync", "Calls that wait for the device", self.sync_ns),
            ("alloc", "Allocating and releasing memory", self.alloc_ns),
            ("io", "Checkpoints and summaries", self.io_ns),
            ("gc", "Garbage collection", self.gc_ns),
        )

    @property
    def host_ns(self) -> float:
        """The host's group of the breakdown."""
        return sum(ns for _, _, ns in self.lines)

    @property
    def eager_share(self) -> float | None:
        """Of all operations; None when there are none."""
        both = self.eager + self.compiled
        return self.eager / both if both else None


def host_work(profile: Profile, breakdown: Breakdown) -> HostWork:
    """Of one rank."""
    parts, exposed, label = breakdown.typical_parts, breakdown.exposed, breakdown.classified.label
    steps = max(1, len(breakdown.typical))
    owning = np.flatnonzero(exposed > 0)
    python = owning[label[owning] == TimeClass.PYTHON]
    waits = rows_named(profile, python, NameRole.WAIT)
    runs = dispatch_runs(profile, breakdown)
    handed_out = runs.inside(profile, owning[np.isin(label[owning], [int(each) for each in DISPATCHED])])
    dispatch_ns = float(exposed[handed_out].sum()) / steps
    waiting_ns = float(exposed[waits].sum()) / steps
    eager, compiled = _operations(profile, breakdown)
    return HostWork(
        step_ns=breakdown.typical_ns,
        python_ns=float(parts[TimeClass.PYTHON]) - waiting_ns,
        waiting_ns=waiting_ns,
        compile_ns=float(parts[TimeClass.COMPILE]),
        dispatch_ns=dispatch_ns,
        framework_ns=sum(float(parts[each]) for each in DISPATCHED) - dispatch_ns,
        sync_ns=float(parts[TimeClass.SYNC]),
        alloc_ns=float(parts[TimeClass.ALLOC]),
        io_ns=float(parts[TimeClass.IO]),
        gc_ns=float(parts[TimeClass.GC]),
        untraced_ns=float(parts[TimeClass.UNTRACED]),
        python_recorded=bool((profile.spans.kind == SpanKind.PYTHON).any()),
        calls_in_runs=float(runs.per_step[list(breakdown.typical)].mean()),
        eager=eager,
        compiled=compiled,
        functions=compiled_functions(profile, breakdown),
        python=_longest(profile, breakdown, np.setdiff1d(python, waits)),
        waits=_longest(profile, breakdown, waits),
        garbage=_garbage(profile, breakdown),
    )


def _inside_steps(profile: Profile, breakdown: Breakdown, rows: Int64) -> Int64:
    start, bounds = profile.spans.start[rows], breakdown.steps.bounds
    return rows[(start >= bounds[0]) & (start < bounds[-1])]


def _longest(profile: Profile, breakdown: Breakdown, rows: Int64) -> tuple[NamedTime, ...]:
    """The names with most time of their own."""
    spans, exposed, steps = profile.spans, breakdown.exposed, max(1, len(breakdown.typical))
    names, place = np.unique(spans.name[rows], return_inverse=True)
    sums, counts = np.bincount(place, exposed[rows], len(names)) / steps, np.bincount(place, minlength=len(names)) / steps
    found: list[NamedTime] = []
    for one in np.argsort(-sums, kind="stable")[:_NAMED].tolist():
        mine = rows[place == one]
        row = int(mine[int(np.argmax(exposed[mine]))])
        found.append(NamedTime(profile.names[int(names[one])], float(sums[one]), float(counts[one]), row))
    return tuple(found)


def _garbage(profile: Profile, breakdown: Breakdown) -> Garbage:
    control = rows_of(profile.tracks[place] for place in breakdown.classified.control)
    rows = _inside_steps(profile, breakdown, control[profile.spans.kind[control] == SpanKind.GC])
    length = profile.spans.end[rows] - profile.spans.start[rows]
    return Garbage(len(rows), int(length.sum()), int(length.max(initial=0)))


def _operations(profile: Profile, breakdown: Breakdown) -> tuple[int, int]:
    """Operations run on their own, and as part of something compiled.

    PyTorch's reader knows of each; TensorFlow names calls of single operations, and runs those of functions on other threads. A
    program of JAX that holds one or two operations is what an operation outside of jit becomes.
    """
    spans, ops = profile.spans, profile.ops
    rows = _inside_steps(profile, breakdown, np.flatnonzero(spans.kind == SpanKind.OP))
    rows = rows[~are_named(profile, rows, NameRole.EAGER_KERNEL)]  # counted by the calls around them
    if profile.framework == "JAX":
        return _single_programs(profile, rows)
    told = np.array([-1 if op.eager is None else int(op.eager) for op in ops] + [-1])[spans.op[rows]]
    calls = _inside_steps(profile, breakdown, np.flatnonzero(spans.kind == SpanKind.FRAMEWORK))
    alone = rows_named(profile, calls, NameRole.EAGER_MODEL_OPERATION)
    eager = int((told == 1).sum()) + len(alone)
    return eager, int((told == 0).sum()) + (int((told == -1).sum()) if profile.framework == "TensorFlow" else 0)


def _single_programs(profile: Profile, rows: Int64) -> tuple[int, int]:
    """How many operations ran in programs of one or two operations, and in larger ones."""
    members: dict[str, set[str]] = {}
    counts: dict[str, int] = {}
    for number, times in enumerate(np.bincount(profile.spans.op[rows][profile.spans.op[rows] >= 0], minlength=1).tolist()):
        if times and profile.ops[number].program:
            operation = profile.ops[number]
            members.setdefault(operation.program, set()).add(operation.name)
            counts[operation.program] = counts.get(operation.program, 0) + int(times)
    eager = sum(counts[program] for program, names in members.items() if len(names) <= _SINGLE)
    return eager, sum(counts.values()) - eager
