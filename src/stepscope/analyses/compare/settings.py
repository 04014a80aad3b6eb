"""What differs between two recordings beside their times: device, versions, options, ranks, steps and number formats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.rows import rows_of_role
from stepscope.analyses.session.summary import Summary
from stepscope.model.profile import Profile, SpanKind, TrackRole

MOST_SETTINGS = 40
_LONGEST = 200
_FORMAT_SHARE = 0.05
_ABOUT_THE_FILE = ("time", "Time", "trace_id", "traceName", "process_id", "pid", "schemaVersion")
"""In the name of what differs from file to file although nothing was changed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One fact on both sides; empty where a recording does not tell it."""

    name: str
    before: str
    after: str


def different_settings(before: Summary, after: Summary) -> tuple[Setting, ...]:
    """Facts that differ, the ones that matter most first."""
    one, other = _facts(before), _facts(after)
    names = [*one, *(name for name in other if name not in one)]
    found = [Setting(name, one.get(name, "")[:_LONGEST], other.get(name, "")[:_LONGEST]) for name in names]
    return tuple(setting for setting in found if setting.before != setting.after)[:MOST_SETTINGS]


def devices_of(found: Summary) -> str:
    """The devices of the first rank, as a text that can be compared."""
    profile, classified = found.profiles[0], found.breakdowns[0].classified
    if classified.cpu_only:
        return "CPU"
    names = sorted({profile.devices[place].name or profile.devices[place].kind for place in classified.devices if place >= 0})
    return ", ".join(names) or "a device"


def _facts(found: Summary) -> dict[str, str]:
    first, steps = found.profiles[0], found.breakdowns[0].steps
    facts = {
        "framework": first.framework,
        "device": devices_of(found),
        "devices per rank": str(len(found.breakdowns[0].classified.devices)),
        "ranks": str(len(found.profiles)),
        "steps by": steps.source.text,
        "number formats": _formats(first),
    }
    told = {name: text for name, text in sorted(first.environment.items()) if not any(word in name for word in _ABOUT_THE_FILE)}
    return facts | told


def _formats(profile: Profile) -> str:
    """Formats of products, by their kernels' names, as far as each takes a noticeable share of the kernels' time."""
    spans = profile.spans
    rows = rows_of_role(profile, TrackRole.STREAM)
    rows = rows[spans.kind[rows] == SpanKind.KERNEL]
    times = np.bincount(spans.name[rows], spans.end[rows] - spans.start[rows], len(profile.names))
    shares: dict[str, float] = {}
    for name in np.flatnonzero(times).tolist():
        known = profile.name_rules.number_format(profile.names[name])
        if known is not None:
            shares[known] = shares.get(known, 0.0) + float(times[name])
    return ", ".join(sorted(name for name, time in shares.items() if time >= _FORMAT_SHARE * float(times.sum())))
