"""Modules of the tensorboard package, for what only its own message classes can answer."""

from __future__ import annotations

import importlib
from typing import Any

from stepscope.model.errors import NeedsExtra


def peer_module(name: str) -> Any:  # noqa: ANN401 - a module without types
    """A module of tensorboard. Raises NeedsExtra."""
    try:
        return importlib.import_module(name)
    except ImportError as problem:
        raise NeedsExtra(f"Install stepscope[plugins]: this needs TensorBoard's messages ({problem}).", "needs_extra") from problem
