"""In what the files of one session differ, so that nobody reads a mean over things that are not the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.communication.matching import Own
from stepscope.model.number_text import digits
from stepscope.model.profile import Profile, SpanKind

_OPTIONS = (
    "record_shapes",
    "with_stack",
    "with_flops",
    "with_modules",
    "profile_memory",
    "include_dataset_ops",
    "enable_hlo_proto",
    "backend",
)
_COUNTED = (SpanKind.OP, SpanKind.KERNEL)
_NEARLY = 0.01
"""Operations a step that differ by less are the same: a logging step has a few more."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One thing in which ranks differ, with what each has."""

    what: str
    values: tuple[str, ...]  # by place of the rank


def value_counts(values: Sequence[str]) -> list[tuple[str, int]]:
    """Each value once, with how many ranks have it; the most common first."""
    return Counter(values).most_common()


def disagreements(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown], own: Sequence[Sequence[Own]]) -> list[Disagreement]:
    """What differs between the ranks: recordings, machines and work; empty when all agree."""
    if len(profiles) < 2:
        return []
    pairs = list(zip(profiles, breakdowns, strict=True))
    checks: list[tuple[str, list[str]]] = [
        ("framework", [profile.framework or "unknown" for profile in profiles]),
        ("format", [profile.format for profile in profiles]),
        ("step source", [breakdown.steps.source.text for _, breakdown in pairs]),
        ("steps", [str(len(breakdown.steps)) for _, breakdown in pairs]),
        ("step numbers", [_range(breakdown) for _, breakdown in pairs]),
        ("devices", [_devices(profile) for profile in profiles]),
        *_settings(profiles),
        *_communication(breakdowns, own),
    ]
    found = [Disagreement(what, tuple(values)) for what, values in checks if len(set(values)) > 1]
    counts = [_operations(profile, breakdown) for profile, breakdown in pairs]
    if max(counts) - min(counts) > _NEARLY * max(counts):
        found.append(Disagreement("operations per step", tuple(f"{count:,.0f}" for count in counts)))
    return found


def _range(breakdown: Breakdown) -> str:
    number = breakdown.steps.number
    return f"{int(number[0])} to {int(number[-1])}"


def _devices(profile: Profile) -> str:
    counts = Counter(device.name or device.kind for device in profile.devices)
    return ", ".join(f"{count} x {name}" if count > 1 else name for name, count in sorted(counts.items())) or "CPU"


def _settings(profiles: Sequence[Profile]) -> list[tuple[str, list[str]]]:
    """Versions, tracer levels and options; what differs by nature, such as times and process ids, is none of them."""
    keys = sorted({key for profile in profiles for key in profile.environment if _is_setting(key)})
    return [(key, [profile.environment.get(key, "none") for profile in profiles]) for key in keys]


def _is_setting(key: str) -> bool:
    return key in _OPTIONS or key.endswith(("version", "_tracer_level"))


def _communication(breakdowns: Sequence[Breakdown], own: Sequence[Sequence[Own]]) -> list[tuple[str, list[str]]]:
    """Collectives a step, by kind: ranks of a pipeline may differ with reason, so they are listed and not corrected."""
    kinds = sorted({one.name for each in own for one in each})
    ranks = [(Counter(one.name for one in each), max(1, len(found.steps))) for each, found in zip(own, breakdowns, strict=True)]
    return [(f"{kind} per step", [digits(counts[kind] / steps, 4) for counts, steps in ranks]) for kind in kinds]


def _operations(profile: Profile, breakdown: Breakdown) -> float:
    spans, bounds = profile.spans, breakdown.steps.bounds
    inside = (spans.start >= bounds[0]) & (spans.start < bounds[-1])
    return float(np.count_nonzero(np.isin(spans.kind, _COUNTED) & inside)) / max(1, len(breakdown.steps))
