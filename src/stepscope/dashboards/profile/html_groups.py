"""The six groups of a step with the classes inside them, as the report as one HTML file draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stepscope.analyses.time_classes import GROUP_OF, Group, TimeClass
from stepscope.session.parts.report import Report
from stepscope.session.report.ranks import RankRow
from stepscope.session.step_rows import StepParts


@dataclass(frozen=True, slots=True)
class PartTime:
    """A class of time inside a group: exclusive, and overlapped by what has precedence."""

    part: TimeClass
    ms: float
    overlapped_ms: float


@dataclass(frozen=True, slots=True)
class GroupTime:
    """One of the six groups of a typical step."""

    group: str
    ms: float
    share: float
    parts: Sequence[PartTime]


def group_times(found: Report | RankRow) -> list[GroupTime]:
    """Of all workers or one; a class without any time is left out."""
    parts = [PartTime(each, getattr(found.parts, each.key), getattr(found.overlapped, each.key)) for each in TimeClass]
    times: list[GroupTime] = []
    for group, ms in zip(Group, group_ms(found.parts), strict=True):
        inside = [part for part in parts if GROUP_OF[part.part] is group and (part.ms > 0 or part.overlapped_ms > 0)]
        times.append(GroupTime(group.key, ms, getattr(found.breakdown, group.key), inside))
    return times


def group_ms(parts: StepParts) -> list[float]:
    """Milliseconds of the six groups, in their order."""
    return [sum(float(getattr(parts, each.key)) for each in TimeClass if GROUP_OF[each] is group) for group in Group]
