"""The overview of a session as one HTML file: nothing is fetched, nothing runs, and every word of a recording is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape

from stepscope.analyses.texts import part_text
from stepscope.dashboards.profile.html_groups import group_times
from stepscope.dashboards.profile.html_idle import SMALL, idle_table
from stepscope.dashboards.profile.html_look import style
from stepscope.dashboards.profile.html_ranks import group_pieces, rank_differences, rank_table
from stepscope.dashboards.profile.html_steps import step_strip
from stepscope.dashboards.profile.html_words import GROUP_LABELS, share_text, time_range, time_text, words
from stepscope.session.parts.report import Report
from stepscope.session.parts.steps import Steps
from stepscope.session.report.findings import FindingRow, Verdict
from stepscope.session.report.ranks import ExposedRow, RankRow

MOST_CARDS = 3
_VERDICTS = {Verdict.FIRES: "also", Verdict.CANNOT_TELL: "cannot tell", Verdict.QUIET: "quiet"}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing of the file may be run or fetched, even where an escape were forgotten."""


def report_page(report: Report, steps: Steps, name: str, further: Sequence[tuple[str, str]] = ()) -> str:
    """The whole file; `name` is what the session is called, and `further` are title and body of sections after the steps."""
    several, strip, longest = len(report.ranks) > 1, _strip_rank(report), _longest(report)
    steps_of = {rank.worker: [row for row in steps.steps if row.worker == rank.worker] for rank in report.ranks}
    parts = [
        _section("Time breakdown", _bar(report)),
        _section("Ranks", rank_table(report, steps_of)) if several else "",
        _section("Steps", step_strip(strip, steps_of[strip.worker], several=several)) if report.ranks[0].steps > 1 else "",
        *(_section(title, body) for title, body in further),
        _section("Recommendations", _changes(report)),
        _section("Most exposed operations", _where(report.most_exposed, len(report.ranks))),
        _section("Idle time", idle_table(longest.idle, f"{longest.worker}, slowest rank: " if several else ""))
        if longest.idle.share >= SMALL
        else "",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{words(name)}: step time breakdown</title><style>{style()}</style></head><body><main>"
        f'<p class="about">{_about(report, name)}</p>{rank_differences(report.disagreements)}'
        f"<h1>{words(report.summary)}</h1>{_rates(report)}"
        f"{''.join(parts)}{_foot(report)}</main></body></html>\n"
    )


def _rates(report: Report) -> str:
    """Examples and tokens a second, where there are steps to count them by."""
    if not report.throughput.facts or report.ranks[0].step_family == "window":
        return ""
    return f'<p class="soft" aria-label="Throughput">{" · ".join(map(words, report.throughput.facts))}</p>'


def _section(title: str, body: str) -> str:
    return f'<section aria-label="{escape(title)}"><h2>{escape(title)}</h2>{body}</section>'


def _about(report: Report, name: str) -> str:
    first = report.ranks[0]
    devices = list(dict.fromkeys(device for rank in report.ranks for device in rank.devices)) or ["CPU"]
    when = (
        "" if report.captured_seconds is None else datetime.fromtimestamp(report.captured_seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    )
    facts = [
        name,
        when,
        first.framework,
        ", ".join(devices[:4]) + (" …" if len(devices) > 4 else ""),
        f"{len(report.ranks)} ranks" if len(report.ranks) > 1 else "",
        f"{first.steps} {'step' if first.steps == 1 else 'steps'} by {first.step_source}",
        report.range or "",
    ]
    return " · ".join(words(fact) for fact in facts if fact)


def _bar(report: Report) -> str:
    groups = group_times(report)
    about = f"Typical step: {time_text(report.step_ms.typical)}"
    mean = f", mean over {len(report.ranks)} ranks" if len(report.ranks) > 1 else ""
    labels = "; ".join(f"{GROUP_LABELS[row.group]} {share_text(row.share)}" for row in groups)
    legend = "".join(
        f'<li><span class="swatch time-{escape(row.group)}"></span>{GROUP_LABELS[row.group]}'
        f'<b>{share_text(row.share)}</b><span class="soft">{time_text(row.ms)}</span></li>'
        for row in groups
    )
    return (
        f'<p class="soft">{words(about + mean)}; median {time_text(report.step_ms.median)}, 95th percentile '
        f'{time_text(report.step_ms.p95)}.</p><div class="bar" role="img" aria-label="{escape(labels)}">'
        f"{group_pieces(report)}</div>"
        f'<ul class="legend">{legend}</ul>{_parts(report)}'
    )


def _parts(report: Report) -> str:
    """The classes inside the groups, and what each did while another had the time."""
    rows = "".join(
        f"<tr><td>{GROUP_LABELS[group.group]}</td><td>{words(part_text(part.part))}</td>"
        f'<td class="right">{time_text(part.ms)}</td><td class="right soft">{time_text(part.overlapped_ms)}</td></tr>'
        for group in group_times(report)
        for part in group.parts
    )
    waiting = (
        ""
        if report.communication.waiting_ms is None
        else f'<p class="soft">Communication includes {time_text(report.communication.waiting_ms)} of waiting for slower ranks.</p>'
    )
    head = '<th>Group</th><th>Part</th><th class="right">Time</th><th class="right">Overlapped</th>'
    return f"<details><summary>Parts</summary><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></details>{waiting}"


def _strip_rank(report: Report) -> RankRow:
    """The rank to look at first."""
    wanted = report.waited_for or report.slowest
    return next((rank for rank in report.ranks if rank.worker == wanted), report.ranks[0])


def _changes(report: Report) -> str:
    fired = [each for each in report.findings if each.verdict is Verdict.FIRES]
    told = [each.step_ms is not None for each in fired]
    cards = "".join(_card(each, report.step_ms.median, not any(told[:place])) for place, each in enumerate(fired[:MOST_CARDS]))
    if not cards:
        cards = '<p class="soft">No change was found that would save 3% of a step.</p>'
    rest = [*fired[MOST_CARDS:], *(each for each in report.findings if each.verdict is not Verdict.FIRES)]
    listed = "".join(
        f'<dt>{words(each.title)} <span class="soft small">{"little to gain" if each.noted else _VERDICTS[each.verdict]}</span></dt>'
        f'<dd class="soft">{words(each.summary)} {words(each.option)}</dd>'
        for each in rest
    )
    return f"{cards}<details><summary>{words(report.checked.text)}</summary><dl>{listed}</dl></details>"


def _card(found: FindingRow, step_ms: float, first: bool) -> str:
    """One change; `first` when none before it is taken as done."""
    evidence = "".join(f'<li class="wide">{words(line.text)}</li>' for line in found.evidence)
    change = f"<pre><code>{words(found.code, lines=True)}</code></pre>" if found.code else ""
    wrong = (
        f'<p class="soft small">Does not apply {words(found.wrong_when[:1].lower() + found.wrong_when[1:])}</p>'
        if found.wrong_when
        else ""
    )
    return (
        f"<article><h3>{words(found.title)}</h3>{_gain(found, step_ms, first)}<p>{words(found.summary)}</p>"
        f'<ul class="plain">{evidence}</ul>{change}{wrong}</article>'
    )


def _gain(found: FindingRow, step_ms: float, first: bool) -> str:
    """What the step would be, in words and as a bar; nothing where no time is won."""
    if found.gain is None:
        return ""
    sure = ", ".join(
        word for word in ("upper bound" if found.gain.kind == "at_best" else "", "rough" if found.gain.weak else "") if word
    )
    behind = f'<span class="soft">, {sure}</span>' if sure else ""
    if found.step_ms is None:
        return f"<p><b>{share_text(found.gain.high)} of the profile</b>{behind}</p>"
    low, high = (min(100.0, max(0.0, 100 * ms / step_ms)) if step_ms > 0 else 0.0 for ms in (found.step_ms.low, found.step_ms.high))
    text = (
        f"{time_range(found.step_ms.low, found.step_ms.high)} instead of {time_text(step_ms)}"
        if first
        else f"then {time_range(found.step_ms.low, found.step_ms.high)}"
    )
    return (
        f'<p><b>{text}</b>{behind}</p><div class="gain" role="img" aria-label="{escape(text)}">'
        f'<span class="left" style="width:{low:.2f}%"></span><span class="maybe" style="width:{high - low:.2f}%"></span></div>'
    )


def _where(rows: Sequence[ExposedRow], ranks: int) -> str:
    if not rows:
        return '<p class="soft">No recorded operation is exposed in a typical step.</p>'
    body = "".join(
        f'<tr><td class="code wide">{words(row.name)}</td><td><span class="swatch time-{row.group.value}"></span>'
        f'{GROUP_LABELS[row.group.value]}</td><td class="right soft">{row.count:,}</td>'
        f'<td class="right">{time_text(row.exposed_ms)}</td>'
        f'<td class="right soft">{share_text(row.exposed_share)}</td></tr>'
        for row in rows
    )
    head = (
        '<th>Operation or kernel</th><th>Group</th><th class="right">Count</th><th class="right">Exposed</th>'
        '<th class="right">Share</th>'
    )
    mean = f'<p class="soft">Mean over {ranks} ranks.</p>' if ranks > 1 else ""
    return f"{mean}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _longest(report: Report) -> RankRow:
    """The worker with the longest typical step."""
    return next(rank for rank in report.ranks if rank.worker == report.longest)


def _foot(report: Report) -> str:
    """What is known of the data; what speaks against the numbers first and in amber."""
    broken = [("error", f"{each.worker}: {each.reason}") for each in report.broken]
    notes = [*broken, *((note.level, note.text) for note in report.data_quality.notes)]
    listed = "".join(f"<li{'' if level == 'info' else ' class=amber'}>{words(text)}</li>" for level, text in notes)
    if not notes:
        listed = "<li>Nothing was dropped, repaired or missing in this recording.</li>"
    return (
        f'<footer class="small soft" aria-label="About the data"><ul class="plain">{listed}</ul>'
        f"<p>Definitions of version {report.definitions}; made by Stepscope.</p></footer>"
    )
