"""Which value of a metric is its best: the lowest of a loss, the highest of an accuracy; web/src/runs/goals.ts has the same words."""

from __future__ import annotations

import re
from typing import Literal

Goal = Literal["min", "max"]

HIGHER = frozenset(
    """accuracy acc top1 top5 precision recall f1 auc auroc ap map miou iou dice bleu rouge meteor reward return score psnr ssim
    r2 throughput mfu utilization bandwidth""".split()  # noqa: SIM905 - read as words
)
_WORD = re.compile(r"[^a-z0-9]+")
_HUMP = re.compile(r"([a-z])([A-Z])")
_PER_SECOND = re.compile(r"(?:^|[^a-z])(?:per_?s|per_sec|per_second|/s|it_s|fps|qps)(?:$|[^a-z])")
_SAID_LOWER = re.compile(r"\bminimi[sz]e|\blower is better|\bthe lower the better", re.IGNORECASE)
_SAID_HIGHER = re.compile(r"\bmaximi[sz]e|\bhigher is better|\bthe higher the better", re.IGNORECASE)


def goal_of(tag: str) -> Goal:
    """The goal that a tag's name suggests."""
    lower = _HUMP.sub(r"\1_\2", tag).lower()
    return "max" if not HIGHER.isdisjoint(_WORD.split(lower)) or _PER_SECOND.search(lower) else "min"


def goal_in(description: str) -> Goal | None:
    """The goal that a metric's description states: hparams records have no other place for one."""
    lower, higher = _SAID_LOWER.search(description), _SAID_HIGHER.search(description)
    if (lower is None) == (higher is None):
        return None
    return "min" if lower else "max"
