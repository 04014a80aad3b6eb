"""Fields that questions of several parts share: how many rows, which of them, and what only the user knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

from msgspec import Meta

from stepscope.model import declared as d

MOST_ROWS = 20_000
"""What the page asks for at most; `total` says how many rows there are."""

Limit = Annotated[int, Meta(ge=0, le=1 << 40, description="Most rows to answer; 0: all of them.")]
Contains = Annotated[str, Meta(max_length=1_000, description="Only rows whose name contains this text (case-insensitive).")]
LeastUs = Annotated[float, Meta(ge=0, description="Only rows with at least this total duration in µs.")]
LeastBytes = Annotated[int, Meta(ge=0, description="Only rows that allocate or access at least this many bytes.")]

Cores = Annotated[
    Annotated[int, Meta(ge=1, le=65_536)] | None,
    Meta(description="Cores of the profiled machine, if the profile does not record them."),
]
StepMs = Annotated[Annotated[float, Meta(gt=0, le=1e9)] | None, Meta(description="Median step time without the profiler, if known.")]

_Many = Annotated[int, Meta(ge=1, le=1 << 40)]
BatchSize = Annotated[_Many | None, d.count("Examples in one rank's step, if you know it.")]
Tokens = Annotated[_Many | None, d.count("Tokens in one example, if you know it.")]

SpanRow = Annotated[int, Meta(ge=0, le=1 << 40, description="Row of a span in the profile, counted from 0.")]

Worker = Annotated[str, d.text("Worker (rank) that the row belongs to.")]
Host = Annotated[str, d.text("Host name of the worker.")]
Rank = Annotated[int | None, d.number("Rank of the worker; null when the profile does not record it.", "rank")]

_Row = TypeVar("_Row")


def limited(rows: Sequence[_Row], limit: int) -> list[_Row]:
    """The first rows, or all of them when the limit is 0."""
    return list(rows[:limit] if limit else rows)


def contains(wanted: str, *names: str) -> bool:
    """Whether any of the names contains what is wanted."""
    return not wanted or any(wanted.lower() in name.lower() for name in names)
