"""Several sessions along what differs between them: what the route takes and answers, of a typical step of each."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.compare.trend import Trend, TrendPoint, along, batch_of, trend
from stepscope.analyses.ranges.chosen import choose, parse_range
from stepscope.analyses.summary import Summary, summarise
from stepscope.analyses.time_classes import Group
from stepscope.dashboards.profile.messages import RangeText, ReadingRow, StepsText
from stepscope.model.errors import BadInput
from stepscope.queries.hyperparameters import hyperparameters
from stepscope.queries.profiles import Opened, SessionOfRun

FEWEST = 2
MOST = 40
_MS = 1e6


class TrendRequest(Struct, frozen=True):
    """Ids of sessions with commas between them, their source of steps, which range of each, and the hyperparameter to order by."""

    sessions: Annotated[str, Meta(max_length=2_000)]
    steps: StepsText = ""
    range: RangeText = ""
    by: Annotated[str, Meta(max_length=1_000)] = ""


class PeakOfMemory(Struct, frozen=True):
    """The most that one memory held."""

    memory: str
    bytes: int


class TrendRow(Struct, frozen=True):
    """One session; `position` is its label as a number, null when it is none. `groups` are fractions in the usual order."""

    session: str
    label: str
    position: float | None
    steps: int
    step_ms: float
    noise_ms: float | None
    steps_per_second: float
    examples_per_second: float | None
    groups: list[float]
    peaks: list[PeakOfMemory]


class GrowingRow(Struct, frozen=True):
    """An operation that holds more at the peak of the last session than of the first."""

    memory: str
    op: str
    before_bytes: int
    after_bytes: int


class TrendFound(Struct, frozen=True):
    """Sorted by position, or as asked for where some label is no number; `choices` are hyperparameters that all runs logged."""

    by: str
    sentence: str
    points: list[TrendRow]
    growing: list[GrowingRow]
    choices: list[str]


class TrendAnswer(Struct, frozen=True):
    """The trend, or how far reading all of them has come."""

    epoch: int
    reading: ReadingRow | None
    trend: TrendFound | None


def wanted_sessions(request: TrendRequest) -> list[str]:
    """The ids, each once. Raises BadInput."""
    if request.range:
        parse_range(request.range)
    ids = list(dict.fromkeys(part for part in request.sessions.split(",") if part))
    if not FEWEST <= len(ids) <= MOST:
        raise BadInput(f"A trend is of {FEWEST} to {MOST} profiles; choose as many.", "few_profiles")
    return ids


def together(found: list[SessionOfRun]) -> SessionOfRun:
    """The files of all sessions as one thing to read."""
    files = tuple(dict.fromkeys(file for one in found for file in one.session.files))
    name = " and ".join(one.session.id for one in found)
    return SessionOfRun(found[0].run, replace(found[0].session, id=name, files=files))


def trend_of(opened: Opened, found: list[SessionOfRun], request: TrendRequest) -> TrendFound:
    """Each session summarised by itself. Raises BadInput."""
    profiles = dict(zip(opened.files, opened.profiles, strict=True))
    summaries: list[Summary] = []
    for one in found:
        mine = [profiles[file] for file in one.session.files if file in profiles]
        if not mine:
            raise BadInput(f"No file of the session {one.session.name} can be read; leave it out.", "unreadable")
        summaries.append(summarise(choose(mine, request.range, request.steps or None), request.steps or None))
    logged = [hyperparameters(file.path for file in one.run.files) for one in found]
    shared = sorted(name for name in logged[0] if all(name in each for each in logged))
    if request.by and request.by not in shared:
        raise BadInput(f"Not all of the runs logged a hyperparameter {request.by}; order by another one.", "no_hyperparameter")
    by, labels = (request.by, [each[request.by] for each in logged]) if request.by else along(summaries, logged)
    made = trend(summaries, labels, by, [batch_of(*pair) for pair in zip(summaries, logged, strict=True)])
    return _answer(
        made, [one.session.id for one in found], labels, [name for name in shared if len({each[name] for each in logged}) > 1]
    )


def _answer(made: Trend, ids: list[str], labels: list[str], choices: list[str]) -> TrendFound:
    waiting = list(zip(labels, ids, strict=True))
    rows: list[TrendRow] = []
    for point in made.points:
        place = next(place for place, (label, _) in enumerate(waiting) if label == point.label)
        rows.append(_row(point, waiting.pop(place)[1]))
    growing = [GrowingRow(each.memory, each.op, each.before, each.after) for each in made.growing]
    return TrendFound(made.by, made.sentence, rows, growing, choices)


def _row(point: TrendPoint, session: str) -> TrendRow:
    return TrendRow(
        session=session,
        label=point.label,
        position=point.position,
        steps=point.steps,
        step_ms=point.step_ns / _MS,
        noise_ms=None if point.noise_ns is None else point.noise_ns / _MS,
        steps_per_second=point.steps_per_second,
        examples_per_second=point.examples_per_second,
        groups=[point.groups[group] for group in Group],
        peaks=[PeakOfMemory(peak.memory, peak.bytes) for peak in point.peaks],
    )
