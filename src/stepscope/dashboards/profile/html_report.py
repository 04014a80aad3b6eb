"""The overview of a session as one HTML file: nothing is fetched, nothing runs, and every word of a recording is escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape

from stepscope.analyses.summary import part_text
from stepscope.analyses.time_classes import TimeClass
from stepscope.dashboards.profile import messages as m
from stepscope.dashboards.profile.html_idle import idle_table
from stepscope.dashboards.profile.html_look import style
from stepscope.dashboards.profile.html_ranks import group_pieces, rank_differences, rank_table
from stepscope.dashboards.profile.html_steps import step_strip
from stepscope.dashboards.profile.html_words import GROUP_LABELS, share_text, time_range, time_text, words
from stepscope.dashboards.profile.idle import SMALL

MOST_CARDS = 3
_VERDICTS = {"fires": "also", "note": "little to gain", "cannot_tell": "cannot tell", "quiet": "quiet"}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing of the file may be run or fetched, even where an escape were forgotten."""


def report_page(report: m.Report, name: str, further: Sequence[tuple[str, str]] = ()) -> str:
    """The whole file; `name` is what the session is called, and `further` are title and body of sections after the steps."""
    first = report.ranks[0]
    parts = [
        _section("Where a step's time goes", _bar(report)),
        _section("Ranks", rank_table(report)) if len(report.ranks) > 1 else "",
        _section("Steps", step_strip(_strip_rank(report), several=len(report.ranks) > 1)) if len(first.steps) > 1 else "",
        *(_section(title, body) for title, body in further),
        _section("What to change", _changes(report)),
        _section("Where the time is", _where(report.where, len(report.ranks))),
        _section("Why the device is idle", _idle(report)) if report.idle.share >= SMALL else "",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{words(name)}: where a step's time goes</title><style>{style()}</style></head><body><main>"
        f'<p class="about">{_about(report, name)}</p>{rank_differences(report.disagreements)}'
        f"<h1>{words(report.sentence)}</h1>{_rates(report)}"
        f"{''.join(parts)}{_foot(report)}</main></body></html>\n"
    )


def file_stem(name: str) -> str:
    """A session's name as every file system and header takes it."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name)[:120].strip("._") or "profile"


def _rates(report: m.Report) -> str:
    """Examples and tokens a second, where there are steps to count them by."""
    if not report.throughput or report.ranks[0].step_source.family == "window":
        return ""
    return f'<p class="soft" aria-label="Throughput">{" · ".join(map(words, report.throughput))}</p>'


def _section(title: str, body: str) -> str:
    return f'<section aria-label="{escape(title)}"><h2>{escape(title)}</h2>{body}</section>'


def _about(report: m.Report, name: str) -> str:
    first = report.ranks[0]
    source = first.step_source
    devices = list(dict.fromkeys(device for rank in report.ranks for device in rank.devices)) or ["CPU"]
    when = "" if report.captured is None else datetime.fromtimestamp(report.captured, UTC).strftime("%Y-%m-%d %H:%M UTC")
    facts = [
        name,
        when,
        first.framework,
        ", ".join(devices[:4]) + (" …" if len(devices) > 4 else ""),
        f"{len(report.ranks)} ranks" if len(report.ranks) > 1 else "",
        f"{source.steps} {'step' if source.steps == 1 else 'steps'} by {source.text}",
        report.range or "",
    ]
    return " · ".join(words(fact) for fact in facts if fact)


def _bar(report: m.Report) -> str:
    about = f"A typical step, {time_text(report.step_ms.typical)}"
    mean = f", mean over {len(report.ranks)} ranks" if len(report.ranks) > 1 else ""
    labels = "; ".join(f"{GROUP_LABELS[row.group]} {share_text(row.share)}" for row in report.groups)
    legend = "".join(
        f'<li><span class="swatch time-{escape(row.group)}"></span>{GROUP_LABELS[row.group]}'
        f'<b>{share_text(row.share)}</b><span class="soft">{time_text(row.ms)}</span></li>'
        for row in report.groups
    )
    return (
        f'<p class="soft">{words(about + mean)}; median {time_text(report.step_ms.median)}, 95 % within '
        f'{time_text(report.step_ms.p95)}.</p><div class="bar" role="img" aria-label="{escape(labels)}">'
        f"{group_pieces(report.groups)}</div>"
        f'<ul class="legend">{legend}</ul>{_parts(report)}'
    )


def _parts(report: m.Report) -> str:
    """The classes inside the groups, and what each did while another had the time."""
    rows = "".join(
        f"<tr><td>{GROUP_LABELS[group.group]}</td><td>{words(_part_label(part.part))}</td>"
        f'<td class="right">{time_text(part.ms)}</td><td class="right soft">{time_text(part.overlapped_ms)}</td></tr>'
        for group in report.groups
        for part in group.parts
    )
    waiting = (
        ""
        if report.waiting_ms is None
        else f'<p class="soft">{time_text(report.waiting_ms)} of communication is waiting for ranks that came later.</p>'
    )
    head = '<th>Group</th><th>Part</th><th class="right">Time</th><th class="right">Overlapped</th>'
    return f"<details><summary>Parts</summary><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></details>{waiting}"


def _part_label(key: str) -> str:
    part = next((each for each in TimeClass if each.key == key), None)
    return key if part is None else part_text(part).replace("_", " ")


def _strip_rank(report: m.Report) -> m.RankRow:
    """The rank to look at first."""
    wanted = report.waited_for or report.slowest
    return next((rank for rank in report.ranks if rank.worker == wanted), report.ranks[0])


def _changes(report: m.Report) -> str:
    fired = [each for each in report.findings if each.verdict == "fires"]
    told = [each.step_ms is not None for each in fired]
    cards = "".join(_card(each, report.step_ms.median, not any(told[:place])) for place, each in enumerate(fired[:MOST_CARDS]))
    if not cards:
        cards = '<p class="soft">Nothing was found that would make a step 3 % shorter.</p>'
    rest = [*fired[MOST_CARDS:], *(each for each in report.findings if each.verdict != "fires")]
    listed = "".join(
        f'<dt>{words(each.title)} <span class="soft small">{_VERDICTS.get(each.verdict, "")}</span></dt>'
        f'<dd class="soft">{words(each.summary)} {words(each.option)}</dd>'
        for each in rest
    )
    return f"{cards}<details><summary>{words(report.checked)}</summary><dl>{listed}</dl></details>"


def _card(found: m.FindingRow, step_ms: float, first: bool) -> str:
    """One change; `first` when none before it is taken as done."""
    evidence = "".join(f'<li class="wide">{words(line.text)}</li>' for line in found.evidence)
    change = f"<pre><code>{words(found.change, lines=True)}</code></pre>" if found.change else ""
    wrong = (
        f'<p class="soft small">This is wrong {words(found.wrong_when[:1].lower() + found.wrong_when[1:])}</p>'
        if found.wrong_when
        else ""
    )
    return (
        f"<article><h3>{words(found.title)}</h3>{_gain(found, step_ms, first)}<p>{words(found.summary)}</p>"
        f'<ul class="plain">{evidence}</ul>{change}{wrong}</article>'
    )


def _gain(found: m.FindingRow, step_ms: float, first: bool) -> str:
    """What the step would be, in words and as a bar; nothing where no time is won."""
    if found.gain is None:
        return ""
    sure = ", ".join(word for word in ("at best" if found.gain.kind == "at_best" else "", "rough" if found.gain.weak else "") if word)
    behind = f'<span class="soft">, {sure}</span>' if sure else ""
    if found.step_ms is None:
        return f"<p><b>{share_text(found.gain.high)} of the recording</b>{behind}</p>"
    low, high = (min(100.0, max(0.0, 100 * ms / step_ms)) if step_ms > 0 else 0.0 for ms in found.step_ms)
    text = f"{time_range(*found.step_ms)} instead of {time_text(step_ms)}" if first else f"then {time_range(*found.step_ms)}"
    return (
        f'<p><b>{text}</b>{behind}</p><div class="gain" role="img" aria-label="{escape(text)}">'
        f'<span class="left" style="width:{low:.2f}%"></span><span class="maybe" style="width:{high - low:.2f}%"></span></div>'
    )


def _where(rows: Sequence[m.WhereRow], ranks: int) -> str:
    if not rows:
        return '<p class="soft">Nothing that was recorded has time of its own in a typical step.</p>'
    body = "".join(
        f'<tr><td class="code wide">{words(row.name)}</td><td><span class="swatch time-{escape(row.group)}"></span>'
        f'{GROUP_LABELS[row.group]}</td><td class="right soft">{row.count:,}</td><td class="right">{time_text(row.exposed_ms)}</td>'
        f'<td class="right soft">{share_text(row.share)}</td></tr>'
        for row in rows
    )
    head = (
        '<th>Operation or kernel</th><th>Counts as</th><th class="right">Count</th><th class="right">Exposed</th>'
        '<th class="right">Share</th>'
    )
    mean = f'<p class="soft">Mean over {ranks} ranks.</p>' if ranks > 1 else ""
    return f"{mean}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _idle(report: m.Report) -> str:
    return idle_table(report.idle, f"{report.idle_of}, of the longest steps: " if len(report.ranks) > 1 else "")


def _foot(report: m.Report) -> str:
    """What is known of the data; what speaks against the numbers first and in amber."""
    broken = [("error", f"{each.worker}: {each.reason}") for each in report.broken]
    notes = [*broken, *((note.level, note.text) for note in report.quality)]
    listed = "".join(f"<li{'' if level == 'info' else ' class=amber'}>{words(text)}</li>" for level, text in notes)
    if not notes:
        listed = "<li>Nothing was dropped, repaired or missing in this recording.</li>"
    return (
        f'<footer class="small soft" aria-label="About the data"><ul class="plain">{listed}</ul>'
        f"<p>Definitions of version {report.definitions}; made by Stepscope.</p></footer>"
    )
