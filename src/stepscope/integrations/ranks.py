"""Which of several training processes logs for all."""

from __future__ import annotations

from stepscope.capture.ranks import rank

__all__ = ["is_first", "rank"]


def is_first() -> bool:
    """Whether this is the process that logs for all."""
    return rank() == 0
