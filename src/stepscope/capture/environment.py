"""STEPSCOPE_PROFILE='steps=1,10,100 memory': a capture that is asked for without touching the program."""

from __future__ import annotations

import logging
import os
from typing import Any

from stepscope.capture.profile import Capture, profile

VARIABLE = "STEPSCOPE_PROFILE"
_SWITCHES = ("shapes", "memory", "stacks", "python", "allocations", "system")
_VALUES = ("steps", "epochs", "name", "framework", "budget")
_log = logging.getLogger("stepscope.capture")


def capture_from_environment(logdir: str, framework: str | None = None) -> Capture | None:
    """The capture that the variable asks for, into the run's folder; None when there is none, with a warning when it is a mistake."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return None
    try:
        options: dict[str, Any] = {"framework": framework, **options_of(text)}
        return profile(logdir, **options)
    except ValueError as error:
        _log.warning("%s is ignored: %s", VARIABLE, error)
        return None


def options_of(text: str) -> dict[str, Any]:
    """Words as `memory` and `no-shapes`, and values as `steps=10-20`, as arguments of stepscope.profile. Raises ValueError."""
    options: dict[str, Any] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if equals and name in _VALUES and value:
            options[name] = value
        elif not equals and word.removeprefix("no-") in _SWITCHES:
            options[word.removeprefix("no-")] = not word.startswith("no-")
        else:
            raise ValueError(f"{word!r} is none of steps=…, epochs=…, name=…, framework=…, budget=…, {', '.join(_SWITCHES)}.")
    if "steps" not in options and "epochs" not in options:
        raise ValueError("give steps=10-20, or epochs=1, so that a capture ends.")
    return options
