"""How a request says that metrics are read, checked."""

from __future__ import annotations

import math

from stepscope.dashboards.hparams import messages as m
from stepscope.model.errors import BadInput, TooMuch
from stepscope.queries.hparams.metrics import Asked


def asked(request: m.ReadingRequest) -> Asked:
    """How metrics are read. Raises BadInput or TooMuch."""
    check_count(len(request.flipped), "tags", m.MAX_FLIPPED)
    if request.reading == "at" and request.at is None:
        raise BadInput("at must be a step when reading is at.", "no_step")
    return Asked(request.reading, request.mean_of, math.inf if request.at is None else request.at)


def check_count(count: int, what: str, limit: int) -> None:
    """Raises TooMuch over the limit."""
    if count > limit:
        raise TooMuch(f"A request can name at most {limit:,} {what}; ask for fewer.", "too_many")
