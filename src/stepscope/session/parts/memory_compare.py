"""Memory of several sessions, such as those of steps 1, 10 and 100 of a run: the peak of each, and what holds more of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Struct

from stepscope.analyses.memory.several import MemoryOfEach, first_step, memory_of_each
from stepscope.analyses.memory.timeline import StackedBy
from stepscope.analyses.texts import size_text
from stepscope.model import declared as d
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Limit, limited
from stepscope.session.part import Answer, Files, Wanted
from stepscope.session.several import SeveralPart


class MemoryCompareWanted(Wanted, frozen=True, kw_only=True):
    """What makes a row, and how many are listed."""

    by: Annotated[StackedBy, d.text("What makes one row.")] = StackedBy.OP
    limit: Limit = 0


class ComparedSession(Struct, frozen=True, kw_only=True):
    """One session."""

    session: Annotated[str, d.text("Id of the session.")]
    name: Annotated[str, d.text("Name of the session.")]
    time: Annotated[float, d.number("When it was recorded, in seconds since 1970.", "s")]
    step: Annotated[int | None, d.number("First step that it records; null when its steps have no numbers.", "step")]


class ComparedRow(Struct, frozen=True, kw_only=True):
    """Memory of one operation, module or kind at the peak of each session."""

    name: Annotated[str, d.text("Operation, module or kind.")]
    bytes: Annotated[list[int | None], d.size("Held at the peak of each session; null where it does not record this memory.")]
    change_bytes: Annotated[int, d.size("Change from the first session that records this memory to the last.")]


class ComparedMemory(Struct, frozen=True, kw_only=True):
    """One memory that at least two sessions record."""

    name: Annotated[str, d.text("Device, such as `GPU 0 (A100)`, or `host`.")]
    sentence: Annotated[str, d.text("How the peak changes, in one sentence.")]
    peak_bytes: Annotated[list[int | None], d.size("Peak of each session; null where it does not record this memory.")]
    rows: Annotated[list[ComparedRow], d.nested("What is held at the peaks, largest change first.")]


class MemoryCompared(Answer, frozen=True, kw_only=True):
    """Memory of several sessions; those that cannot be read are left out."""

    by_step: Annotated[bool, d.flag("Whether sessions are ordered by their first step; else by time.")]
    sessions: Annotated[list[ComparedSession], d.nested("The sessions in order.")]
    memories: Annotated[list[ComparedMemory], d.nested("The memories.")]


def _choices(_: MemoryCompareWanted, sessions: int) -> Sequence[Wanted]:
    return [Wanted()] * sessions


def _make(sessions: Sequence[AnalysedSession], wanted: MemoryCompareWanted) -> MemoryCompared:
    known = [(session, first_step(session.profiles)) for session in sorted(sessions, key=lambda one: one.time)]
    steps = [step for _, step in known]
    by_step = None not in steps and len(set(steps)) == len(steps)
    if by_step:
        known.sort(key=lambda each: each[1] or 0)
    columns = [ComparedSession(session=one.id, name=one.name, time=one.time, step=step) for one, step in known]
    memories = memory_of_each([one.profiles for one, _ in known], wanted.by)
    return MemoryCompared(
        by_step=by_step,
        sessions=columns,
        memories=[_memory(found, columns if by_step else [], wanted.limit) for found in memories],
    )


def _memory(found: MemoryOfEach, columns: Sequence[ComparedSession], limit: int) -> ComparedMemory:
    rows = [ComparedRow(name=row.name, bytes=list(row.bytes), change_bytes=row.change) for row in limited(found.rows, limit)]
    return ComparedMemory(name=found.name, sentence=_sentence(found, columns), peak_bytes=list(found.peaks), rows=rows)


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


MEMORY_COMPARE = SeveralPart(
    "memory_compare",
    "Memory of several sessions",
    MemoryCompareWanted,
    MemoryCompared,
    _choices,
    _make,
    files=Files.MEMORY,
    skips_unreadable=True,
)
