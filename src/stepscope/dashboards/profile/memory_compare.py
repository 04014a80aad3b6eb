"""Memory of several sessions of a run compared: what the route takes and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.memory.several import MemoryOfEach, first_step, memory_of_each
from stepscope.analyses.memory.timeline import StackedBy
from stepscope.dashboards.profile.memory import size_text
from stepscope.dashboards.profile.messages import ReadingRow, SessionText
from stepscope.queries.names import path_text
from stepscope.queries.profiles import Opened, SessionOfRun

MOST_SESSIONS = 12
MOST_ROWS = 200


class MemoryCompareRequest(Struct, frozen=True):
    """A session, whose run's sessions are compared, or ids of sessions with commas between; what makes a row."""

    session: SessionText
    sessions: Annotated[str, Meta(max_length=2_000)] = ""
    by: StackedBy = StackedBy.OP


class ComparedSession(Struct, frozen=True):
    """One column; `step` is the first one recorded, null where steps have no numbers."""

    session: str
    name: str
    time: float
    step: int | None


class ComparedRow(Struct, frozen=True):
    """Bytes at the peak of each session; null where a session has nothing of this memory."""

    name: str
    bytes: list[int | None]
    change_bytes: int


class ComparedMemory(Struct, frozen=True):
    """One memory; rows with the largest change first, of many the first ones."""

    name: str
    sentence: str
    peaks: list[int | None]
    rows: list[ComparedRow]


class MemoriesCompared(Struct, frozen=True):
    """Sessions by their first step, or by time where some have none or two have the same."""

    by_step: bool
    sessions: list[ComparedSession]
    memories: list[ComparedMemory]


class MemoryCompareAnswer(Struct, frozen=True):
    """The comparison, or how far reading all sessions has come."""

    epoch: int
    reading: ReadingRow | None
    compared: MemoriesCompared | None


def sessions_of(found: SessionOfRun, named: Sequence[SessionOfRun]) -> list[SessionOfRun]:
    """Those that are named, else the newest of the run, oldest first; one worker of each."""
    own = [SessionOfRun(found.run, session) for session in found.run.profiles]
    newest = sorted(named or own, key=lambda one: one.session.time)[-MOST_SESSIONS:]
    return [one.with_memory("") for one in newest]


def as_one(sessions: Sequence[SessionOfRun]) -> SessionOfRun:
    """The files of all as one thing to read."""
    files = tuple(dict.fromkeys(file for one in sessions for file in one.session.files))
    name = " and ".join(one.session.id for one in sessions)
    return SessionOfRun(sessions[0].run, replace(sessions[0].session, id=name, files=files))


def compare_memory(opened: Opened, sessions: Sequence[SessionOfRun], by: StackedBy) -> MemoriesCompared:
    """What is held at the peak of each; sessions that cannot be read are left out."""
    profiles = dict(zip(opened.files, opened.profiles, strict=True))
    read = [(one, [profiles[file] for file in one.session.files if file in profiles]) for one in sessions]
    known = [(one, mine, first_step(mine)) for one, mine in read if mine]
    steps = [step for _, _, step in known]
    by_step = None not in steps and len(set(steps)) == len(steps)
    if by_step:
        known.sort(key=lambda each: each[2] or 0)
    columns = [ComparedSession(one.session.id, path_text(one.session.name), one.session.time, step) for one, _, step in known]
    memories = memory_of_each([mine for _, mine, _ in known], by)
    return MemoriesCompared(by_step, columns, [_row(found, columns if by_step else []) for found in memories])


def _row(found: MemoryOfEach, columns: Sequence[ComparedSession]) -> ComparedMemory:
    rows = [ComparedRow(row.name, list(row.bytes), row.change) for row in found.rows[:MOST_ROWS]]
    return ComparedMemory(found.name, _sentence(found, columns), list(found.peaks), rows)


def _sentence(found: MemoryOfEach, columns: Sequence[ComparedSession]) -> str:
    places = [place for place, peak in enumerate(found.peaks) if peak is not None]
    first, last = found.peaks[places[0]] or 0, found.peaks[places[-1]] or 0
    where = (
        f"from step {columns[places[0]].step:,} to step {columns[places[-1]].step:,}"
        if columns
        else "from the first profile to the last"
    )
    if first == last:
        return f"The peak stays {size_text(first)} {where}."
    grew = last > first
    most = next((row for row in found.rows if (row.change > 0) is grew and row.change), None)
    why = f", most of all {most.name} ({'+' if grew else '−'}{size_text(abs(most.change))})" if most else ""
    return f"The peak {'grows' if grew else 'shrinks'} {where} by {size_text(abs(last - first))} to {size_text(last)}{why}."
