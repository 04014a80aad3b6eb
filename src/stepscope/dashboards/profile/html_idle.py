"""Why the device is idle, in the report as one HTML file: causes, and below each the names that have most of it."""

from __future__ import annotations

from stepscope.dashboards.profile.html_words import share_text, time_text, words
from stepscope.session.report.idle import IdleCauseRow, IdleName, IdleTime

SMALL = 0.005
"""Of a step: names with less are not listed."""
MOST_NAMES = 3
_HEAD = '<th>Cause</th><th class="right">Gaps/step</th><th class="right">Time</th><th class="right">Share</th>'


def idle_table(idle: IdleTime, about: str) -> str:
    """`about` says of whom, where there are several ranks."""
    body = "".join(_cause(one) for one in idle.causes)
    said = f"{about}{time_text(idle.ms)} of a typical step, {share_text(idle.share)}; by what the time belongs to."
    return f'<p class="soft">{words(said)}</p><table><thead><tr>{_HEAD}</tr></thead><tbody>{body}</tbody></table>'


def _cause(one: IdleCauseRow) -> str:
    names = "".join(
        f'<tr><td class="code wide" style="padding-left:22px">{words(name.name)}{_stack(name)}</td>{_numbers(name)}</tr>'
        for name in [each for each in one.names if each.share >= SMALL][:MOST_NAMES]
    )
    title = f'<span class="swatch time-{one.group.value}"></span>{words(one.title)}'
    return f'<tr title="{words(one.means)}"><td>{title}</td>{_numbers(one)}</tr>{names}'


def _stack(name: IdleName) -> str:
    return f'<div class="soft small">in {words(" in ".join(name.stack))}</div>' if name.stack else ""


def _numbers(row: IdleCauseRow | IdleName) -> str:
    gaps = f"{row.gaps_per_step:,.0f}" if row.gaps_per_step >= 10 else f"{row.gaps_per_step:.1f}"
    return (
        f'<td class="right soft">{gaps}</td><td class="right">{time_text(row.ms)}</td>'
        f'<td class="right soft">{share_text(row.share)}</td>'
    )
