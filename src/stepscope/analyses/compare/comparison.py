"""Two recordings, or two ranges of one: what got slower in a typical step, by how much, and whether that is more than noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from stepscope.analyses.breakdown import group_sums
from stepscope.analyses.compare.rows import CompareBy, Measured, RowKey, measured_rows
from stepscope.analyses.compare.settings import Setting, devices_of, different_settings
from stepscope.analyses.memory.ledger import MatchedBy, ledgers
from stepscope.analyses.noise import BETWEEN_RECORDINGS, FEWEST_STEPS, Difference, Estimate, difference, estimate
from stepscope.analyses.session.summary import Summary
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import Group
from stepscope.model.profile import Float64

_WORTH_A_ROW = 0.005
"""Of a step: rows that differ by less are never called changed, since hundreds of them are looked at."""
_SURE_OF_ROWS = 0.999
_SURE_OF_GROUPS = 0.99
_SAME_COUNT = 0.01
_MOST_ROWS = 500


class Change(StrEnum):
    """Why a row differs."""

    NEW = "new"  # in every typical step after, and in none before
    GONE = "gone"
    COUNT = "count"  # it runs more or less often
    TIME = "time"  # each execution takes longer or shorter
    BOTH = "both"
    WAITED_FOR = "waited_for"  # it takes the same, and more or less of it is waited for
    NONE = "none"  # no difference beyond noise


@dataclass(frozen=True, slots=True)
class RowDifference:
    """One operation, module or kernel in a typical step; `exposed` is what the step waits for, `busy` what it takes in sum."""

    name: str
    on_device: bool
    kind: str
    exposed: Difference
    busy: Difference
    count_before: float  # executions in a typical step
    count_after: float
    change: Change

    @property
    def per_call_ns(self) -> tuple[float | None, float | None]:
        """What one execution takes, before and after."""
        return (
            self.busy.before_ns / self.count_before if self.count_before else None,
            self.busy.after_ns / self.count_after if self.count_after else None,
        )


@dataclass(frozen=True, slots=True)
class PeakDifference:
    """The most that was held in one memory, in bytes; None where a recording has nothing of it."""

    name: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything is of a typical step; rows are sorted by how much more or less of them is waited for."""

    step: Difference
    groups: tuple[Difference, ...]  # per Group
    rows: tuple[RowDifference, ...]
    by: CompareBy
    rows_refused: str  # why only the six groups are compared; empty when rows are
    peaks: tuple[PeakDifference, ...]
    settings: tuple[Setting, ...]
    steps: tuple[int, int]  # typical steps on each side

    @property
    def slower(self) -> bool | None:
        """More than noise allows; None: too few steps to tell."""
        beyond = self.step.beyond_noise
        return None if beyond is None else beyond and self.step.change_ns > 0

    @property
    def sentence(self) -> str:
        """What a step takes now, whether that is a difference, and what most of it is."""
        step = self.step
        times = f"Step time is {milliseconds(step.after_ns)} instead of {milliseconds(step.before_ns)}"
        if step.beyond_noise is None:
            few = f"{self.steps[0]} before and {self.steps[1]} after; {FEWEST_STEPS} on each side are needed"
            return f"{times}, but there are too few typical steps to separate this from noise ({few})."
        noise = f"the noise of ± {milliseconds(step.noise_ns or 0.0)}"
        if not step.beyond_noise:
            return f"{times}: no difference beyond {noise}."
        word = "slower" if step.change_ns > 0 else "faster"
        share = "" if step.change is None else f"{100 * abs(step.change):.1f}% "
        return f"{times}: {share}{word}, more than {noise}.{self._main_group()}"

    def fails(self, limit: float) -> bool:
        """Whether a step is slower by more than noise and by more than this fraction."""
        return bool(self.slower) and (self.step.change is None or self.step.change > limit)

    def _main_group(self) -> str:
        sign = 1 if self.step.change_ns > 0 else -1
        changes = [sign * each.change_ns if each.beyond_noise else 0.0 for each in self.groups]
        worst = int(np.argmax(changes))
        if changes[worst] <= 0:
            return ""
        change = self.groups[worst].change_ns
        return f" Most of it is {GROUP_WORDS[Group(worst)]}: {'+' if change > 0 else '−'}{milliseconds(abs(change))}."


GROUP_WORDS = {
    Group.COMPUTE: "compute",
    Group.COMMUNICATION: "communication",
    Group.COPY: "copying",
    Group.INPUT_WAIT: "waiting for input",
    Group.HOST: "waiting for the host",
    Group.UNTRACED: "time not covered by the trace",
}


def compare(before: Summary, after: Summary, by: CompareBy = CompareBy.OP) -> Comparison:
    """Means over typical steps are compared, never means over all steps."""
    step = _difference(before, after, _lengths, BETWEEN_RECORDINGS, 0.95)
    least = _WORTH_A_ROW * max(step.before_ns, step.after_ns)
    groups = tuple(
        difference(estimate(_of_group(before, group)), estimate(_of_group(after, group)), least, _SURE_OF_GROUPS) for group in Group
    )
    refused = _refused(before, after)
    return Comparison(
        step=step,
        groups=groups,
        rows=() if refused else _rows(before, after, by, least),
        by=by,
        rows_refused=refused,
        peaks=_peaks(before, after),
        settings=different_settings(before, after),
        steps=(_fewest(before), _fewest(after)),
    )


def _difference(before: Summary, after: Summary, values: Callable[[Summary], list[Float64]], least: float, within: float) -> Difference:
    one, other = estimate(values(before)), estimate(values(after))
    return difference(one, other, least * max(one.mean, other.mean), within)


def _lengths(found: Summary) -> list[Float64]:
    return [each.steps.length[list(each.typical)].astype(np.float64) for each in found.breakdowns]


def _of_group(found: Summary, group: Group) -> list[Float64]:
    return [group_sums(each.parts)[list(each.typical), group] for each in found.breakdowns]


def _fewest(found: Summary) -> int:
    return min(len(each.typical) for each in found.breakdowns)


def _refused(before: Summary, after: Summary) -> str:
    frameworks = [found.profiles[0].framework or "an unknown framework" for found in (before, after)]
    if frameworks[0] != frameworks[1]:
        return f"One is of {frameworks[0]} and the other of {frameworks[1]}, so only the six groups compare."
    devices = devices_of(before), devices_of(after)
    if devices[0] != devices[1]:
        return f"One ran on {devices[0]} and the other on {devices[1]}, so only the six groups compare."
    return ""


def _rows(before: Summary, after: Summary, by: CompareBy, least_ns: float) -> tuple[RowDifference, ...]:
    sides = [_measured(found, by) for found in (before, after)]
    keys = dict.fromkeys([*sides[0], *sides[1]])
    found = [_row(key, sides[0].get(key), sides[1].get(key), [_empty(each) for each in (before, after)], least_ns) for key in keys]
    return tuple(sorted(found, key=_how_much)[:_MOST_ROWS])


def _how_much(row: RowDifference) -> tuple[bool, float, float, str]:
    return (row.change is Change.NONE, -abs(row.exposed.change_ns), -abs(row.busy.change_ns), row.name)


def _measured(found: Summary, by: CompareBy) -> dict[RowKey, list[Measured]]:
    """Every rank's measures of each row; a rank without a row spends nothing in it."""
    ranks = [measured_rows(profile, breakdown, by) for profile, breakdown in zip(found.profiles, found.breakdowns, strict=True)]
    empty = _empty(found)
    return {
        key: [rank.get(key, nothing) for rank, nothing in zip(ranks, empty, strict=True)]
        for key in dict.fromkeys(key for rank in ranks for key in rank)
    }


def _empty(found: Summary) -> list[Measured]:
    zeros = [np.zeros(len(each.typical)) for each in found.breakdowns]
    return [Measured(each, each, each, "") for each in zeros]


def _row(
    key: RowKey, before: list[Measured] | None, after: list[Measured] | None, empty: Sequence[list[Measured]], least_ns: float
) -> RowDifference:
    one, other = before or empty[0], after or empty[1]
    exposed = difference(_over(one, "exposed"), _over(other, "exposed"), least_ns, _SURE_OF_ROWS)
    busy = difference(_over(one, "busy"), _over(other, "busy"), least_ns, _SURE_OF_ROWS)
    counts = _over(one, "count").mean, _over(other, "count").mean
    kind = next(each.kind for each in [*other, *one] if each.kind)
    always = [min(float(each.count.min(initial=1.0)) for each in side) >= 1 for side in (one, other)]
    told = exposed.noise_ns is not None
    if told and ((always[0] and not counts[1]) or (always[1] and not counts[0])):
        change = Change.NEW if counts[1] else Change.GONE
    else:
        change = _change(exposed, busy, *counts)
    return RowDifference(key.name, key.on_device, kind, exposed, busy, *counts, change)


def _over(ranks: Sequence[Measured], column: str) -> Estimate:
    return estimate([getattr(each, column) for each in ranks])


def _change(exposed: Difference, busy: Difference, count_before: float, count_after: float) -> Change:
    if not exposed.beyond_noise and not busy.beyond_noise:
        return Change.NONE
    if not count_before or not count_after:
        return Change.NEW if count_after else Change.GONE
    if not busy.beyond_noise:
        return Change.WAITED_FOR
    counted = abs(count_after - count_before) > _SAME_COUNT * count_before
    by_count = (count_after - count_before) * busy.before_ns / count_before
    timed = abs(busy.change_ns - by_count) > max(busy.noise_ns or 0.0, _SAME_COUNT * busy.before_ns)
    return Change.BOTH if counted and timed else Change.COUNT if counted else Change.TIME


def _peaks(before: Summary, after: Summary) -> tuple[PeakDifference, ...]:
    """The largest over ranks, by memory."""
    one, other = _peak_bytes(before), _peak_bytes(after)
    return tuple(PeakDifference(name, one.get(name), other.get(name)) for name in dict.fromkeys([*one, *other]))


def _peak_bytes(found: Summary) -> dict[str, int]:
    peaks: dict[str, int] = {}
    for profile in found.profiles:
        for ledger in ledgers(profile):
            if len(ledger.level) and ledger.matched_by is not MatchedBy.SUMS:
                peaks[ledger.name] = max(peaks.get(ledger.name, 0), int(ledger.level.max()))
    return peaks
