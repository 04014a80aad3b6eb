"""Stepscope: see what training does, why it is slow, and what to change."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stepscope import hparams, projector, summary, tfprof
    from stepscope.capture import SystemMonitor
    from stepscope.capture.flight_recorder import flight_recorder
    from stepscope.capture.profile import profile
    from stepscope.capture.profilers.marked_ops import get_include
    from stepscope.capture.profilers.worker_samples import sample_worker
    from stepscope.capture.remote.server import serve_profiler
    from stepscope.capture.running import op, span
    from stepscope.capture.step_loop import phase, steps
    from stepscope.loaded_profile import load_profile
    from stepscope.logdir import open_folder as open
    from stepscope.run_folders import new_run
    from stepscope.serving import serve
    from stepscope.watching import log_gradients, log_weights, watch_numerics
    from stepscope.writer import SummaryWriter
    from stepscope.writer.annotate import annotate
    from stepscope.writer.recording import every, record_if

__version__ = "0.1.0"

__all__ = [
    "SummaryWriter",
    "SystemMonitor",
    "__version__",
    "annotate",
    "every",
    "flight_recorder",
    "get_include",
    "hparams",
    "load_profile",
    "log_gradients",
    "log_weights",
    "new_run",
    "op",
    "open",
    "phase",
    "profile",
    "projector",
    "record_if",
    "sample_worker",
    "serve",
    "serve_profiler",
    "span",
    "steps",
    "summary",
    "tfprof",
    "watch_numerics",
]

_HOME_OF = {
    "SummaryWriter": ("stepscope.writer", "SummaryWriter"),
    "SystemMonitor": ("stepscope.capture", "SystemMonitor"),
    "annotate": ("stepscope.writer.annotate", "annotate"),
    "every": ("stepscope.writer.recording", "every"),
    "flight_recorder": ("stepscope.capture.flight_recorder", "flight_recorder"),
    "get_include": ("stepscope.capture.profilers.marked_ops", "get_include"),
    "hparams": ("stepscope.hparams", ""),
    "load_profile": ("stepscope.loaded_profile", "load_profile"),
    "log_gradients": ("stepscope.watching", "log_gradients"),
    "log_weights": ("stepscope.watching", "log_weights"),
    "new_run": ("stepscope.run_folders", "new_run"),
    "op": ("stepscope.capture.running", "op"),
    "open": ("stepscope.logdir", "open_folder"),
    "phase": ("stepscope.capture.step_loop", "phase"),
    "profile": ("stepscope.capture.profile", "profile"),
    "projector": ("stepscope.projector", ""),
    "record_if": ("stepscope.writer.recording", "record_if"),
    "sample_worker": ("stepscope.capture.profilers.worker_samples", "sample_worker"),
    "serve": ("stepscope.serving", "serve"),
    "serve_profiler": ("stepscope.capture.remote.server", "serve_profiler"),
    "span": ("stepscope.capture.running", "span"),
    "steps": ("stepscope.capture.step_loop", "steps"),
    "summary": ("stepscope.summary", ""),
    "tfprof": ("stepscope.tfprof", ""),
    "watch_numerics": ("stepscope.watching", "watch_numerics"),
}
"""Name to module and name there, or "" for the module: nothing is loaded before it is used, so training pays for the writer alone."""


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOME_OF[name]
    home = importlib.import_module(module)
    found = getattr(home, attribute) if attribute else home
    globals()[name] = found  # The next use is as quick as that of any name.
    return found


def __dir__() -> list[str]:
    """What there is to use, and not what this file needs for itself."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
