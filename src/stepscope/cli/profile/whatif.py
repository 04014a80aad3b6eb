"""`stepscope profile whatif`: how long a step would take after a change, as a range with its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer
from stepscope.cli.profile.options import profile_options
from stepscope.cli.terminal import COLUMNS, printable, table
from stepscope.model.number_text import digits

if TYPE_CHECKING:
    from stepscope.session.parts.whatif import PredictionRow, WhatIf

_TITLES = {"removes": "estimate", "moves": "estimate", "at_best": "upper bound"}


@click.command("whatif")
@profile_options
@click.option(
    "--change",
    "--lever",
    "changes",
    multiple=True,
    metavar="NAME=AMOUNT",
    help="Try a change: input=0 removes that time, kernels=2x halves it, workers=4 moves it. Repeat it to try several in order.",
)
@click.option("--cores", type=click.IntRange(1, 65536), metavar="N", help="Cores of the profiled machine, if not recorded.")
@click.option(
    "--step-ms", type=click.FloatRange(0, 1e9, min_open=True), metavar="MS", help="Median step time without the profiler, if known."
)
def command(profile: str, as_json: bool, changes: tuple[str, ...], cores: int | None, step_ms: float | None, **_: object) -> None:
    """Estimate the step time of PROFILE after a change.

    The profile is replayed with other durations; docs/profiles/what-if.md explains how and lists the changes. Without --change,
    each change that has an effect is tried alone.
    """
    from stepscope.session.parts.whatif import WHATIF

    answer = ask(WHATIF, profile, changes=",".join(changes), cores=cores, step_ms=step_ms)
    if as_json:
        echo_answer(answer)
    else:
        click.echo(_text(answer))


def _text(answer: WhatIf) -> str:
    from stepscope.analyses.what_if.prediction import unmeasured_text

    lines = [_baseline_line(answer), *_wrap(answer.explanation), ""]
    tried = answer.each or [one.alone for one in answer.changes if one.matters]
    together = [answer.together] if answer.together is not None and len(answer.each) > 1 else []
    shown = [*tried, *together]
    idle = [] if answer.each else [one.name for one in answer.changes if not one.matters]
    without = _wrap(f"Each of these alone saves less than 0.5%: {', '.join(idle)}.") if idle else []
    if not shown:
        return "\n".join([*lines, "No change that Stepscope can estimate has an effect on a typical step.", *without])
    names = [each.change for each in tried] + ["all together"] * len(together)
    head = ("change", "est. step time", "speed-up", "")
    lines += [line.rstrip() for line in table(head, [(name, *_cells(each)) for name, each in zip(names, shown, strict=True)], COLUMNS)]
    lines += ["", "Each line is after the changes above it."] if together else []
    lines += ["", *without] if without else []
    bounds = list(dict.fromkeys(each.change.partition("=")[0] for each in tried if each.unmeasured))
    texts = [
        *_refusals(answer, names, shown),
        *_notes(names, shown),
        *([unmeasured_text(bounds, serial=answer.serial)] if bounds else []),
        *_with_subjects(
            [(name, [_band_text(each)]) for name, each in zip(names, shown, strict=True) if each.band is not None], len(shown)
        ),
    ]
    wrapped = [line for text in dict.fromkeys(texts) for line in _wrap(text)]
    return "\n".join([*lines, *(["", *wrapped] if wrapped else [])])


def _wrap(text: str) -> list[str]:
    """Lines of a paragraph, all but the first indented; none of no text."""
    return click.wrap_text(printable(text), width=COLUMNS - 2, subsequent_indent="  ").splitlines()


def _refusals(answer: WhatIf, names: Sequence[str], shown: Sequence[PredictionRow]) -> list[str]:
    texts: list[str] = []
    for name, each in zip(names, shown, strict=True):
        if each.refused:
            bound = f" It cannot be below {_ms(each.bound_ms)}." if each.bound_ms is not None and answer.refused else ""
            texts.append(f"{'' if each.refused == answer.refused else f'{name}: '}{each.refused}{bound}")
    return texts


def _notes(names: Sequence[str], shown: Sequence[PredictionRow]) -> list[str]:
    """What limits the estimates; of changes that were never measured one sentence says it for all."""
    told = [(name, each.notes) for name, each in zip(names, shown, strict=True) if not each.unmeasured and not each.refused]
    return _with_subjects(told, len(shown))


def _with_subjects(told: Sequence[tuple[str, Sequence[str]]], changes: int) -> list[str]:
    """Each note once, after the changes that it is about; a note on all of them stands alone."""
    about: dict[str, list[str]] = {}
    for name, notes in told:
        for note in notes:
            about.setdefault(note, []).append(name)
    return [
        note if len(names) in (len(told), changes) and len(told) > 1 else f"{', '.join(names)}: {note}" for note, names in about.items()
    ]


def _baseline_line(answer: WhatIf) -> str:
    without = "" if answer.unprofiled_ms is None else f" ({_ms(answer.unprofiled_ms)} without the profiler, where estimates start)"
    start = f"Step time is {_ms(answer.typical_ms)}{without}"
    if answer.replay_ms is None or answer.replay_error is None:
        return f"{start}."
    return f"{start}; a replay without changes gives {_ms(answer.replay_ms)} (error {100 * answer.replay_error:+.1f}%)."


def _cells(found: PredictionRow) -> tuple[str, ...]:
    from stepscope.analyses.what_if.unrecorded import NOT_RECORDED

    low, high = found.predicted_ms.low, found.predicted_ms.high
    if low is None or high is None or found.refused:
        return "not recorded" if (found.refused or "").startswith(NOT_RECORDED) else "no estimate", "", ""
    title = f"{_TITLES[found.kind]}{', rough' if found.weak else ''}"
    if found.kind == "at_best" or low == high:
        return _ms(low), _speed(found.baseline_ms, low), title
    return f"{digits(low, 4)}–{_ms(high)}", f"{_speed(found.baseline_ms, high)}–{_speed(found.baseline_ms, low)}", title


def _speed(before: float, after: float) -> str:
    return f"{before / after:.2f}x" if after > 0 else "∞"


def _ms(number: float | None) -> str:
    return "" if number is None else f"{digits(number, 4)} ms"


def _band_text(found: PredictionRow) -> str:
    band, more, pairs = found.band or 0.0, found.more or 0.0, found.pairs or 0
    faster = f" and for other work to become up to {round(100 * more)}% faster" if more else ""
    smaller = f"a gain up to {round(100 * band)}% smaller than modelled"
    if not pairs:
        return f"The range allows for {smaller}{faster}."
    cover = f"90% of {pairs} measured pairs" if pairs >= 10 else f"all {pairs} measured pairs"  # of few no tenth can be left out
    return f"The range allows for {smaller}{faster}; such ranges cover {'the 1 measured pair' if pairs == 1 else cover}."
