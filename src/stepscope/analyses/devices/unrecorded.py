"""A device that works and was not recorded: the host launches kernels, and no kernel is in the file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.rows import rows_of_role
from stepscope.model.profile import Profile, SpanKind, TrackRole
from stepscope.model.span_names import NameRole


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """What the host's calls tell of the device."""

    kind: str  # "GPU", "NPU", …, "device" when the calls do not tell
    launches: int


def unrecorded_device(profile: Profile, breakdown: Breakdown) -> Unrecorded | None:
    """None where a device's work is in the file, or nothing was launched."""
    if not breakdown.classified.cpu_only:
        return None
    return breakdown.once(unrecorded_device, lambda: _found(profile))


def _found(profile: Profile) -> Unrecorded | None:
    spans, rules = profile.spans, profile.name_rules
    rows = rows_of_role(profile, TrackRole.THREAD)
    rows = rows[spans.kind[rows] == SpanKind.RUNTIME]
    names, counts = np.unique(spans.name[rows], return_counts=True)
    launched = {profile.names[int(name)]: int(count) for name, count in zip(names, counts, strict=True)}
    launched = {name: count for name, count in launched.items() if rules.fits(NameRole.LAUNCH_CALL, name)}
    if not launched:
        return None
    most = max(launched, key=lambda name: launched[name])
    return Unrecorded(_kind(profile, most), sum(launched.values()))


def _kind(profile: Profile, call: str) -> str:
    carried = profile.name_rules.carried(NameRole.LAUNCH_CALL, call) or ("", "")
    return "GPU" if carried[0] else "NPU" if carried[1] else "device"
