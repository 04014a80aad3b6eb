"""Two sessions, or two ranges of one, compared: what got slower in a typical step, and whether that is more than noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.compare.comparison import Comparison as Found
from stepscope.analyses.compare.comparison import RowDifference, compare
from stepscope.analyses.compare.rows import CompareBy
from stepscope.analyses.noise import Difference
from stepscope.analyses.ranges.text import LONGEST_RANGE
from stepscope.analyses.time_classes import DEFINITIONS, Group
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Limit, limited
from stepscope.session.part import Answer, Wanted
from stepscope.session.several import SeveralPart


class CompareWanted(Wanted, frozen=True, kw_only=True):
    """What makes a row, and which range of the profile before is compared with `range` of the profile after."""

    by: Annotated[CompareBy, d.text("What makes one row.")] = CompareBy.OP
    against_range: Annotated[str, Meta(max_length=LONGEST_RANGE, description="Range of the profile before; empty: everything.")] = ""
    limit: Limit = 0


class DifferenceRow(Struct, frozen=True):
    """A time before and after."""

    before_ms: Annotated[float, d.ms("Before.")]
    after_ms: Annotated[float, d.ms("After.")]
    change_ms: Annotated[float, d.ms("After minus before.")]
    change: Annotated[float | None, d.fraction("Change as a share of before; null when there was nothing before.")]
    noise_ms: Annotated[float | None, d.ms("Difference that noise alone explains; null with too few steps.")]
    beyond_noise: Annotated[bool | None, d.flag("Whether the difference exceeds noise; null with too few steps.")]


class GroupDifference(Struct, frozen=True):
    """One group of the step breakdown before and after."""

    group: Annotated[str, d.text("Group of the step breakdown.")]
    difference: Annotated[DifferenceRow, d.nested("Its time in a typical step.")]


class CompareRow(Struct, frozen=True, kw_only=True):
    """An operation, module or kernel in a typical step before and after."""

    name: Annotated[str, d.text("Name.")]
    kind: Annotated[str, d.text("Span category.")]
    on_device: Annotated[bool, d.flag("Whether it runs on a device.")]
    change: Annotated[str, d.text("Why it differs: new, gone, count, time, both, waited_for, or none when within noise.")]
    exposed: Annotated[DifferenceRow, d.nested("Time that the step waits for it.")]
    busy: Annotated[DifferenceRow, d.nested("Time that it runs.")]
    count_before: Annotated[float, d.number("Executions per step before.", "per step")]
    count_after: Annotated[float, d.number("Executions per step after.", "per step")]
    per_call_before_us: Annotated[float | None, d.us("Duration of one execution before; null when there was none.")]
    per_call_after_us: Annotated[float | None, d.us("Duration of one execution after; null when there is none.")]


class PeakRow(Struct, frozen=True):
    """Peak of one memory before and after."""

    memory: Annotated[str, d.text("Memory, such as `GPU 0`.")]
    before_bytes: Annotated[int | None, d.size("Peak before; null when not recorded.")]
    after_bytes: Annotated[int | None, d.size("Peak after; null when not recorded.")]


class SettingRow(Struct, frozen=True):
    """Something else that differs."""

    setting: Annotated[str, d.text("What differs.")]
    before: Annotated[str, d.text("Value before; empty when not recorded.")]
    after: Annotated[str, d.text("Value after; empty when not recorded.")]


class Comparison(Answer, frozen=True, kw_only=True):
    """What got slower and faster from one profile to another. Times are of a typical step."""

    definitions: Annotated[int, d.number("Version of the definitions behind all numbers.", "version")]
    sentence: Annotated[str, d.text("The result in one or two sentences.")]
    before_ms: Annotated[float, d.ms("Typical step time before.")]
    after_ms: Annotated[float, d.ms("Typical step time after.")]
    change: Annotated[float | None, d.fraction("Change of the step time as a share of before.")]
    noise: Annotated[float | None, d.fraction("Change that noise alone explains; null with too few steps.")]
    is_slower: Annotated[bool | None, d.flag("Whether a step is slower by more than noise; null with too few steps.")]
    slower: Annotated[list[CompareRow], d.nested("Rows that got slower by more than noise, largest change first.")]
    faster: Annotated[list[CompareRow], d.nested("Rows that got faster by more than noise, largest change first.")]
    steps_before: Annotated[int, d.count("Typical steps before.")]
    steps_after: Annotated[int, d.count("Typical steps after.")]
    files_before: Annotated[list[str], d.nested("Files of the profile before.")]
    files_after: Annotated[list[str], d.nested("Files of the profile after.")]
    range_before: Annotated[str | None, d.text("The chosen range before in words; null when everything is used.")]
    range_after: Annotated[str | None, d.text("The chosen range after in words; null when everything is used.")]
    step: Annotated[DifferenceRow, d.nested("The typical step.")]
    groups: Annotated[list[GroupDifference], d.nested("The groups of the step breakdown.")]
    by: Annotated[str, d.text("What makes one row.")]
    rows: Annotated[list[CompareRow], d.nested("All rows, by how much more or less of them the step waits for.")]
    total: Annotated[int, d.count("Number of all rows; at most `limit` are listed.")]
    rows_refused: Annotated[str | None, d.text("Why only groups are compared; null when rows are.")]
    peaks: Annotated[list[PeakRow], d.nested("Memory peaks.")]
    settings: Annotated[list[SettingRow], d.nested("What else differs between the profiles.")]


def _choices(wanted: CompareWanted, _: int) -> Sequence[Wanted]:
    return Wanted(steps=wanted.steps, range=wanted.against_range), Wanted(steps=wanted.steps, range=wanted.range)


def _make(sessions: Sequence[AnalysedSession], wanted: CompareWanted) -> Comparison:
    before, after = sessions
    found = compare(before.summary, after.summary, wanted.by)
    rows = [_row(row) for row in found.rows]
    return Comparison(
        definitions=DEFINITIONS,
        sentence=found.sentence,
        before_ms=found.step.before_ns / 1e6,
        after_ms=found.step.after_ns / 1e6,
        change=found.step.change,
        noise=_noise(found),
        is_slower=found.slower,
        slower=_moved(rows, 1),
        faster=_moved(rows, -1),
        steps_before=found.steps[0],
        steps_after=found.steps[1],
        files_before=[profile.path for profile in before.profiles],
        files_after=[profile.path for profile in after.profiles],
        range_before=before.range_text,
        range_after=after.range_text,
        step=_difference(found.step),
        groups=[GroupDifference(group.key, _difference(each)) for group, each in zip(Group, found.groups, strict=True)],
        by=found.by.value,
        rows=limited(rows, wanted.limit),
        total=len(rows),
        rows_refused=found.rows_refused or None,
        peaks=[PeakRow(peak.name, peak.before, peak.after) for peak in found.peaks],
        settings=[SettingRow(each.name, each.before, each.after) for each in found.settings],
    )


def _noise(found: Found) -> float | None:
    """What a change must exceed to be more than noise, as a share of the step before."""
    return None if found.step.noise_ns is None or not found.step.before_ns else found.step.noise_ns / found.step.before_ns


def _difference(found: Difference) -> DifferenceRow:
    return fill(DifferenceRow, found)


def _row(row: RowDifference) -> CompareRow:
    before, after = (None if each is None else each / 1e3 for each in row.per_call_ns)
    exposed, busy = _difference(row.exposed), _difference(row.busy)
    return fill(CompareRow, row, exposed=exposed, busy=busy, per_call_before_us=before, per_call_after_us=after)


def _moved(rows: Sequence[CompareRow], sign: int) -> list[CompareRow]:
    """Rows that the step waits for more (1) or less (-1) by more than noise, largest change first."""
    changed = [row for row in rows if row.change != "none" and sign * row.exposed.change_ms > 0]
    return sorted(changed, key=lambda row: -abs(row.exposed.change_ms))


COMPARE = SeveralPart("compare", "Compare", CompareWanted, Comparison, _choices, _make)
