"""Which spans are one execution of an operation: the kernels of one run, or an operation with others of its row inside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.grouping import Grouped, dense_codes
from stepscope.model.profile import Int32, Int64, Profile, SpanKind


def host_operation_of(profile: Profile, rows: Int64) -> Int32:
    """The row of the innermost host operation around what launched each device span, NONE when unknown."""
    spans = profile.spans
    found = spans.cause[rows].astype(np.int32)
    open_ = np.flatnonzero(found >= 0)
    while len(open_):
        open_ = open_[spans.kind[found[open_]] != SpanKind.OP]
        found[open_] = spans.parent[found[open_]]
        open_ = open_[found[open_] >= 0]
    return found


@dataclass(frozen=True, slots=True)
class Executions:
    """Which execution every span belongs to, and which group every execution belongs to."""

    of_span: Grouped
    group: Grouped

    def totals(self, values: Int64) -> tuple[Int64, Int64, Int64]:
        """Sum, smallest and largest execution of each group, where an execution is the sum over its spans."""
        return self.group.totals(self.of_span.sums(values))


def find_executions(profile: Profile, rows: Int64, host: Int32, key: Int32, keys: int) -> Grouped:
    """The execution of each of the device spans `rows` (in time order on their device); `host` is from host_operation_of.

    What one host operation launched for one key is one execution. Where the host is unknown, an execution is a stretch of kernels of
    one key that repeats; see execution_starts.
    """
    code = np.zeros(len(rows), np.int32)
    linked = np.flatnonzero(host >= 0)
    found = 0
    if len(linked):
        pairs = host[linked].astype(np.int64) * keys + key[linked]  # nearly in order already, which a stable sort makes use of
        order = np.argsort(pairs, kind="stable")
        pairs = pairs[order]
        number = np.cumsum(np.concatenate([[False], pairs[1:] != pairs[:-1]]), dtype=np.int32)
        code[linked[order]] = number
        found = int(number[-1]) + 1
    if len(linked) < len(rows):
        alone = np.flatnonzero(host < 0)
        number = np.cumsum(execution_starts(key[alone], profile.spans.name[rows[alone]]), dtype=np.int32)
        code[alone] = number + np.int32(found - 1)
        found += int(number[-1])
    return Grouped(code, found)


def group_executions(executions: Grouped, rows: Int64, key: Grouped, inside: NDArray[np.bool_]) -> Executions:
    """Executions of each key; a span that lies `inside` another of its key belongs to the execution of the outermost one."""
    code = executions.code
    if inside.any():
        nested = np.bincount(key.code[inside], minlength=key.groups) > 0
        places = np.flatnonzero(nested[key.code])
        places = places[np.argsort(rows[places], kind="stable")]  # often in order already
        small = key.code[places].astype(np.uint16 if key.groups <= 1 << 16 else np.int32)  # which is sorted in one pass
        places = places[np.argsort(small, kind="stable")]
        outermost = np.maximum.accumulate(np.where(inside[places], 0, np.arange(len(places))))  # parents come before what they hold
        code = code.copy()
        code[places] = code[places[outermost]]
    of_span = dense_codes(code.astype(np.int64), executions.groups)
    group = np.zeros(of_span.groups, np.int32)
    group[of_span.code] = key.code
    return Executions(of_span, Grouped(group, key.groups))


def counts_of(executions: Grouped, key: Int32, keys: int) -> Int64:
    """Executions of each key, when no execution has spans of two keys."""
    return np.bincount(key[executions.firsts()], minlength=keys).astype(np.int64)


def executions_of_operations(profile: Profile, rows: Int64) -> Int64:
    """How often each of Profile.ops ran, from its spans among `rows` on all devices."""
    known, executions = executions_on_devices(profile, rows[profile.spans.op[rows] >= 0])
    return counts_of(executions, profile.spans.op[known], len(profile.ops))


def executions_on_devices(profile: Profile, rows: Int64) -> tuple[Int64, Grouped]:
    """The rows, all of known operations, by device and time, and the execution of its operation that each belongs to."""
    device = np.array([track.device for track in profile.tracks], np.int64)[profile.spans.track[rows]]
    rows = rows[np.lexsort((profile.spans.start[rows], device))]
    return rows, find_executions(profile, rows, host_operation_of(profile, rows), profile.spans.op[rows], len(profile.ops))


def execution_starts(key: Int32, name: Int32) -> NDArray[np.bool_]:
    """Which of the kernels in time order begin an execution.

    A stretch is what runs without a kernel of another key between. When all stretches of a key are equal, each is one execution.
    Otherwise a stretch is one execution per repetition of its shortest period; if it has no period because a record is missing, one
    begins with each of its most frequent kernel, but for the first, which begins with the stretch.
    """
    starts = np.zeros(len(key), bool)
    if not len(key):
        return starts
    cuts = np.concatenate([[0], np.flatnonzero(np.diff(key)) + 1, [len(key)]])
    starts[cuts[:-1]] = True
    stretches: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        stretches.setdefault(int(key[first]), []).append((first, tuple(name[first:last].tolist())))
    for found in stretches.values():
        if len(found) > 1 and len({stretch for _, stretch in found}) == 1:
            continue
        for first, stretch in found:
            if len(stretch) > 1:
                starts[first : first + len(stretch)] = _repetitions(stretch)
    return starts


def _repetitions(stretch: tuple[int, ...]) -> NDArray[np.bool_]:
    """Where the shortest period begins if it fits exactly; the failure function of string matching gives it in one pass."""
    border = [0] * len(stretch)
    for place in range(1, len(stretch)):
        length = border[place - 1]
        while length and stretch[place] != stretch[length]:
            length = border[length - 1]
        border[place] = length + (stretch[place] == stretch[length])
    period = len(stretch) - border[-1]
    if len(stretch) % period == 0 and period < len(stretch):
        return np.arange(len(stretch)) % period == 0
    _, place_of, counts = np.unique(stretch, return_inverse=True, return_counts=True)
    starts = place_of.reshape(-1) == int(np.argmax(counts))
    starts[np.flatnonzero(starts)[0]] = False
    starts[0] = True
    return starts
