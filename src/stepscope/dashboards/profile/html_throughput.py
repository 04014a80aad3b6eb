"""Throughput and epochs in the report as one HTML file: rates with their origin, and a stacked column and a row for each epoch."""

from __future__ import annotations

from collections.abc import Sequence

from stepscope.analyses.throughput.throughput import rate_text
from stepscope.dashboards.profile.html_words import time_text, words
from stepscope.session.epoch_rows import EpochTime
from stepscope.session.parts.throughput import RateRow, Throughput

MOST_COLUMNS = 200
MOST_ROWS = 60
EPOCH_PARTS = {
    "train": "Train",
    "first_step": "First step",
    "validation": "Validation",
    "checkpoint": "Checkpoint",
    "between": "Between",
}
"""In the order in which columns stack them, from below."""
_WIDTH, _HEIGHT = 1000, 180
_LEFT, _TOP, _BOTTOM, _RIGHT = 64, 8, 24, 8
_WIDEST = 56
_MS = 1e3


def rates_table(found: Throughput) -> str:
    """Every rate with where it comes from, or why it is not known."""
    rows = "".join(
        f'<tr><td>{words(row.title)}</td><td class="right">{_rate(row)}</td><td class="soft wide">{words(row.origin)}</td></tr>'
        for row in found.rates
    )
    count = found.throughput.ranks
    ranks = f'<p class="soft">{count:,} ranks together.</p>' if count > 1 else ""
    head = '<th>In a second</th><th class="right">Rate</th><th>Known by</th>'
    return f"{ranks}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def epochs_of(found: Throughput) -> str:
    """Those that the recording marks, else those that its run has logged; nothing without any."""
    if found.epochs:
        return _epochs(found.epochs, found.epochs_total, "by annotations of the recording", "")
    if (logged := found.logged) is not None and logged.epochs:
        run = "the run" if logged.run_name == "." else logged.run_name
        return _epochs(logged.epochs, logged.epochs_total, f"as {run} has logged {', '.join(logged.series)}", logged.note)
    return ""


def _rate(row: RateRow) -> str:
    if row.per_second is None:
        return "–"
    return f"{rate_text(row.per_second / 1e6)} MB/s" if row.unit == "B" else f"{rate_text(row.per_second)}/s"


def _epochs(epochs: Sequence[EpochTime], total: int, origin: str, note: str) -> str:
    about = f"{total:,} {'epoch' if total == 1 else 'epochs'}, {origin}"
    there = [part for part in EPOCH_PARTS if any(_seconds(epoch, part) for epoch in epochs)]
    legend = "".join(f'<li><span class="swatch epoch-{part}"></span>{EPOCH_PARTS[part]}</li>' for part in there)
    said = f'<p class="soft">{words(note)}</p>' if note else ""
    return f'<p class="soft">{words(about)}.</p>{said}<ul class="legend">{legend}</ul>{_columns(epochs, about)}{_table(epochs, there)}'


def _columns(epochs: Sequence[EpochTime], about: str) -> str:
    each = -(-len(epochs) // MOST_COLUMNS)
    shown = [max(epochs[first : first + each], key=lambda epoch: epoch.seconds) for first in range(0, len(epochs), each)]
    longest = max(epoch.seconds for epoch in shown) or 1.0
    wide = min(_WIDEST, (_WIDTH - _LEFT - _RIGHT) / len(shown))
    gap = 2.0 if wide > 8 else 0.0
    scale = (_HEIGHT - _TOP - _BOTTOM) / longest
    paths: dict[str, str] = {}
    for place, epoch in enumerate(shown):
        bottom, left = float(_HEIGHT - _BOTTOM), _LEFT + place * wide
        boxes = (
            [(part, _seconds(epoch, part)) for part in EPOCH_PARTS] if epoch.train_seconds is not None else [("unknown", epoch.seconds)]
        )
        for part, seconds in boxes:
            if seconds > 0:
                high = min(seconds * scale, bottom - _TOP)
                bottom -= high
                paths[part] = paths.get(part, "") + f"M{left:.1f} {bottom:.1f}h{wide - gap:.1f}v{high:.1f}h{gap - wide:.1f}z"
    drawn = "".join(f'<path class="epoch-{part}" d="{path}"/>' for part, path in paths.items())
    right = _LEFT + wide * len(shown)
    more = f'<p class="soft">A column is the longest of {each} epochs.</p>' if each > 1 else ""
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{words(about)}">{drawn}'
        f'<text x="{_LEFT - 8}" y="{_TOP + 10}" text-anchor="end">{time_text(longest * _MS)}</text>'
        f'<text x="{_LEFT}" y="{_HEIGHT - 6}">epoch {shown[0].epoch}</text>'
        + (f'<text x="{right:.1f}" y="{_HEIGHT - 6}" text-anchor="end">{shown[-1].epoch}</text>' if len(shown) > 3 else "")
        + f"</svg>{more}"
    )


def _table(epochs: Sequence[EpochTime], there: Sequence[str]) -> str:
    rated = any(epoch.examples_per_second is not None for epoch in epochs)
    head = "".join(f'<th class="right">{title}</th>' for title in ("Epoch", "Time", *(EPOCH_PARTS[part] for part in there), "Steps"))
    rows = "".join(
        f'<tr><td class="right">{epoch.epoch}</td><td class="right">{time_text(epoch.seconds * _MS)}</td>'
        + "".join(f'<td class="right soft">{_part(epoch, part)}</td>' for part in there)
        + f'<td class="right soft">{f"{epoch.steps:,}" if epoch.steps else "–"}</td>'
        + (f'<td class="right soft">{_examples(epoch)}</td>' if rated else "")
        + "</tr>"
        for epoch in epochs[-MOST_ROWS:]
    )
    last = '<th class="right">Examples</th>' if rated else ""
    title = f"The last {MOST_ROWS} as a table" if len(epochs) > MOST_ROWS else "As a table"
    body = f"<table><thead><tr>{head}{last}</tr></thead><tbody>{rows}</tbody></table>"
    return f"<details><summary>{title}</summary>{body}</details>"


def _seconds(epoch: EpochTime, part: str) -> float:
    return float(getattr(epoch, f"{part}_seconds") or 0.0)


def _part(epoch: EpochTime, part: str) -> str:
    seconds: float | None = getattr(epoch, f"{part}_seconds")
    return "–" if seconds is None else time_text(seconds * _MS)


def _examples(epoch: EpochTime) -> str:
    return "–" if epoch.examples_per_second is None else f"{rate_text(epoch.examples_per_second)}/s"
