"""Functions that the framework compiles: how often each was called, how often it was traced or compiled again, and what both took.

TensorFlow marks every call of a tf.function, JAX every call of a compiled function; torch.compile numbers its regions by the frame
they were made from and by the version of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.rows import rows_of
from stepscope.model.profile import NONE, Int64, MarkerFamily, Profile, SpanKind

_JAX_CALL = re.compile(r"PjitFunction\((?P<name>.*)\)")
_TORCH_REGION = re.compile(r"Torch-Compiled Region: (?P<frame>\d+)/(?P<version>\d+)")
_NO_FUNCTION = re.compile(r"^(?:FunctionRun|SessionRun|RunGraph|TraceContext|ExecutorState.*|.*::.*)$")
"""Roots of TensorFlow's runtime, which run whatever function there is."""


class Compiler(Enum):
    """Who compiles."""

    TENSORFLOW = "tf.function"
    JAX = "jax.jit"
    TORCH = "torch.compile"


@dataclass(frozen=True, slots=True)
class CompiledFunction:
    """One function in the steps of a recording; times in nanoseconds."""

    name: str
    compiler: Compiler
    calls: int
    traces: int  # calls in which it was traced or compiled
    total_ns: int  # of all calls on the calling thread, tracing and compiling for them included
    traced_ns: int  # tracing and compiling in them
    versions: int | None  # that were run, where the file tells them apart
    row: int  # its longest call


@dataclass(slots=True)
class _Calls:
    rows: list[int] = field(default_factory=list[int])
    traces: int = 0
    traced_ns: int = 0
    versions: set[str] = field(default_factory=set[str])


def compiled_functions(profile: Profile, breakdown: Breakdown) -> tuple[CompiledFunction, ...]:
    """Of the steps of one rank, those that were traced most first, then by time."""
    rows = rows_of(profile.tracks[place] for place in breakdown.classified.control)
    bounds, spans = breakdown.steps.bounds, profile.spans
    rows = rows[(spans.start[rows] >= bounds[0]) & (spans.start[rows] < bounds[-1])]
    compiling = _outermost(profile, rows[spans.kind[rows] == SpanKind.COMPILE])
    found = [*_tensorflow(profile, rows), *_jax(profile, rows, compiling), *_torch(profile, rows, compiling)]
    return tuple(sorted(found, key=lambda one: (-one.traces, -one.total_ns, one.name)))


def _outermost(profile: Profile, rows: Int64) -> Int64:
    """Rows, in the table's order, without those that begin inside an earlier one of the same track."""
    kept: list[int] = []
    track, until = NONE, 0
    for row in np.sort(rows).tolist():
        start, end = int(profile.spans.start[row]), int(profile.spans.end[row])
        if int(profile.spans.track[row]) == track and start < until:
            until = max(until, end)
            continue
        kept.append(row)
        track, until = int(profile.spans.track[row]), end
    return np.array(kept, np.int64)


def _tensorflow(profile: Profile, rows: Int64) -> list[CompiledFunction]:
    """Calls that the reader knows as roots; the first call of a version is one that traces."""
    if profile.framework != "TensorFlow":
        return []
    markers, spans = profile.markers, profile.spans
    roots = markers.row[markers.family == MarkerFamily.ROOT_CALL].astype(np.int64)
    roots = roots[np.isin(roots, rows) & np.isin(spans.kind[roots], [SpanKind.COMPILE.value, SpanKind.FRAMEWORK.value])]
    by_name: dict[str, _Calls] = {}
    for row in _outermost(profile, roots).tolist():
        name = profile.names[int(spans.name[row])]
        if _NO_FUNCTION.match(name):
            continue
        calls = by_name.setdefault(name, _Calls())
        calls.rows.append(row)
        if spans.kind[row] == SpanKind.COMPILE:
            calls.traces += 1
            calls.traced_ns += int(spans.end[row] - spans.start[row])
    return [_function(profile, name, Compiler.TENSORFLOW, calls) for name, calls in by_name.items()]


def _jax(profile: Profile, rows: Int64, compiling: Int64) -> list[CompiledFunction]:
    """Outermost calls; a call is written twice, one inside the other, and calls while another function is traced are part of that."""
    spans = profile.spans
    known = {place: match["name"] for place, name in enumerate(profile.names) if (match := _JAX_CALL.fullmatch(name))}
    if not known:
        return []
    named = np.zeros(len(profile.names), bool)
    named[list(known)] = True
    by_name: dict[str, _Calls] = {}
    for row in _outermost(profile, rows[named[spans.name[rows]]]).tolist():
        calls = by_name.setdefault(known[int(spans.name[row])], _Calls())
        calls.rows.append(row)
        inside = compiling[(spans.track[compiling] == spans.track[row]) & (spans.start[compiling] >= spans.start[row])]
        inside = inside[spans.end[inside] <= spans.end[row]]
        calls.traces += len(inside) > 0
        calls.traced_ns += int((spans.end[inside] - spans.start[inside]).sum())
    return [_function(profile, name, Compiler.JAX, calls) for name, calls in by_name.items()]


def _torch(profile: Profile, rows: Int64, compiling: Int64) -> list[CompiledFunction]:
    """Regions by their frame. A compilation belongs to the region that runs next on its thread: it was made for that call."""
    spans = profile.spans
    regions = {place: match for place, name in enumerate(profile.names) if (match := _TORCH_REGION.match(name))}
    if not regions:
        return []
    named = np.zeros(len(profile.names), bool)
    named[list(regions)] = True
    runs = _outermost(profile, rows[named[spans.name[rows]]])
    by_frame: dict[str, _Calls] = {}
    for row in runs.tolist():
        match = regions[int(spans.name[row])]
        calls = by_frame.setdefault(match["frame"], _Calls())
        calls.rows.append(row)
        calls.versions.add(match["version"])
    for row in compiling.tolist():
        after = runs[(spans.track[runs] == spans.track[row]) & (spans.start[runs] >= spans.start[row])]
        if len(after):
            calls = by_frame[regions[int(spans.name[int(after[0])])]["frame"]]
            calls.traces += 1
            calls.traced_ns += int(spans.end[row] - spans.start[row])
    found = [_function(profile, f"compiled region {frame}", Compiler.TORCH, calls) for frame, calls in by_frame.items()]
    return [replace(one, total_ns=one.total_ns + one.traced_ns) for one in found]  # a region begins when it is compiled


def _function(profile: Profile, name: str, compiler: Compiler, calls: _Calls) -> CompiledFunction:
    rows = np.array(calls.rows, np.int64)
    length = profile.spans.end[rows] - profile.spans.start[rows]
    return CompiledFunction(
        name=name,
        compiler=compiler,
        calls=len(rows),
        traces=calls.traces,
        total_ns=int(length.sum()),
        traced_ns=calls.traced_ns,
        versions=len(calls.versions) or None,
        row=int(rows[int(np.argmax(length))]),
    )
