"""Why the device is idle, in the report as one HTML file: causes, and below each the names that have most of it."""

from __future__ import annotations

from html import escape

from stepscope.dashboards.profile import messages as m
from stepscope.dashboards.profile.html_words import share_text, time_text, words

_HEAD = '<th>Cause</th><th class="right">Gaps a step</th><th class="right">Time</th><th class="right">Share</th>'


def idle_table(idle: m.IdleRow, about: str) -> str:
    """`about` says of whom, where there are several ranks."""
    body = "".join(_cause(one) for one in idle.causes)
    said = f"{about}{time_text(idle.ms)} of a typical step, {share_text(idle.share)}; by what the time belongs to."
    return f'<p class="soft">{words(said)}</p><table><thead><tr>{_HEAD}</tr></thead><tbody>{body}</tbody></table>'


def _cause(one: m.IdleCauseRow) -> str:
    names = "".join(
        f'<tr><td class="code wide" style="padding-left:22px">{words(name.name)}{_stack(name)}</td>{_numbers(name)}</tr>'
        for name in one.names
    )
    title = f'<span class="swatch time-{escape(one.group)}"></span>{words(one.title)}'
    return f'<tr title="{words(one.means)}"><td>{title}</td>{_numbers(one)}</tr>{names}'


def _stack(name: m.IdleNameRow) -> str:
    return f'<div class="soft small">in {words(" in ".join(name.stack))}</div>' if name.stack else ""


def _numbers(row: m.IdleCauseRow | m.IdleNameRow) -> str:
    gaps = f"{row.gaps_per_step:,.0f}" if row.gaps_per_step >= 10 else f"{row.gaps_per_step:.1f}"
    return (
        f'<td class="right soft">{gaps}</td><td class="right">{time_text(row.ms)}</td>'
        f'<td class="right soft">{share_text(row.share)}</td>'
    )
