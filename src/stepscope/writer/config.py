"""A run's configuration: nested settings as one flat table, written as Markdown and as hyperparameters."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, cast

from stepscope.writer.hparams import Plain, hparams_event, session_start, work_of
from stepscope.writer.masking import MASK, is_secret_name, masked
from stepscope.writer.summary import Deferred, Moment
from stepscope.writer.text import text_work

TAG = "config"
SEPARATOR = "."
MOST_SETTINGS = 10_000
LONGEST_VALUE = 2_000
_DEEPEST = 32


def config_works(config: object, moment: Moment) -> list[Deferred]:
    """The events of a configuration: the table, and the start of a session with these hyperparameters."""
    settings = flat(config)
    values = {name: value for name, value in settings.items() if value is not None}
    start = session_start(values, "", moment.wall_time)
    return [text_work(TAG, table(settings), moment), work_of(hparams_event("session_start_info", start, moment))]


def flat(config: object) -> dict[str, Plain | None]:
    """Every setting by its full name, as {"optimizer": {"lr": 0.1}} becomes optimizer.lr; secrets are hidden.

    Takes dictionaries, and what has its settings as attributes: the namespaces of argparse, and dataclasses.
    """
    found = dict(islice(_walk(settings_of(config), "", 0), MOST_SETTINGS + 1))
    if len(found) > MOST_SETTINGS:
        raise ValueError(f"Give a configuration of at most {MOST_SETTINGS} settings.")
    return found


def settings_of(config: object) -> Mapping[Any, Any]:
    """The configuration's own settings by their names, as they are."""
    found = _inside(config)
    if found is None:
        raise TypeError(f"Give the configuration as a dictionary, not as {type(config).__name__}.")
    return found


def table(settings: Mapping[str, Plain | None], heads: tuple[str, str] = ("Parameter", "Value")) -> str:
    """The settings as a Markdown table."""
    lines = [f"| {heads[0]} | {heads[1]} |", "|---|---|"]
    lines += [f"| {_cell(name)} | {_cell(str(value))} |" for name, value in settings.items()]
    return "\n".join(lines) + "\n"


def _walk(settings: Mapping[Any, Any], prefix: str, depth: int) -> Iterator[tuple[str, Plain | None]]:
    if depth >= _DEEPEST:
        raise ValueError(f"Give a configuration at most {_DEEPEST} levels deep; does {prefix.rstrip(SEPARATOR)} contain itself?")
    for key, value in settings.items():
        name = f"{prefix}{key}"
        inside = _inside(value)
        if inside:
            yield from _walk(inside, f"{name}{SEPARATOR}", depth + 1)
        else:
            yield name, _plain(name, value)


def _inside(value: object) -> Mapping[Any, Any] | None:
    """The settings inside a value, or None when it is one itself."""
    if isinstance(value, Mapping):
        return cast("Mapping[Any, Any]", value)
    if isinstance(value, type):
        return None
    fields = cast("Mapping[str, object] | None", getattr(value, "__dataclass_fields__", None))
    if fields is not None and not hasattr(value, "__dict__"):  # of a dataclass with slots
        return {name: getattr(value, name) for name in fields if hasattr(value, name)}
    return vars(value) if fields is not None or type(value).__name__ in ("Namespace", "SimpleNamespace") else None


def _plain(name: str, value: object) -> Plain | None:
    """Numbers, truth values and None stay; anything else is its text."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        value = cast("Any", value).item()
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**1023 else str(value)[:LONGEST_VALUE]
    if is_secret_name(name):
        return MASK
    text = masked(value if isinstance(value, str) else _text_of(value))
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def _text_of(value: object) -> str:
    """A value that cannot even be shown must not end a training."""
    try:
        return str(value)
    except Exception as error:  # noqa: BLE001 (any class may have any __str__)
        return f"<{type(value).__name__}: {type(error).__name__} when shown>"


def _cell(text: str) -> str:
    """On one line, with nothing in it that Markdown or HTML would take for its own."""
    for character in "\\`*_|[]<>":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.splitlines())
