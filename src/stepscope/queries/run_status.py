"""Whether a run is being written, has finished, crashed or is stuck, as far as its files and its process tell, and why."""

from __future__ import annotations

import os
from typing import Literal

from stepscope.queries.run_about import process_of
from stepscope.queries.run_facts import RunFacts, usual_gap
from stepscope.queries.view import ShownRun, last_wall
from stepscope.store.library import FileRecord
from stepscope.store.processes import still_runs, this_host

LIVE_SECONDS = 60.0
"""A run written within this time is live."""
LIVE_GAPS = 5.0
"""So is one that has been quiet for fewer than this many of its usual gaps between writes."""

COPIED_SECONDS = 3600.0
"""A file whose newest event is this much older than its last write was copied or touched, not written by training."""

Status = Literal["live", "stuck", "crashed", "finished", "stale", "profile_only"]

_OUR_WRITER = b"stepscope.writer"
"""It marks the end of a run that did not end by an error; other writers mark none."""


def status_of(run: ShownRun, facts: RunFacts, now: float) -> tuple[Status, str]:
    """The status, and a few words that say why."""
    if facts.ended is not None:
        return facts.ended, "the log reports the end of the run" if facts.ended == "finished" else "the log reports a failure"
    if facts.files == 0 and run.record.profiles:
        return "profile_only", "has profiles but no event file"
    if facts.files == 0 or facts.last_write is None:
        return "stale", "no event file yet"
    if facts.last_event is not None and facts.last_write - facts.last_event > COPIED_SECONDS:
        # A copy says nothing about when the original was written, and its process may be anywhere.
        return "stale", f"last event {_duration(max(0.0, now - facts.last_event))} ago; the file is newer and may be a copy"
    age = max(0.0, now - facts.last_write)
    reason = f"last write {_duration(age)} ago"
    if age <= LIVE_SECONDS or age <= LIVE_GAPS * usual_gap(run, facts, age):
        return "live", reason
    return _of_quiet(_newest(run), facts.last_write, reason)


def _of_quiet(file: FileRecord | None, written: float, reason: str) -> tuple[Status, str]:
    """Of a run that should have written by now: its process tells, and whether its writer would have marked an end."""
    if file is None:
        return "stale", reason
    marks_ends = file.events.writer.startswith(_OUR_WRITER)
    process = process_of(os.path.basename(file.path))
    runs = still_runs(process[1], written) if process is not None and process[0] == this_host() else None
    if runs is True and process is not None:
        return "stuck", f"{reason}, but process {process[1]} is still running"
    if runs is False and (marks_ends or file.events.pending):
        how = "in the middle of a record" if file.events.pending else "without closing the log"
        return "crashed", f"{reason}; its process ended {how}"
    if runs is False:
        return "stale", f"{reason}; its process has ended, and the log does not say how"
    if marks_ends:
        where = f" on {process[0]}" if process is not None else ""
        return "stale", f"{reason}; the log was not closed: crashed or stuck{where}"
    return "stale", reason


def _newest(run: ShownRun) -> FileRecord | None:
    """The file with the newest event."""
    files = [(last, file) for file in run.files() if (last := last_wall(file.events)) is not None]
    return max(files, key=lambda one: one[0])[1] if files else None


def _duration(seconds: float) -> str:
    for unit, size in (("d", 86_400.0), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
