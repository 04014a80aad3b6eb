"""Text for terminals: tables, counts, sizes and times, with nothing in names that could move the cursor."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

import click

from stepscope.model.number_text import three_digits

_LEAST, _MOST = 80, 140


def terminal_width(out: TextIO) -> int:
    """How many letters a line of a terminal has, within what is readable; 80 in files and pipes."""
    if not out.isatty():
        return _LEAST
    import shutil

    return max(_LEAST, min(_MOST, shutil.get_terminal_size().columns))


COLUMNS = terminal_width(sys.stdout)
"""How wide text may be: the terminal's width, or 80 letters in files and pipes and at least, where everything is readable."""
LEAST_NAME = 12


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], width: int | None = None) -> list[str]:
    """Names on the left, numbers on the right; with a width, names are shortened until lines fit."""
    shown = [head, *[(printable(row[0]), *row[1:]) for row in rows]]
    widths = [max(len(row[place]) for row in shown) for place in range(len(head))]
    if width is not None and sum(widths) + 2 * (len(widths) - 1) > width:
        widths[0] = max(LEAST_NAME, width - sum(widths[1:]) - 2 * (len(widths) - 1))
        names = shortened_apart([row[0] for row in shown], widths[0])
        shown = [(name, *row[1:]) for name, row in zip(names, shown, strict=True)]
    lines: list[str] = []
    for name, *numbers in shown:
        cells = [number.rjust(wide) for number, wide in zip(numbers, widths[1:], strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *cells]))
    return lines


def wrapped(text: str) -> str:
    """A paragraph that fits."""
    return click.wrap_text(printable(text), width=COLUMNS - 2)


def printable(text: str) -> str:
    """Names come from disk; what could move the terminal's cursor is shown as an escape."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in text)


def shortened(text: str, width: int) -> str:
    """At most that many letters; the middle goes, because names differ at both ends."""
    text = printable(text)
    if len(text) <= width:
        return text
    left = (width - 1) // 2
    return f"{text[:left]}…{text[len(text) - (width - 1 - left) :]}"


def shortened_apart(names: Sequence[str], width: int) -> list[str]:
    """As shortened; names that would then read the same lose what they begin with alike instead."""
    short = [shortened(name, width) for name in names]
    alike: dict[str, set[str]] = {}
    for name, text in zip(names, short, strict=True):
        alike.setdefault(text, set()).add(name)
    begins = {text: _common_beginning(found) for text, found in alike.items() if len(found) > 1}
    return [_without_beginning(name, begins[text], width) if text in begins else text for name, text in zip(names, short, strict=True)]


def _common_beginning(names: set[str]) -> int:
    """Of all names the least and the greatest differ first."""
    least, greatest = min(names), max(names)
    return next((place for place, pair in enumerate(zip(least, greatest, strict=False)) if pair[0] != pair[1]), len(least))


def _without_beginning(name: str, begin: int, width: int) -> str:
    indent = " " * (len(name) - len(name.lstrip(" ")))
    return f"{indent}…{shortened(name[max(begin, len(indent)) :], width - 1 - len(indent))}"


def percent(share: float) -> str:
    """A share of one as percent with one digit."""
    return f"{100 * share:.1f}%"


def billions(rate: float | None) -> str:
    """A rate for a column of GB/s or GFLOP/s, with three digits; nothing for what is unknown."""
    if rate is None:
        return ""
    shown = rate / 1e9
    if 0 < shown < 0.01:
        return "<0.01"
    return f"{shown:,.{0 if shown >= 100 else 1 if shown >= 10 else 2}f}"


def per_step(mean: float) -> str:
    """A mean over steps: `53`, `0.7`, `1,234`, and what happens once in several steps as `1 in 16`."""
    if mean >= 100 or mean == round(mean):
        return f"{mean:,.0f}"
    steps = round(1 / mean)
    return f"1 in {steps:,}" if steps > 1 and abs(mean * steps - 1) < 0.001 else three_digits(mean)


def count_of(count: int, what: str, plural: str = "s") -> str:
    """`1 run`, `1,234 runs`."""
    return f"{count:,} {what}{'' if count == 1 else plural}"


def size_of(count: float) -> str:
    """Bytes in the unit that fits."""
    if count < 1024:
        return f"{count:.0f} B"
    size = float(count)
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if size < 1024:
            return f"{size:.1f} {unit}"
    return f"{size / 1024:.1f} TiB"


def number_of(value: float) -> str:
    """Such as 31.8k or 70.3M."""
    for unit in ("", "k", "M", "G", "T"):
        if value < 1_000:
            return f"{three_digits(value)}{unit}"
        value /= 1_000
    return f"{three_digits(value)}P"
