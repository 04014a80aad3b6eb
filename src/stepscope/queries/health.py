"""Health: what was read of each file, what had to be stepped over, and why."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.shared_columns import RunKey
from stepscope.queries.file_states import FileState, condition_of
from stepscope.queries.names import path_text
from stepscope.store.library import FileRecord, Snapshot, Unreadable

_ORDER = {"unreadable": 0, "damaged": 1, "waiting": 2, "good": 3}


class FileHealth(Struct, frozen=True):
    """One event file."""

    file: Annotated[str, d.text("Path of the file.")]
    run: RunKey
    bytes: Annotated[int, d.size("Size of the file.")]
    bytes_read: Annotated[int, d.size("How much of it was read.")]
    records: Annotated[int, d.count("Records read.")]
    skipped: Annotated[int, d.count("Corrupt regions skipped.")]
    skipped_bytes: Annotated[int, d.size("Size of the skipped regions.")]
    reason: Annotated[str | None, d.text("What is wrong with it; null when nothing is.")]
    offset: Annotated[int | None, d.size("Where the first corrupt region starts; null without one.")]
    state: Annotated[FileState, d.text("Fine, corrupt in places, ending inside a record, or not readable.")]


class UnreadableRow(Struct, frozen=True):
    """A folder or file that could not be opened."""

    path: Annotated[str, d.text("Its path.")]
    reason: Annotated[str, d.text("Why it could not be opened.")]


def file_health(snapshot: Snapshot, limit: int | None = None, only: frozenset[str] | None = None) -> list[FileHealth]:
    """The files of all runs, or of some alone, those with trouble first."""
    found = [_health(file, run.id) for run in snapshot.runs if only is None or run.id in only for file in run.files]
    found.sort(key=lambda row: (_ORDER[row.state], row.file))
    return found if limit is None else found[:limit]


def unreadable_rows(unreadable: tuple[Unreadable, ...], limit: int = 1_000) -> list[UnreadableRow]:
    """What could not be opened, as the API answers it."""
    return [UnreadableRow(path_text(row.path), path_text(row.reason)) for row in unreadable[:limit]]


def _health(file: FileRecord, run: str) -> FileHealth:
    events, found = file.events, condition_of(file)
    return FileHealth(
        file=path_text(file.path),
        run=run,
        bytes=file.size,
        bytes_read=events.offset,
        records=events.records,
        skipped=events.skipped,
        skipped_bytes=events.skipped_bytes,
        reason=found.reason,
        offset=found.offset,
        state=found.state,
    )
