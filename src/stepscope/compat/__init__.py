"""TensorBoard's HTTP routes and reader API on top of the same queries that Stepscope's own page uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stepscope.compat.event_accumulator import EventAccumulator

__all__ = ["EventAccumulator"]


def __getattr__(name: str) -> object:
    """Loads the reader when it is used: the routes do not need it."""
    if name != "EventAccumulator":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from stepscope.compat.event_accumulator import EventAccumulator

    return EventAccumulator
