"""Functions that the framework compiles: how often each was called, how often it was traced or compiled again, and what both took.

TensorFlow marks every call of a tf.function, JAX every call of a compiled function; torch.compile numbers its regions by the frame
they were made from and by the version of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.rows import rows_of
from stepscope.model.profile import NONE, Int32, Int64, MarkerFamily, Profile, SpanKind
from stepscope.model.span_names import NameRole

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


def compiled_functions(profile: Profile, breakdown: Breakdown) -> tuple[CompiledFunction, ...]:
    """Of the steps of one rank, those that were traced most first, then by time."""
    rows = rows_of(profile.tracks[place] for place in breakdown.classified.control)
    bounds, spans = breakdown.steps.bounds, profile.spans
    rows = np.sort(rows[(spans.start[rows] >= bounds[0]) & (spans.start[rows] < bounds[-1])])
    compiling = _outermost(profile, rows[spans.kind[rows] == SpanKind.COMPILE])
    found = [*_tensorflow(profile, rows), *_jax(profile, rows, compiling), *_torch(profile, rows, compiling)]
    return tuple(sorted(found, key=lambda one: (-one.traces, -one.total_ns, one.name)))


def _outermost(profile: Profile, rows: Int64) -> Int64:
    """Rows, in the table's order, without those that begin inside an earlier one of the same track."""
    kept = np.ones(len(rows), bool)
    tracks = profile.spans.track[rows]
    for first, last in zip(*_stretches(tracks), strict=True):
        mine = rows[first:last]
        until = np.maximum.accumulate(profile.spans.end[mine])
        kept[first + 1 : last] = profile.spans.start[mine[1:]] >= until[:-1]
    return rows[kept]


def _stretches(codes: Int32) -> tuple[list[int], list[int]]:
    """Where each run of equal numbers begins and ends."""
    cuts = np.flatnonzero(np.diff(codes)) + 1
    return ([0, *cuts.tolist()], [*cuts.tolist(), len(codes)]) if len(codes) else ([], [])


def _tensorflow(profile: Profile, rows: Int64) -> list[CompiledFunction]:
    """Calls that the reader knows as roots; the first call of a version is one that traces."""
    if profile.framework != "TensorFlow":
        return []
    markers, spans = profile.markers, profile.spans
    roots = np.sort(markers.row[markers.family == MarkerFamily.ROOT_CALL].astype(np.int64))
    roots = roots[np.isin(roots, rows) & np.isin(spans.kind[roots], [SpanKind.COMPILE.value, SpanKind.FRAMEWORK.value])]
    calls = _outermost(profile, roots)
    traced = np.where(spans.kind[calls] == SpanKind.COMPILE, spans.end[calls] - spans.start[calls], 0)
    names = {place: name for place, name in _names(profile, calls).items() if not profile.name_rules.fits(NameRole.NO_FUNCTION, name)}
    return _functions(profile, Compiler.TENSORFLOW, calls, names, traced)


def _jax(profile: Profile, rows: Int64, compiling: Int64) -> list[CompiledFunction]:
    """Outermost calls; a call is written twice, one inside the other, and calls while another function is traced are part of that."""
    spans = profile.spans
    names = {place: name for place, (name,) in _carried(profile, NameRole.JAX_FUNCTION).items()}
    calls = _outermost(profile, rows[_named(profile, rows, names)])
    if not len(calls):
        return []
    # Rows of a track are in the order of their starts: what is inside a call comes after it and before the next.
    holder = np.searchsorted(calls, compiling) - 1
    inside = (holder >= 0) & (spans.track[calls[holder]] == spans.track[compiling]) & (spans.end[compiling] <= spans.end[calls[holder]])
    traced = np.bincount(holder[inside], (spans.end - spans.start)[compiling[inside]], len(calls)).astype(np.int64)
    return _functions(profile, Compiler.JAX, calls, names, traced)


def _torch(profile: Profile, rows: Int64, compiling: Int64) -> list[CompiledFunction]:
    """Regions by their frame. A compilation belongs to the region that runs next on its thread: it was made for that call."""
    spans = profile.spans
    regions = _carried(profile, NameRole.TORCH_REGION)
    calls = _outermost(profile, rows[_named(profile, rows, regions)])
    if not len(calls):
        return []
    follower = np.searchsorted(calls, compiling)
    there = follower < len(calls)
    follower, compiling = follower[there], compiling[there]
    same = spans.track[calls[follower]] == spans.track[compiling]
    traced = np.bincount(follower[same], (spans.end - spans.start)[compiling[same]], len(calls)).astype(np.int64)
    titles = {place: f"compiled region {frame}" for place, (frame, _) in regions.items()}
    found = _functions(profile, Compiler.TORCH, calls, titles, traced)
    versions = Counter(titles[name] for name in np.unique(spans.name[calls]).tolist())
    # A region begins when it is compiled.
    return [replace(one, total_ns=one.total_ns + one.traced_ns, versions=versions[one.name]) for one in found]


def _carried(profile: Profile, role: NameRole) -> dict[int, tuple[str, ...]]:
    """By the number of each name with the role, what it carries."""
    found = {place: profile.name_rules.carried(role, name) for place, name in enumerate(profile.names)}
    return {place: texts for place, texts in found.items() if texts is not None}


def _names(profile: Profile, rows: Int64) -> dict[int, str]:
    return {int(name): profile.names[int(name)] for name in np.unique(profile.spans.name[rows])}


def _named(profile: Profile, rows: Int64, names: Iterable[int]) -> NDArray[np.bool_]:
    """For every row whether its name is one of these."""
    known = np.zeros(len(profile.names) + 1, bool)
    known[list(names)] = True
    return known[profile.spans.name[rows]]


def _functions(profile: Profile, compiler: Compiler, calls: Int64, names: dict[int, str], traced_ns: Int64) -> list[CompiledFunction]:
    """Calls by the name of their function; `traced_ns` is the tracing in each."""
    spans = profile.spans
    titles = {title: place for place, title in enumerate(dict.fromkeys(names.values()))}
    codes = np.full(len(profile.names) + 1, NONE, np.int64)
    codes[list(names)] = [titles[title] for title in names.values()]
    code, ordered = codes[spans.name[calls]], list(titles)
    order = np.argsort(code, kind="stable")
    found: list[CompiledFunction] = []
    for first, last in zip(*_stretches(code[order].astype(np.int32)), strict=True):
        mine = order[first:last]
        if code[mine[0]] == NONE:
            continue
        length = spans.end[calls[mine]] - spans.start[calls[mine]]
        found.append(
            CompiledFunction(
                name=ordered[int(code[mine[0]])],
                compiler=compiler,
                calls=len(mine),
                traces=int((traced_ns[mine] > 0).sum()),
                total_ns=int(length.sum()),
                traced_ns=int(traced_ns[mine].sum()),
                versions=None,
                row=int(calls[mine[int(np.argmax(length))]]),
            )
        )
    return found
