"""What rules found, for `stepscope profile report`: recommendations as lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stepscope.cli.terminal import COLUMNS, printable

if TYPE_CHECKING:
    from stepscope.session.report.columns import CheckedRules, FindingRow

_CARDS = 3
_EVIDENCE_SHOWN = 4
_OPTIONS_SHOWN = 5


def finding_lines(findings: Sequence[FindingRow], checked: CheckedRules) -> list[str]:
    """At most three changes, each with its gain, evidence and code, and how many rules are quiet."""
    lines = ["Recommendations"]
    cards = [found for found in findings if found.verdict.value == "fires"][:_CARDS]
    for number, card in enumerate(cards, 1):
        lines += [*_wrapped(f"{number}. {card.title}{_gain_text(card)}", "  ", "     "), *_card_lines(card), ""]
    if not cards:
        lines.append("  No change with an estimated saving of 3% or more of the step time.")
    return [*lines, f"  {checked.text}", *_small_lines(findings), *_untold_lines(findings)]


def _small_lines(findings: Sequence[FindingRow]) -> list[str]:
    """The changes that would save too little for a card, with what they would save."""
    small = [f"- {found.title}{_gain_text(found)}" for found in findings if found.noted]
    return ["", "Small savings", *(line for text in small for line in _wrapped(text, "  ", "    "))] if small else []


def _untold_lines(findings: Sequence[FindingRow]) -> list[str]:
    """What to record for rules that cannot tell, with what each would then check."""
    options: dict[str, list[str]] = {}
    for each in findings:
        if each.verdict.value == "cannot_tell" and each.option:
            options.setdefault(each.option, []).append(each.title)
    shown = sorted(options.items(), key=lambda pair: -len(pair[1]))
    lines = [line for option, titles in shown[:_OPTIONS_SHOWN] for line in _wrapped(f"- {option} ({_listed(titles)})", "  ", "    ")]
    more = len(shown) - _OPTIONS_SHOWN
    return ["", "Not recorded in this profile", *lines, *([f"  and {more} more; see --json"] if more > 0 else [])] if lines else []


def _listed(titles: list[str]) -> str:
    """As the middle of a sentence; a word such as "CPU" keeps its capitals."""
    return ", ".join(title if title[:2].isupper() else title[:1].lower() + title[1:] for title in titles)


def _card_lines(card: FindingRow) -> list[str]:
    evidence = [line for each in card.evidence[:_EVIDENCE_SHOWN] for line in _wrapped(f"- {each.text}", "     ", "       ")]
    code = [f"       {printable(line)}" for line in card.code.splitlines()]
    return [
        *_wrapped(f"{card.summary} {card.promise}", "     ", "     "),
        *evidence,
        *code,
        *_wrapped(f"Does not apply {card.wrong_when[:1].lower()}{card.wrong_when[1:]}", "     ", "     "),
    ]


def _gain_text(card: FindingRow) -> str:
    gain = card.gain
    if gain is None:
        return ""
    low, high = round(100 * gain.low), round(100 * gain.high)
    share = f"{low}–{high}%" if low != high else f"{high}%"
    words = [
        f"{share} of the profile" if gain.of == "recording" else f"{share} less step time",
        "upper bound" if gain.kind == "at_best" else "",
        "rough estimate" if gain.weak else "",
    ]
    return f" ({', '.join(filter(None, words))})"


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return click.wrap_text(printable(text), width=COLUMNS - 2, initial_indent=first, subsequent_indent=rest).splitlines()
