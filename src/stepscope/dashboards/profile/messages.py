"""What the routes of the Profile tab take and answer. Times are milliseconds unless a name says otherwise, shares are fractions."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.ranges.chosen import LONGEST_RANGE
from stepscope.dashboards.profile.part_routes import ReadingRow as ReadingRow

SessionText = Annotated[str, Meta(max_length=64)]
StepsText = Annotated[str, Meta(max_length=10_000)]
RangeText = Annotated[str, Meta(max_length=LONGEST_RANGE)]
WorkerText = Annotated[str, Meta(max_length=1_000)]
RequestText = Annotated[str, Meta(max_length=1_000)]
Count = Annotated[int, Meta(ge=1, le=1 << 40)]
StepMs = Annotated[float, Meta(gt=0, le=1e9)]


class WorkerRow(Struct, frozen=True):
    """One process's file of a session."""

    worker: str
    file: str
    format: str
    bytes: int
    problem: str | None


class SessionRow(Struct, frozen=True):
    """A session as the picker lists it; without steps only its memory can be looked at."""

    id: str
    run: str
    run_name: str
    name: str
    time: float
    bytes: int
    has_steps: bool
    workers: list[WorkerRow]


class SessionsAnswer(Struct, frozen=True):
    """All sessions, newest first."""

    epoch: int
    sessions: list[SessionRow]


class ReportRequest(Struct, frozen=True):
    """Which session, which steps of it, and what only the user knows; empty or null: the best choice, and all steps.

    `step_ms` is a median step without the profiler, `batch` examples in one rank's step, `tokens` those in one example, and `request`
    the annotation around a request.
    """

    session: SessionText
    steps: StepsText = ""
    range: RangeText = ""
    step_ms: StepMs | None = None
    batch: Count | None = None
    tokens: Count | None = None
    request: RequestText = ""
