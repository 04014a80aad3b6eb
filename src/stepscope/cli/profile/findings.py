"""What rules found, for `stepscope profile report`: lines for a terminal and the keys of its JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.terminal import COLUMNS, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepscope.model.profile import Profile
    from stepscope.rules.judge import Judgement
    from stepscope.rules.rule import Evidence, Finding, Gain, Verdict

_EVIDENCE_SHOWN = 4
_OPTIONS_SHOWN = 5
_NOTE = "note"
_CANNOT_TELL = "cannot_tell"


def finding_lines(judged: Judgement, framework: str) -> list[str]:
    """At most three changes, each with its gain, evidence and code, and how many rules said nothing."""
    lines = ["What to change"]
    for number, card in enumerate(judged.cards, 1):
        lines += [*_wrapped(f"{number}. {card.title}{_gain_text(card)}", "  ", "     "), *_card_lines(card, framework), ""]
    if not judged.cards:
        lines.append("  Nothing that would gain 3 % of a step was found.")
    return [*lines, f"  {judged.text}", *_untold_lines(judged)]


def _untold_lines(judged: Judgement) -> list[str]:
    """What to record for rules that cannot tell, with what each would then look at."""
    options: dict[str, list[str]] = {}
    for each in judged.findings:
        if each.verdict.value == _CANNOT_TELL and each.option:
            options.setdefault(each.option, []).append(each.title)
    shown = sorted(options.items(), key=lambda pair: -len(pair[1]))
    lines = [line for option, titles in shown[:_OPTIONS_SHOWN] for line in _wrapped(f"- {option} ({_listed(titles)})", "  ", "    ")]
    more = len(shown) - _OPTIONS_SHOWN
    return ["", "What this recording cannot tell", *lines, *([f"  and {more} more; see --json"] if more > 0 else [])] if lines else []


def _listed(titles: list[str]) -> str:
    """As the middle of a sentence."""
    return ", ".join(title[:1].lower() + title[1:] for title in titles)


def _card_lines(card: Finding, framework: str) -> list[str]:
    evidence = [line for each in card.evidence[:_EVIDENCE_SHOWN] for line in _wrapped(f"- {each.text}", "     ", "       ")]
    code = [f"       {printable(line)}" for line in card.code.of(framework).splitlines()]
    return [
        *_wrapped(f"{card.summary} {card.promise}", "     ", "     "),
        *evidence,
        *code,
        *_wrapped(f"This is wrong {card.wrong_when[:1].lower()}{card.wrong_when[1:]}", "     ", "     "),
    ]


def _gain_text(card: Finding) -> str:
    gain = card.gain
    if gain is None:
        return ""
    low, high = round(100 * gain.low), round(100 * gain.high)
    share = f"{low} to {high} %" if low != high else f"{high} %"
    words = [
        f"{share} of the recording" if gain.of_recording else f"{share} less time a step",
        "at best" if gain.kind.value == "at_best" else "",
        "weak" if gain.weak else "",
    ]
    return f" ({', '.join(filter(None, words))})"


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return click.wrap_text(printable(text), width=COLUMNS - 2, initial_indent=first, subsequent_indent=rest).splitlines()


def findings_answer(judged: Judgement, profiles: Sequence[Profile]) -> list[dict[str, Any]]:
    """All rules with their verdicts; those that fire come first, by gain."""
    return [_finding_answer(each, profiles) for each in judged.findings]


def checked_answer(judged: Judgement) -> dict[str, int]:
    """How many rules there are, and how many came to each verdict."""
    from stepscope.rules.rule import Verdict

    return {"rules": len(judged.findings)} | {verdict.value: len(judged.of(verdict)) for verdict in Verdict}


def _finding_answer(found: Finding, profiles: Sequence[Profile]) -> dict[str, Any]:
    gain, step = found.gain, found.step_ms
    return {
        "rule": found.rule,
        "verdict": _verdict_word(found.verdict),
        "note": found.verdict.value == _NOTE,
        "title": found.title,
        "summary": found.summary,
        "evidence": [_evidence_answer(each, profiles) for each in found.evidence],
        "gain": None if gain is None else _gain_answer(gain),
        "step_ms": None if step is None else {"low": step[0], "high": step[1]},
        "promise": found.promise,
        "change": {"tensorflow": found.code.tensorflow, "pytorch": found.code.pytorch, "jax": found.code.jax},
        "wrong_when": found.wrong_when,
        "option": found.option,
    }


def _gain_answer(gain: Gain) -> dict[str, Any]:
    of = "recording" if gain.of_recording else "step"
    return {"low": gain.low, "high": gain.high, "of": of, "kind": gain.kind.value, "weak": gain.weak}


def _verdict_word(verdict: Verdict) -> str:
    """One of three words: what is true but gains little is quiet, and has a key of its own."""
    return "quiet" if verdict.value == _NOTE else verdict.value


def _evidence_answer(line: Evidence, profiles: Sequence[Profile]) -> dict[str, Any]:
    spans = line.spans
    if spans is None:
        return {"text": line.text, "spans": None}
    profile = profiles[spans.rank]
    return {
        "text": line.text,
        "spans": {
            "file": profile.path,
            "track": profile.tracks[spans.track].name,
            "rows": profile.rows_in_file(spans.first_row, spans.last_row),
            "start_ms": (spans.start_ns - profile.window[0]) / 1e6,
            "end_ms": (spans.end_ns - profile.window[0]) / 1e6,
        },
    }
