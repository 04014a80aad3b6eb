"""Several ranks in the report as one HTML file: in what they differ, every step of each as a heat map, and a table of the ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from stepscope.analyses.communication.disagreements import value_counts
from stepscope.dashboards.profile.html_groups import group_times
from stepscope.dashboards.profile.html_look import HEAT_LEVELS
from stepscope.dashboards.profile.html_words import GROUP_LABELS, rank_label, share_text, time_text, words
from stepscope.session.parts.communication import DisagreementRow
from stepscope.session.parts.report import Report
from stepscope.session.parts.steps import StepRow
from stepscope.session.report.ranks import RankRow

MOST_RANKS = 256
MOST_CELLS = 6_000
"""Each has a title of its own; of more steps a cell is the longest of several."""
MOST_VALUES = 6
_WIDTH, _RIGHT, _BOTTOM = 1000.0, 8.0, 24.0
_LEAST_LEFT, _LETTER = 64.0, 7.0
_WIDEST, _HIGHEST, _LOWEST = 72.0, 24.0, 5.0
_MOST_HEIGHT = 640.0
_NAME_HEIGHT = 14.0
_NAME_LETTERS = 24
_GAP_FROM = 4.0
_LOST = {True: "waiting for other ranks", False: "communication"}
"""What a cell's line is: with waiting told from transfer, and without."""


def rank_differences(found: Sequence[DisagreementRow]) -> str:
    """What is to be read before any mean over ranks; nothing when they agree."""
    if not found:
        return ""
    rows = "".join(f"<dt>{words(each.what)}</dt><dd>{_values(each.values)}</dd>" for each in found)
    title = "Ranks differ; averages hide this"
    return f'<section aria-label="In what the ranks differ"><h2 class="amber">{title}</h2><dl class="two">{rows}</dl></section>'


def _values(values: Sequence[str]) -> str:
    counts = value_counts(values)
    shown = ", ".join(f"{words(value)} on {ranks} {'rank' if ranks == 1 else 'ranks'}" for value, ranks in counts[:MOST_VALUES])
    more = len(counts) - MOST_VALUES
    return f"{shown} and {more:,} more" if more > 0 else shown


def rank_table(report: Report, steps: Mapping[str, Sequence[StepRow]]) -> str:
    """The map of steps, and the ranks' typical steps below it."""
    rows = "".join(
        f'<tr><td class="code wide">{words(rank_label(rank))}{_mark(report, rank)}</td>'
        f'<td class="right">{time_text(rank.step_ms.typical)}</td>'
        f'<td class="right soft">{"–" if rank.waiting_ms is None else time_text(rank.waiting_ms)}</td>'
        f'<td><div class="bar thin" role="img" aria-label="{escape(_shares(rank))}">{group_pieces(rank)}</div></td></tr>'
        for rank in report.ranks[:MOST_RANKS]
    )
    more = len(report.ranks) - MOST_RANKS
    rest = f'<p class="soft">and {more:,} more</p>' if more > 0 else ""
    head = '<th>Rank</th><th class="right">Typical step</th><th class="right">Waits for others</th><th>Parts</th>'
    return f"{_map(report, steps)}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}"


def group_pieces(found: Report | RankRow) -> str:
    """The groups of time as pieces of a bar."""
    return "".join(
        f'<span class="time-{escape(row.group)}" style="flex:{row.share:.5f} 0 0"></span>'
        for row in group_times(found)
        if row.share > 0
    )


def _shares(rank: RankRow) -> str:
    return "; ".join(f"{GROUP_LABELS[row.group]} {share_text(row.share)}" for row in group_times(rank))


def _mark(report: Report, rank: RankRow) -> str:
    if rank.worker == report.waited_for:
        return ' <span class="amber">the others wait for it</span>'
    return ' <span class="soft">slowest</span>' if rank.worker == report.slowest else ""


def _map(report: Report, steps_of: Mapping[str, Sequence[StepRow]]) -> str:
    """Ranks by steps: stronger is longer, and a line in every cell is the part that waits or communicates."""
    ranks = report.ranks[:MOST_RANKS]
    steps = max(len(steps_of[rank.worker]) for rank in ranks)
    if steps < 1:
        return ""
    each = -(-steps // max(1, MOST_CELLS // len(ranks)))
    columns = -(-steps // each)
    split = all(rank.waiting_ms is not None for rank in ranks)
    low, high = _ends([steps_of[rank.worker] for rank in ranks])
    names = [_cut(rank_label(rank)) for rank in ranks]
    left = max(_LEAST_LEFT, _LETTER * max(map(len, names)) + 8)
    grid = _Grid(left, min(_WIDEST, (_WIDTH - left - _RIGHT) / columns), max(_LOWEST, min(_HIGHEST, _MOST_HEIGHT / len(ranks))))
    cells: list[str] = []
    lines: list[str] = []
    for place, rank in enumerate(ranks):
        own = steps_of[rank.worker]
        for column, first in enumerate(range(0, len(own), each)):
            step = max(own[first : first + each], key=lambda one: one.ms)
            lost = _lost(step, split=split)
            title = f"{rank_label(rank)}, step {step.step}: {time_text(step.ms)}, {share_text(lost)} {_LOST[split]}"
            cells.append(grid.cell(place, column, (step.ms - low) / (high - low), title))
            lines.append(grid.line(place, column, lost))
    marked = [grid.outline(place, columns) for place, rank in enumerate(ranks) if rank.worker == (report.waited_for or report.slowest)]
    longest = max((steps_of[rank.worker] for rank in ranks), key=len)
    drawn = (
        f'{"".join(cells)}<path class="time-communication" d="{"".join(lines)}"/>{"".join(marked)}'
        f"{grid.names(names)}{grid.ends(len(ranks), columns, longest[0].step, longest[-1].step)}"
    )
    size = f"0 0 {_WIDTH:g} {len(ranks) * grid.high + _BOTTOM:.1f}"
    return (
        f'<p class="soft">{_about(report, low, high, each, split=split)}</p>'
        f'<svg class="ranks" viewBox="{size}" role="img" aria-label="{len(ranks)} ranks by {steps} steps">{drawn}</svg>'
    )


@dataclass(frozen=True, slots=True)
class _Grid:
    """Where cells lie: right of the names, each so wide and high."""

    left: float
    wide: float
    high: float

    @property
    def _inner(self) -> float:
        return max(0.5, self.wide - (1 if self.wide >= _GAP_FROM else 0))

    def cell(self, row: int, column: int, share: float, title: str) -> str:
        """A step; `share` is its place on the scale."""
        level = min(HEAT_LEVELS - 1, max(0, int(share * HEAT_LEVELS)))
        place = f'x="{self.left + column * self.wide:.1f}" y="{row * self.high:.1f}"'
        size = f'width="{self._inner:.1f}" height="{self.high - 1:.1f}"'
        return f'<rect class="heat{level}" {place} {size}><title>{words(title)}</title></rect>'

    def line(self, row: int, column: int, lost: float) -> str:
        """The lost part of a cell along its lower edge."""
        if lost <= 0:
            return ""
        wide, thick = self._inner * lost, max(1.0, min(4.0, self.high / 4))
        top = (row + 1) * self.high - 1 - thick
        return f"M{self.left + column * self.wide:.1f} {top:.1f}h{wide:.2f}v{thick:.1f}h{-wide:.2f}z"

    def outline(self, row: int, columns: int) -> str:
        """Around the rank to look at."""
        place = f'x="{self.left - 1:.1f}" y="{row * self.high:.1f}"'
        return f'<rect class="outlined" {place} width="{columns * self.wide + 1:.1f}" height="{self.high:.1f}"/>'

    def names(self, names: Sequence[str]) -> str:
        """Of all ranks, or of as many as have room."""
        every = math.ceil(_NAME_HEIGHT / self.high)
        x = f'x="{self.left - 8:.1f}" text-anchor="end"'
        return "".join(
            f'<text {x} y="{(place + 0.5) * self.high + 4:.1f}">{words(name)}</text>'
            for place, name in enumerate(names)
            if place % every == 0
        )

    def ends(self, rows: int, columns: int, first: int, last: int) -> str:
        """The first and the last step below the cells; one of them where there is no room for both."""
        y, right = f'y="{rows * self.high + _BOTTOM - 6:.1f}"', self.left + columns * self.wide
        start = f'<text x="{self.left:.1f}" {y}>step {first}</text>'
        return start if right - self.left < 2 * _WIDEST else f'{start}<text x="{right:.1f}" {y} text-anchor="end">step {last}</text>'


def _cut(name: str) -> str:
    return name if len(name) <= _NAME_LETTERS else f"…{name[1 - _NAME_LETTERS :]}"


def _about(report: Report, low: float, high: float, each: int, *, split: bool) -> str:
    part = "only waits for other ranks" if split else "goes to communication"
    if report.waited_for:
        whom = f" The others wait for {words(report.waited_for)}."
    elif report.slowest:
        whom = f" {words(report.slowest)} is the slowest."
    else:
        whom = f" {words(report.ranks_text)}"
    longest = f" A cell is the longest of {each} steps." if each > 1 else ""
    return (
        f"Every step of every rank, stronger the longer it took: {time_text(low)} to {time_text(high)}. The line is the part that "
        f'<span class="swatch time-communication"></span>{part}.{whom}{longest}'
    )


def _ends(ranks: Sequence[Sequence[StepRow]]) -> tuple[float, float]:
    """The shortest and longest typical step: what is beyond takes the end of the scale."""
    typical = [step.ms for steps in ranks for step in steps if step.typical] or [0.0]
    low, high = min(typical), max(typical)
    return (low, high) if high > low else (0.99 * low, 1.01 * low + 1e-9)


def _lost(step: StepRow, *, split: bool) -> float:
    ms = (step.waiting_ms or 0.0) if split else step.parts.comm
    return min(1.0, ms / step.ms) if step.ms > 0 else 0.0
