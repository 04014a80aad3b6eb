"""Stepscope: see what training does, why it is slow, and what to change."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stepscope.capture import SystemMonitor
    from stepscope.logdir import open_folder as open
    from stepscope.writer import SummaryWriter

__version__ = "0.1.0"

__all__ = ["SummaryWriter", "SystemMonitor", "__version__", "open"]

_HOME_OF = {
    "SummaryWriter": ("stepscope.writer", "SummaryWriter"),
    "SystemMonitor": ("stepscope.capture", "SystemMonitor"),
    "open": ("stepscope.logdir", "open_folder"),
}
"""Name to module and name there: nothing is loaded before it is used, so a training process pays for the writer alone."""


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOME_OF[name]
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
