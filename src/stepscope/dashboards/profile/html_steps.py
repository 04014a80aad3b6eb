"""The strip of steps in the report as one HTML file: a stacked column each, the median as a line, and who is not typical."""

from __future__ import annotations

from collections.abc import Sequence

from stepscope.analyses.texts import part_text
from stepscope.analyses.time_classes import Group, TimeClass
from stepscope.dashboards.profile.html_groups import group_ms
from stepscope.dashboards.profile.html_words import rank_label, time_text, words
from stepscope.session.parts.steps import StepRow
from stepscope.session.report.ranks import RankRow

MOST_COLUMNS = 400
MOST_SLOW = 12
_WIDTH, _HEIGHT = 1000, 180
_LEFT, _TOP, _BOTTOM, _RIGHT = 64, 16, 24, 8
_WIDEST = 72
_FULL = 0.92
"""The longest step leaves a little room above it."""


def step_strip(rank: RankRow, steps: Sequence[StepRow], *, several: bool) -> str:
    """The picture and, below it, the steps that are not typical."""
    columns, each = _columns(steps)
    longest = max(step.ms for step in columns) or 1.0
    plot = _HEIGHT - _TOP - _BOTTOM
    wide = min(_WIDEST, (_WIDTH - _LEFT - _RIGHT) / len(columns))
    right = _LEFT + wide * len(columns)
    gap = 1.0 if wide > 4 else 0.0
    scale = _FULL * plot / longest
    paths = dict.fromkeys(Group, "")
    for place, step in enumerate(columns):
        bottom, left = float(_HEIGHT - _BOTTOM), _LEFT + place * wide
        for group, ms in zip(Group, group_ms(step.parts), strict=True):
            high = ms * scale
            if high > 0:
                bottom -= high
                paths[group] += f"M{left:.1f} {bottom:.1f}h{wide - gap:.1f}v{high:.1f}h{gap - wide:.1f}z"
    drawn = "".join(f'<path class="time-{group.key}" d="{path}"/>' for group, path in paths.items() if path)
    median = _HEIGHT - _BOTTOM - rank.step_ms.median * scale
    about = f"{len(steps)} steps{f' of {rank_label(rank)}' if several else ''}, median {time_text(rank.step_ms.median)}"
    note = f"; a column is the longest of {each}" if each > 1 else ""
    return (
        f'<p class="soft">{words(about + note)}.</p>'
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{words(about)}">{drawn}'
        f'<line class="median" x1="{_LEFT}" x2="{right:.1f}" y1="{median:.1f}" y2="{median:.1f}"/>'
        f'<text x="{_LEFT - 8}" y="{median + 4:.1f}" text-anchor="end">{time_text(rank.step_ms.median)}</text>'
        f'<text x="{_LEFT}" y="{_HEIGHT - 6}">step {columns[0].step}</text>'
        f'<text x="{right:.1f}" y="{_HEIGHT - 6}" text-anchor="end">step {columns[-1].step}</text></svg>{_slow(steps)}'
    )


def _columns(steps: Sequence[StepRow]) -> tuple[list[StepRow], int]:
    """The steps to draw: all of them, or the longest of as many as make a column."""
    each = -(-len(steps) // MOST_COLUMNS)
    if each == 1:
        return list(steps), 1
    return [max(steps[first : first + each], key=lambda step: step.ms) for first in range(0, len(steps), each)], each


def _slow(steps: Sequence[StepRow]) -> str:
    slow = [step for step in steps if step.grew_ms is not None]
    if not slow:
        return ""
    listed = "".join(f"<li>{_slow_text(step)}</li>" for step in slow[:MOST_SLOW])
    more = len(slow) - MOST_SLOW
    rest = f"<li>and {more:,} more</li>" if more > 0 else ""
    return f'<p class="soft">Outlier steps:</p><ul class="plain">{listed}{rest}</ul>'


def _slow_text(step: StepRow) -> str:
    part = next((part_text(each) for each in TimeClass if each.key == step.grew), step.grew)
    change = step.grew_ms or 0.0
    sign = "+" if change >= 0 else "−"
    return f"step {step.step}, {time_text(step.ms)}: {sign}{time_text(abs(change))} {words(part)}"
