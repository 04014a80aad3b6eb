"""Stepscope: see what training does, why it is slow, and what to change."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stepscope import summary
    from stepscope.capture import SystemMonitor
    from stepscope.logdir import open_folder as open
    from stepscope.writer import SummaryWriter
    from stepscope.writer.recording import every, record_if

__version__ = "0.1.0"

__all__ = ["SummaryWriter", "SystemMonitor", "__version__", "every", "open", "record_if", "summary"]

_HOME_OF = {
    "SummaryWriter": ("stepscope.writer", "SummaryWriter"),
    "SystemMonitor": ("stepscope.capture", "SystemMonitor"),
    "every": ("stepscope.writer.recording", "every"),
    "open": ("stepscope.logdir", "open_folder"),
    "record_if": ("stepscope.writer.recording", "record_if"),
    "summary": ("stepscope.summary", ""),
}
"""Name to module and name there, or "" for the module: nothing is loaded before it is used, so training pays for the writer alone."""


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOME_OF[name]
    home = importlib.import_module(module)
    return getattr(home, attribute) if attribute else home


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
