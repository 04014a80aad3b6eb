"""Names run folders by date and by what a run varies, and makes each of them once."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import cast

from stepscope.writer.masking import is_secret_name, masked

LONGEST_NAME = 120
_MOST_OF_ONE_NAME = 10_000
_NOT_IN_NAMES = re.compile(r"[^\w.+-]+")


def run_name(day: date, parameters: Mapping[str, object]) -> str:
    """2026-03-28_resnet50_lr0.001: texts stand for themselves, numbers behind their name, truth values as the name."""
    parts = [part for name, value in parameters.items() if (part := _part(name, value))]
    return "_".join([day.isoformat(), *parts])[:LONGEST_NAME].rstrip("_.-")


def make_folder(parent: str, name: str) -> str:
    """Makes a folder that was not there before: the name, or the name with -2, -3 and so on.

    A disk that refuses is left to the writer, which warns, keeps what is logged and tries again.
    """
    folder = os.path.join(parent, name)
    with contextlib.suppress(OSError):
        os.makedirs(parent, exist_ok=True)
        for number in range(2, _MOST_OF_ONE_NAME):
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder)
                return folder
            folder = os.path.join(parent, f"{name}-{number}")
    return folder


def _part(name: str, value: object) -> str:
    if value is None or isinstance(value, dict | list | tuple | set) or is_secret_name(name):
        return ""
    if isinstance(value, bool):
        return _clean(name) if value else f"no-{_clean(name)}"
    if isinstance(value, int | float):
        return f"{_clean(name)}{value:g}" if isinstance(value, float) else f"{_clean(name)}{value}"
    item = cast("Callable[[], object] | None", getattr(value, "item", None))
    if item is None:
        return _clean(masked(str(value)))
    try:
        return _part(name, item())
    except (TypeError, ValueError, RuntimeError):  # An array of several numbers has no place in a name.
        return ""


def _clean(text: str) -> str:
    """Only letters, digits and what is harmless in a file name and in a search for runs."""
    return _NOT_IN_NAMES.sub("-", text).strip("-.")
