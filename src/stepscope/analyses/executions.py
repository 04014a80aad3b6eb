"""How often an operation ran on a device: its kernels are counted together, so that two kernels of one run are one execution."""

from __future__ import annotations

import numpy as np

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


def count_executions(profile: Profile, rows: Int64, host: Int32, key: Int32, keys: int) -> Int64:
    """Executions per key of device spans `rows` (in time order on their device); `host` is from host_operation_of.

    What one host operation launched is one execution. Where the host is unknown, an execution is a stretch of kernels of one key that
    repeats; see count_stretches.
    """
    counts = np.zeros(keys, np.int64)
    linked = host >= 0
    if linked.any():
        pairs = np.sort(key[linked].astype(np.int64) * len(profile.spans) + host[linked])
        pairs = pairs[np.concatenate([[True], pairs[1:] != pairs[:-1]])]
        counts += np.bincount(pairs // len(profile.spans), minlength=keys)
    if not linked.all():
        names = profile.spans.name[rows]
        for which, found in count_stretches(key[~linked], names[~linked]).items():
            counts[which] += found
    return counts


def executions_of_operations(profile: Profile, rows: Int64) -> Int64:
    """How often each of Profile.ops ran, from its spans among `rows` on all devices."""
    known = rows[profile.spans.op[rows] >= 0]
    if not len(known):
        return np.zeros(len(profile.ops), np.int64)
    device = np.array([track.device for track in profile.tracks])[profile.spans.track[known]]
    known = known[np.lexsort((profile.spans.start[known], device))]
    return count_executions(profile, known, host_operation_of(profile, known), profile.spans.op[known], len(profile.ops))


def count_stretches(key: Int32, name: Int32) -> dict[int, int]:
    """Executions per key of kernels in time order.

    A stretch is what runs without a kernel of another key between. When all stretches of a key are equal, each is one execution.
    Otherwise a stretch is one execution per repetition of its shortest period; if it has no period because a record is missing, as
    many as its most frequent kernel.
    """
    if not len(key):
        return {}
    cuts = np.concatenate([[0], np.flatnonzero(np.diff(key)) + 1, [len(key)]])
    stretches: dict[int, list[tuple[int, ...]]] = {}
    for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        stretches.setdefault(int(key[first]), []).append(tuple(name[first:last].tolist()))
    return {which: _executions(found) for which, found in stretches.items()}


def _executions(stretches: list[tuple[int, ...]]) -> int:
    if len(stretches) > 1 and len(set(stretches)) == 1:
        return len(stretches)
    return sum(_repetitions(stretch) for stretch in stretches)


def _repetitions(stretch: tuple[int, ...]) -> int:
    """How often the shortest period fits exactly; the failure function of string matching gives it in one pass."""
    border = [0] * len(stretch)
    for place in range(1, len(stretch)):
        length = border[place - 1]
        while length and stretch[place] != stretch[length]:
            length = border[length - 1]
        border[place] = length + (stretch[place] == stretch[length])
    period = len(stretch) - border[-1]
    if len(stretch) % period == 0 and period < len(stretch):
        return len(stretch) // period
    return int(np.unique(stretch, return_counts=True)[1].max())
