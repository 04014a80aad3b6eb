"""Kernels that no list knows but that behave like communication: told to the user, who can name them, and counted as nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.communication.matching import Clocks
from stepscope.analyses.rows import rows_of, rows_of_role
from stepscope.model.profile import Int64, Profile, SpanKind, TrackRole

BESIDE_COLLECTIVES = "on a communication stream"
END_TOGETHER = "ends on all ranks at the same time, whenever it began"
_MOSTLY = 0.8  # of a stream's busy time is communication that is known
_LEAST = 3  # executions, below which behaviour is chance
_TOGETHER_NS = 20_000
_APART = 10  # beginnings differ this many times more than ends
_NEARLY_ALL = 90
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Suspect:
    """Kernels of one name."""

    name: str
    why: str
    count: int  # on all ranks
    total_ns: int


def suspects(profiles: Sequence[Profile], clocks: Clocks | None) -> list[Suspect]:
    """By either behaviour, longest in sum first."""
    names: dict[str, str] = {}
    for profile in profiles:
        names |= dict.fromkeys(_on_communicating_streams(profile), BESIDE_COLLECTIVES)
    if clocks is not None:
        names |= dict.fromkeys(_ending_together(profiles, clocks), END_TOGETHER)
    found = [_suspect(profiles, name, why) for name, why in names.items()]
    return sorted(found, key=lambda one: (-one.total_ns, one.name))[:_SHOWN]


def _suspect(profiles: Sequence[Profile], name: str, why: str) -> Suspect:
    count = total = 0
    for profile in profiles:
        rows = _kernels(profile)
        mine = rows[profile.spans.name[rows] == _number(profile, name)]
        count += len(mine)
        total += int((profile.spans.end[mine] - profile.spans.start[mine]).sum())
    return Suspect(name, why, count, total)


def _number(profile: Profile, name: str) -> int:
    return profile.names.index(name) if name in profile.names else -2


def _kernels(profile: Profile) -> Int64:
    rows = rows_of_role(profile, TrackRole.STREAM)
    return rows[profile.spans.kind[rows] == SpanKind.KERNEL]


def _on_communicating_streams(profile: Profile) -> list[str]:
    spans = profile.spans
    found: list[str] = []
    for track in profile.tracks:
        if track.role != TrackRole.STREAM:
            continue
        rows = rows_of([track])
        length = spans.end[rows] - spans.start[rows]
        known = spans.kind[rows] == SpanKind.COLLECTIVE
        kernels = spans.kind[rows] == SpanKind.KERNEL
        busy = int(length[known | kernels].sum())
        if known.sum() < _LEAST or not kernels.any() or length[known].sum() < _MOSTLY * busy:
            continue
        numbers, counts = np.unique(spans.name[rows[kernels]], return_counts=True)
        found += [profile.names[int(number)] for number in numbers[counts >= _LEAST]]
    return found


def _ending_together(profiles: Sequence[Profile], clocks: Clocks) -> list[str]:
    """Kernels that come equally often on every rank, whose ends agree and whose beginnings do not."""
    times = [_times_by_name(profile, clocks.shift(rank)) for rank, profile in enumerate(profiles)]
    together = max(_TOGETHER_NS, 2 * clocks.error_ns)
    found: list[str] = []
    for name, (start, _) in times[0].items():
        if len(start) < _LEAST or any(name not in other or len(other[name][0]) != len(start) for other in times[1:]):
            continue
        starts, ends = (np.stack([each[name][which] for each in times]) for which in (0, 1))
        end_skew = float(np.percentile(np.ptp(ends, axis=0), _NEARLY_ALL))
        start_skew = float(np.median(np.ptp(starts, axis=0)))
        if end_skew <= together and start_skew >= _APART * max(end_skew, _TOGETHER_NS / _APART):
            found.append(name)
    return found


def _times_by_name(profile: Profile, shift: int) -> dict[str, tuple[Int64, Int64]]:
    """Starts and ends of each kernel's executions in order, on the clock of all ranks."""
    spans, rows = profile.spans, _kernels(profile)
    rows = rows[np.lexsort((spans.start[rows], spans.name[rows]))]
    cuts = np.flatnonzero(np.diff(spans.name[rows])) + 1
    groups = np.split(rows, cuts) if len(rows) else []
    base = profile.base_ns + shift
    return {profile.names[int(spans.name[group[0]])]: (spans.start[group] + base, spans.end[group] + base) for group in groups}
