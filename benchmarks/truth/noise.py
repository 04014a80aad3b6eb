"""What was measured in blocks of steps, how noisy it is, and when it is too noisy to judge anything by it."""

from __future__ import annotations

import statistics
from typing import Any

NOISY = 0.2
"""Where the medians of equal blocks are further apart than this share of the step, a pair is not counted."""
Found = dict[str, Any]


def measured(blocks: list[list[float]]) -> Found:
    """The median step, and how far the medians of the blocks are apart."""
    median = statistics.median(ms for block in blocks for ms in block)
    medians = [statistics.median(block) for block in blocks]
    return {"median_ms": median, "spread": (max(medians) - min(medians)) / median, "steps": sum(map(len, blocks))}


def noise(before: Found, after: Found) -> float:
    """Of the noisier of both."""
    return max(before["spread"], after["spread"])


def too_noisy(row: Found) -> bool:
    """Whether a pair that was run cannot be judged; one that failed is a miss, not noise."""
    return "before" in row and noise(row["before"], row["after"]) > NOISY
