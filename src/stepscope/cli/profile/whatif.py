"""`stepscope profile whatif`: how long a step would take after a change, as a range with its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.reading import echo_json, profile_options, read_profiles
from stepscope.cli.terminal import COLUMNS, printable, table

if TYPE_CHECKING:
    from stepscope.analyses.what_if.levers import Lever
    from stepscope.analyses.what_if.prediction import Context, Prediction

_TRIED = (
    "input=0",
    "python=0",
    "straggler=0",
    "kernels=2x",
    "communication=0",
    "copies=0",
    "launches=0",
    "sync=0",
    "compile=0",
    "io=0",
)
_TITLES = {"removes": "predicted", "moves": "predicted", "at_best": "at best"}


@click.command("whatif")
@profile_options
@click.option(
    "--lever",
    "levers",
    multiple=True,
    metavar="NAME=AMOUNT",
    help="A change: input=0 takes that time away, kernels=2x halves it, workers=4 moves it. Several are taken one after another.",
)
@click.option("--cores", type=click.IntRange(1, 65536), metavar="N", help="Cores of the machine that was recorded.")
@click.option(
    "--step-ms", type=click.FloatRange(0, 1e9, min_open=True), metavar="MS", help="The median step of the run without the profiler."
)
def command(
    profile: str,
    as_json: bool,
    steps_by: str | None,
    max_gib: int | None,
    no_cache: bool,
    levers: tuple[str, ...],
    cores: int | None,
    step_ms: float | None,
) -> None:
    """Say how long a step of PROFILE would take after a change.

    The recording is played again with other durations; docs/profiles/what-if.md tells how, and lists the levers. Without
    --lever the usual ones are tried, each alone.
    """
    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.steps import find_steps
    from stepscope.analyses.what_if.levers import parse_lever
    from stepscope.analyses.what_if.prediction import predict, replay_context

    profiles = read_profiles(profile, max_gib, cache=not no_cache)
    chosen = [parse_lever(lever, profiles) for lever in levers]
    breakdowns = [break_down(each, find_steps(each, steps_by)) for each in profiles]
    context = replay_context(profiles, breakdowns, cores=cores, unprofiled_ns=None if step_ms is None else step_ms * 1e6)
    if chosen:
        found = [predict(context, [lever], after=chosen[:place]) for place, lever in enumerate(chosen)]
        together = predict(context, chosen)
    else:
        found, together = _usual(context), None
    if as_json:
        echo_json(whatif_answer(context, found, together))
    else:
        click.echo(_text(context, found, together if len(chosen) > 1 else None))


def _usual(context: Context) -> list[Prediction]:
    """The usual levers, without those that have nothing to take away."""
    from stepscope.analyses.what_if.levers import parse_lever
    from stepscope.analyses.what_if.prediction import NOTHING_OF_IT, predict

    levers: list[Lever] = [
        parse_lever(lever, context.profiles) for lever in _TRIED if lever != "straggler=0" or len(context.profiles) > 1
    ]
    found = [predict(context, [lever]) for lever in levers]
    return [prediction for prediction in found if NOTHING_OF_IT not in prediction.notes]


def whatif_answer(context: Context, found: Sequence[Prediction], together: Prediction | None) -> dict[str, Any]:
    """The keys of --json; of several levers the first keys are of all together, and `levers` has each after those before it."""
    from stepscope.analyses.what_if.prediction import SERIAL

    return {
        "baseline_ms": context.baseline_ns / 1e6,
        "replay_ms": context.replay_ms,
        "replay_error": context.replay_error,
        "model": SERIAL if context.serial else "replay" if context.refused is None else None,
        **(_prediction_answer(together) if together is not None else {}),
        "levers": [{"baseline_ms": each.baseline_ms, **_prediction_answer(each)} for each in found],
    }


def _prediction_answer(found: Prediction) -> dict[str, Any]:
    return {
        "lever": found.lever,
        "kind": found.kind.value,
        "predicted_ms": {"low": found.low_ms, "mid": found.mid_ms, "high": found.high_ms},
        "band": found.band,
        "more": found.more,
        "n": found.pairs,
        "weak": found.weak,
        "refused": found.refused,
        "bound_ms": found.bound_ms,
        "notes": list(found.notes),
    }


def _text(context: Context, found: Sequence[Prediction], together: Prediction | None) -> str:
    from stepscope.analyses.what_if.prediction import NEVER_MEASURED, NOTHING_OF_IT, unmeasured_text

    lines = [_baseline_line(context), ""]
    shown = [*found, *([together] if together is not None else [])]
    if not shown:
        return "\n".join([*lines, "No typical step waits for anything that a usual lever changes."])
    names = [each.lever for each in found] + (["all together"] if together is not None else [])
    head = ("change", "a step then", "faster", "")
    lines += [line.rstrip() for line in table(head, [(name, *_cells(each)) for name, each in zip(names, shown, strict=True)], COLUMNS)]
    if together is not None:
        lines += ["", "Each line is after the changes above it."]
    texts: list[str] = []
    for name, each in zip(names, shown, strict=True):
        if each.refused:
            bound = f" It cannot be below {_ms(each.bound_ms)}." if each.bound_ms is not None and context.refused else ""
            texts.append(f"{'' if each.refused == context.refused else f'{name}: '}{each.refused}{bound}")
    notes = [note for each in shown for note in each.notes if each.refused is None or note != NOTHING_OF_IT]
    texts += [note for note in notes if NEVER_MEASURED not in note]
    bounds = [each.lever.partition("=")[0] for each in found if any(NEVER_MEASURED in note for note in each.notes)]
    texts += [unmeasured_text(list(dict.fromkeys(bounds)), serial=context.serial)] if bounds else []
    texts += [_band_text(each.band, each.more or 0.0, each.pairs or 0) for each in shown if each.band is not None]
    wrapped = [click.wrap_text(printable(text), width=COLUMNS - 2, subsequent_indent="  ") for text in dict.fromkeys(texts)]
    return "\n".join([*lines, *(["", *wrapped] if wrapped else [])])


def _baseline_line(context: Context) -> str:
    start = f"A step takes {_ms(context.baseline_ns / 1e6)}"
    if context.replay_ms is None or context.replay_error is None:
        return f"{start}."
    return f"{start}; replayed unchanged it takes {_ms(context.replay_ms)} ({100 * context.replay_error:+.1f} %)."


def _cells(found: Prediction) -> tuple[str, ...]:
    from stepscope.analyses.what_if.unrecorded import NOT_RECORDED

    if found.low_ms is None or found.high_ms is None or found.refused:
        return "not recorded" if (found.refused or "").startswith(NOT_RECORDED) else "refused", "", ""
    title = f"{_TITLES[found.kind.value]}{', weak' if found.weak else ''}"
    if found.kind.value == "at_best" or found.low_ms == found.high_ms:
        return _ms(found.low_ms), _speed(found.baseline_ms, found.low_ms), title
    speeds = f"{_speed(found.baseline_ms, found.high_ms)} to {_speed(found.baseline_ms, found.low_ms)}"
    return f"{found.low_ms:,.4g} to {_ms(found.high_ms)}", speeds, title


def _speed(before: float, after: float) -> str:
    return f"{before / after:.2f}x" if after > 0 else "∞"


def _ms(number: float | None) -> str:
    return "" if number is None else f"{number:,.4g} ms" if number < 10_000 else f"{number:,.0f} ms"


def _band_text(band: float, more: float, pairs: int) -> str:
    faster = f" and for what is left to get up to {round(100 * more)} % faster" if more else ""
    held = "nine of ten of" if pairs >= 10 else "all"  # of few pairs no tenth can be left out
    less = f"{round(100 * band)} % less to go than the model says"
    return f"Ranges allow for {less}{faster}: so they hold {held} the {pairs} pairs measured."
