"""Names run folders by date and by what a run varies, and makes each of them once."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Mapping
from datetime import date
from typing import cast

from stepscope.writer import background
from stepscope.writer.bell import Bell
from stepscope.writer.masking import is_secret_name, masked

LONGEST_NAME = 120
LONGEST_NAME_BYTES = 200
"""File systems take 255, some of which are left for a number."""
LONGEST_WAIT_SECONDS = 1.0
"""A disk that has not made the folder by then hangs."""
_MOST_OF_ONE_NAME = 10_000
_NOT_IN_NAMES = re.compile(r"[^\w.+-]+")


def run_name(day: date, parameters: Mapping[str, object]) -> str:
    """2026-03-28_resnet50_lr0.001: texts stand for themselves, numbers behind their name, truth values as the name."""
    parts = [part for name, value in parameters.items() if (part := _part(name, value))]
    name = "_".join([day.isoformat(), *parts])[:LONGEST_NAME]
    return name.encode()[:LONGEST_NAME_BYTES].decode(errors="ignore").rstrip("_.-")


def make_folder(parent: str, name: str) -> str:
    """Makes a folder that was not there before: the name, or the name with -2, -3 and so on.

    A disk that refuses is left to the writer, which warns, keeps what is logged and tries again. One that hangs is not waited for: the
    folder gets a name that nobody else takes, and is made by the writer as well.
    """
    made: list[str] = []
    bell = Bell()
    given_up = False

    def make() -> None:
        folder = _first_free(parent, name)
        made.append(folder)
        bell.ring()
        if given_up:
            with contextlib.suppress(OSError):
                os.rmdir(folder)

    if not background.start(make):
        make()
    if bell.wait(lambda: bool(made), LONGEST_WAIT_SECONDS):
        return made[0]
    given_up = True
    return os.path.join(parent, f"{name}-{os.getpid()}-{time.time_ns()}")


def _first_free(parent: str, name: str) -> str:
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
