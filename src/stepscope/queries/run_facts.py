"""What is known of one run from its files: times, counts, restarts, and whether the log says that it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from stepscope.queries.view import ShownRun, first_wall, last_point, last_wall
from stepscope.store.library import FileRecord

Ended = Literal["finished", "crashed"]
LONGEST_QUIET = 5.0
"""Of how many times its whole length a run may be quiet and its gaps still matter."""

_STOP = 2
_SUCCESS, _FAILURE = 1, 2


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Sums over a run's files. Walls are None until there is an event."""

    started: float | None
    last_event: float | None
    last_point: float | None
    """The newest value, such as a scalar or an image; `last_event` counts what ends or describes the run too."""
    last_write: float | None
    points: int
    bytes: int
    files: int
    skipped: int
    file_series: int
    """Series of all files; one in two files counts twice."""
    ended: Ended | None
    """`finished` or `crashed` when the newest file's log says that the run ended."""


def run_facts(run: ShownRun) -> RunFacts:
    """Adds up what the files say."""
    started: float | None = None
    newest: float | None = None
    point: float | None = None
    written: float | None = None
    points = size = files = skipped = series = 0
    ended: Ended | None = None
    for file in run.files():
        events = file.events
        files += 1
        points += events.points
        skipped += events.skipped
        series += events.series_count
        size += file.size
        written = file.modified if written is None else max(written, file.modified)
        first, last = first_wall(events), last_wall(events)
        if first is not None:
            started = first if started is None else min(started, first)
        logged = last_point(events)
        if logged is not None:
            point = logged if point is None else max(point, logged)
        if last is not None and (newest is None or last >= newest):
            newest, ended = last, _ending(file)
    if files == 0 and run.record.profiles:
        # Without an event the profiles are all there is to put the run in its place in time.
        started = min(session.time for session in run.record.profiles)
        written = max(file.modified for session in run.record.profiles for file in session.files)
    return RunFacts(started, newest, point, written, points, size, files, skipped, series, ended)


def writers_at_once(run: ShownRun) -> int:
    """How many files were being written at the same moment, at most."""
    spans = [span for file in run.record.files if (span := _span(file)) is not None]
    if len(spans) < 2:
        return 1
    # At equal times an end sorts before a start: a file that begins where another ended is no second writer.
    moments = sorted([(last, -1) for first, last in spans if last > first] + [(first, 1) for first, last in spans if last > first])
    most = now = 1 if not moments else 0
    for _, change in moments:
        now += change
        most = max(most, now)
    return max(1, most)


def restarts(run: ShownRun) -> int:
    """How often writing began anew: files that start after all earlier ones ended, and session starts inside a file."""
    if len(run.record.files) == 1:
        return max(0, len(run.record.files[0].events.start_steps) - 1)
    sessions = 0
    end = float("-inf")
    for first, last, starts in sorted(
        (*span, len(file.events.start_steps)) for file in run.record.files if (span := _span(file)) is not None
    ):
        if first >= end:
            sessions += max(1, starts)
        end = max(end, last)
    return max(0, sessions - 1)


def series_count(run: ShownRun) -> int:
    """How many tags the run shows."""
    inside = sum(len(inside.tags) for inside in run.inside)
    files = run.record.files
    if len(files) == 1:
        return inside + files[0].events.series_count
    tags = [file.events.tag_ids() for file in files]
    return inside + (len(np.unique(np.concatenate(tags))) if tags else 0)


def _span(file: FileRecord) -> tuple[float, float] | None:
    """First and last wall time of a file that has points."""
    if not file.events.points:
        return None
    first, last = first_wall(file.events), last_wall(file.events)
    return None if first is None or last is None else (first, last)


def _ending(file: FileRecord) -> Ended | None:
    hparams = file.events.hparams_status
    if hparams == _FAILURE:
        return "crashed"
    return "finished" if hparams == _SUCCESS or file.events.session_status == _STOP else None


def usual_gap(run: ShownRun, facts: RunFacts, age: float) -> float:
    """Seconds between the steps of the run's busiest series; 0 when the run is too short to tell, or it cannot matter."""
    if facts.started is None or facts.last_event is None:
        return 0.0
    span = facts.last_event - facts.started
    if age > LONGEST_QUIET * span:
        return 0.0
    most = max((int(counts.max()) for file in run.record.files if len(counts := file.events.counts())), default=0)
    return span / (most - 1) if most >= 3 else 0.0
