"""The critical path on the Profile tab: what the length of a typical step consists of, and what runs beside it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from stepscope.analyses.breakdown import break_down
from stepscope.analyses.steps import find_steps
from stepscope.analyses.what_if.critical_path import CriticalPath, PathRow, critical_path
from stepscope.analyses.what_if.path_savings import PathSaving, path_savings
from stepscope.analyses.what_if.prediction import replay_context
from stepscope.dashboards.profile.messages import RangeText, ReadingRow, SessionText, StepsText, WorkerText
from stepscope.queries.profiles import Opened

MOST_ROWS = 5_000
_MS = 1e6


class PathRequest(Struct, frozen=True):
    """Which session, and the worker whose steps to follow (none: the slowest); the path may go through all of them."""

    session: SessionText
    worker: WorkerText = ""
    steps: StepsText = ""
    range: RangeText = ""


class PathPart(Struct, frozen=True):
    """A class of time on the path; the parts sum to the step."""

    part: str
    ms: float
    share: float


class PathGain(Struct, frozen=True):
    """Parts of the path that a lever takes away, and by how much a step would be shorter without them; fractions of the step."""

    lever: str
    parts: list[str]
    path: float
    saves: float


class PathLine(Struct, frozen=True):
    """What one operation has on the path of a typical step and beside it; `slack_ms` is null where nothing of it is off the path."""

    name: str
    part: str
    worker: str
    steps: int
    path_ms: float
    share: float
    beside_ms: float
    slack_ms: float | None


class PathFound(Struct, frozen=True):
    """`model` is "dependencies", or "exclusive time" where the recording has none; `note` says what is weaker then."""

    model: str
    note: str
    worker: str
    step_ms: float
    parts: list[PathPart]
    savings: list[PathGain]
    operations: list[PathLine]
    total: int


class PathAnswer(Struct, frozen=True):
    """The answer, or how far reading has come; at most 5,000 of the `total` rows are sent."""

    epoch: int
    reading: ReadingRow | None
    path: PathFound | None


def path_of(opened: Opened, worker: str, steps: str) -> PathFound:
    """The critical path of a worker. Raises BadInput."""
    timed = [place for place, profile in enumerate(opened.profiles) if len(profile.spans)]
    profiles = [opened.profiles[place] for place in timed]
    workers = [opened.files[place].worker for place in timed]
    breakdowns = [break_down(profile, find_steps(profile, steps or None)) for profile in profiles]
    slowest = max(range(len(profiles)), key=lambda place: (breakdowns[place].typical_ns, -place))
    rank = workers.index(worker) if worker in workers else slowest
    path = critical_path(profiles, breakdowns, rank)
    return _found(path, path_savings(replay_context(profiles, breakdowns), path), workers, rank)


def _found(path: CriticalPath, savings: Sequence[PathSaving], workers: list[str], rank: int) -> PathFound:
    whole = path.step_ns or 1.0
    return PathFound(
        model=path.model,
        note=path.note,
        worker=workers[rank],
        step_ms=path.step_ns / _MS,
        parts=[PathPart(part, ns / _MS, ns / whole) for part, ns in path.parts],
        savings=[PathGain(one.lever, list(one.parts), one.path, one.saves) for one in savings],
        operations=[_line(row, workers) for row in path.rows[:MOST_ROWS]],
        total=len(path.rows),
    )


def _line(row: PathRow, workers: list[str]) -> PathLine:
    return PathLine(
        name=row.name,
        part=row.part,
        worker=workers[row.rank],
        steps=row.steps,
        path_ms=row.path_ns / _MS,
        share=row.share,
        beside_ms=row.beside_ns / _MS,
        slack_ms=None if row.slack_ns is None else row.slack_ns / _MS,
    )
