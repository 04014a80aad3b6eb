"""Two sessions, or two ranges of one, compared: what the route takes and answers, in milliseconds of a typical step."""

from __future__ import annotations

from dataclasses import replace

from msgspec import Struct

from stepscope.analyses.compare.comparison import Comparison, RowDifference, compare
from stepscope.analyses.compare.noise import Difference
from stepscope.analyses.compare.rows import CompareBy
from stepscope.analyses.ranges.chosen import choose, parse_range
from stepscope.analyses.summary import Summary, summarise
from stepscope.analyses.time_classes import Group
from stepscope.dashboards.profile.messages import RangeText, ReadingRow, SessionText, StepsText
from stepscope.model.errors import BadInput
from stepscope.queries.profiles import Opened, SessionOfRun

MOST_ROWS = 300
_MS = 1e6


class CompareRequest(Struct, frozen=True):
    """`session` is compared with `against`, which came before; ranges are of each, and `steps` names their source of steps on both."""

    session: SessionText
    against: SessionText
    by: CompareBy = CompareBy.OP
    steps: StepsText = ""
    range: RangeText = ""
    against_range: RangeText = ""


class DifferenceRow(Struct, frozen=True):
    """Before and after; `noise_ms` is what the difference may be by chance, null with too few steps to tell."""

    before_ms: float
    after_ms: float
    change: float | None
    noise_ms: float | None
    beyond_noise: bool | None


class GroupDifference(Struct, frozen=True):
    """One of the six groups."""

    group: str
    difference: DifferenceRow


class CompareRow(Struct, frozen=True):
    """An operation, module or kernel; `change` is new, gone, count, time, both, waited_for or none."""

    name: str
    kind: str
    on_device: bool
    change: str
    exposed: DifferenceRow
    busy: DifferenceRow
    count_before: float
    count_after: float


class PeakRow(Struct, frozen=True):
    """The most that one memory held, null where a recording has nothing of it."""

    memory: str
    before_bytes: int | None
    after_bytes: int | None


class SettingRow(Struct, frozen=True):
    """Something that differs beside the times; empty where a recording does not tell it."""

    setting: str
    before: str
    after: str


class ComparisonRow(Struct, frozen=True):
    """Rows are sorted by how much more or less of them is waited for; `refused` says why there are none."""

    sentence: str
    slower: bool | None
    steps_before: int
    steps_after: int
    range_before: str | None
    range_after: str | None
    step: DifferenceRow
    groups: list[GroupDifference]
    by: str
    rows: list[CompareRow]
    total: int
    refused: str | None
    peaks: list[PeakRow]
    settings: list[SettingRow]


class CompareAnswer(Struct, frozen=True):
    """The comparison, or how far reading both has come."""

    epoch: int
    reading: ReadingRow | None
    comparison: ComparisonRow | None


def both(after: SessionOfRun, before: SessionOfRun, request: CompareRequest) -> SessionOfRun:
    """The files of both sessions as one thing to read. Raises BadInput for what cannot be compared."""
    for text in filter(None, (request.range, request.against_range)):
        parse_range(text)
    if after.session.id == before.session.id and request.range == request.against_range:
        raise BadInput("A profile is compared with another one, or with another range of itself; choose one.", "same_profile")
    files = tuple(dict.fromkeys([*before.session.files, *after.session.files]))
    return SessionOfRun(after.run, replace(after.session, id=f"{after.session.id} and {before.session.id}", files=files))


def compared(opened: Opened, after: SessionOfRun, before: SessionOfRun, request: CompareRequest) -> ComparisonRow:
    """Each side summarised by itself, and their difference. Raises BadInput."""
    sides = [_side(opened, of, text, request.steps) for of, text in ((before, request.against_range), (after, request.range))]
    return _comparison(compare(sides[0], sides[1], request.by), sides)


def _side(opened: Opened, of: SessionOfRun, text: str, steps: str) -> Summary:
    mine = set(of.session.files)
    profiles = [profile for file, profile in zip(opened.files, opened.profiles, strict=True) if file in mine]
    if not profiles:
        raise BadInput(f"No file of the session {of.session.name} can be read; choose another one.", "unreadable")
    return summarise(choose(profiles, text, steps or None), steps or None)


def _comparison(found: Comparison, sides: list[Summary]) -> ComparisonRow:
    before, after = (side.profiles[0].part for side in sides)
    return ComparisonRow(
        sentence=found.sentence,
        slower=found.slower,
        steps_before=found.steps[0],
        steps_after=found.steps[1],
        range_before=before.text if before else None,
        range_after=after.text if after else None,
        step=_difference(found.step),
        groups=[GroupDifference(group.key, _difference(each)) for group, each in zip(Group, found.groups, strict=True)],
        by=found.by.value,
        rows=[_row(row) for row in found.rows[:MOST_ROWS]],
        total=len(found.rows),
        refused=found.rows_refused or None,
        peaks=[PeakRow(peak.name, peak.before, peak.after) for peak in found.peaks],
        settings=[SettingRow(each.name, each.before, each.after) for each in found.settings],
    )


def _difference(found: Difference) -> DifferenceRow:
    noise = None if found.noise_ns is None else found.noise_ns / _MS
    return DifferenceRow(found.before_ns / _MS, found.after_ns / _MS, found.change, noise, found.beyond_noise)


def _row(row: RowDifference) -> CompareRow:
    return CompareRow(
        row.name, row.kind, row.on_device, row.change.value, _difference(row.exposed), _difference(row.busy), row.count_before,
        row.count_after,
    )  # fmt: skip
