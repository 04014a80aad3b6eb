"""The options that choose a range of a profile, shared by all verbs: whoever asks takes them from the verb that runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from stepscope.model.errors import BadInput

_Verb = TypeVar("_Verb", bound=Callable[..., Any])
_CHOSEN = "stepscope.range"


def range_options(verb: _Verb) -> _Verb:
    """--steps, --time, --epochs and --skip-warmup. Verbs get no argument for them: what they read is the range."""
    options = (
        _option("--steps", "Use only these steps: 3:10 (3 to 9), 5 (one step), 3: (to the end) or typical.", "RANGE"),
        _option("--time", "Use only this time since the start: 1.2s:3s, or 40ms: (to the end).", "RANGE"),
        _option("--epochs", "Use only these epochs (1:3 is 1 and 2), if the profile marks epochs.", "RANGE"),
        _option("--skip-warmup", "Leave out the steps before the first typical step.", is_flag=True),
    )
    for option in reversed(options):
        verb = option(verb)
    return verb


def chosen_range() -> str:
    """The range that the running verb's options choose; empty: everything."""
    context = click.get_current_context(silent=True)
    return "" if context is None else context.meta.get(_CHOSEN, "")


def range_chosen() -> bool:
    """Whether the running verb's options choose a range."""
    context = click.get_current_context(silent=True)
    return context is not None and _CHOSEN in context.meta


def _option(name: str, text: str, metavar: str | None = None, *, is_flag: bool = False) -> Callable[[_Verb], _Verb]:
    return click.option(name, expose_value=False, callback=_keep, help=text, metavar=metavar, is_flag=is_flag)


def _keep(context: click.Context, option: click.Parameter, value: str | bool | None) -> None:
    if value is None or value is False:
        return
    if _CHOSEN in context.meta:
        raise BadInput("Give only one of --steps, --time, --epochs and --skip-warmup.", "several_ranges")
    name = option.opts[0]
    text = name.removeprefix("--") if value is True else str(value).strip()
    _check(name, text)
    context.meta[_CHOSEN] = f"epochs={text}" if name == "--epochs" else text


def _check(name: str, text: str) -> None:
    """That each option gets its own kind of range: a time is no step."""
    from stepscope.analyses.ranges.text import RangeKind, parse_range

    kind = parse_range(f"epochs={text}" if name == "--epochs" else text).kind
    fitting = {"--steps": {RangeKind.STEPS, RangeKind.TYPICAL}, "--time": {RangeKind.TIME}}.get(name)
    if fitting is not None and kind not in fitting:
        other = {RangeKind.TIME: "--time", RangeKind.EPOCHS: "--epochs", RangeKind.SKIP_WARMUP: "--skip-warmup"}.get(kind, "--steps")
        raise BadInput(f"{name} does not accept the range {text!r}; use {other}.", "bad_range")
