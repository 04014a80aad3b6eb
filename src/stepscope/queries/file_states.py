"""Whether an event file could be read, and the first thing that is wrong with it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from stepscope.store.library import FileRecord

FileState = Literal["good", "damaged", "waiting", "unreadable"]


class Condition(NamedTuple):
    """One file: `reason` and `offset` are of the first corrupt region, or of why it cannot be read."""

    state: FileState
    reason: str | None = None
    offset: int | None = None


def condition_of(file: FileRecord) -> Condition:
    """Unreadable before damaged before waiting: what is worst."""
    events = file.events
    if file.problem is not None:
        return Condition("unreadable", file.problem)
    if events.skipped:
        offset, _, reason = next(iter(events.faults), (None, 0, None))
        return Condition("damaged", reason, offset)
    if events.pending:
        return Condition("waiting", "ends inside a record; the writer may not have finished", events.offset)
    return Condition("good")
