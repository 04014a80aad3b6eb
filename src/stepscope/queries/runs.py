"""The list of runs, newest first, with their status and what the user noted about them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from stepscope.model.identity import RunId
from stepscope.queries.names import path_text
from stepscope.queries.run_facts import Status, restarts, run_facts, series_count, status_of, writers_at_once
from stepscope.queries.view import Role, ShownRun, View
from stepscope.store.user_state import RunState


class RunRow(Struct, frozen=True):
    """One run as the API answers it."""

    id: str
    name: str
    root: str
    experiment: str | None
    role: Role | None
    status: Status
    status_reason: str
    started: float | None
    last_event: float | None
    last_write: float | None
    points: int
    series: int
    files: int
    bytes: int
    skipped_records: int
    writers_at_once: int
    restarts: int
    profiles: int
    notices: list[str]
    display_name: str | None
    note: str | None
    colour: str | None
    hidden: bool
    pinned: bool


def list_runs(view: View, states: Mapping[RunId, RunState], now: float) -> list[RunRow]:
    """All runs of the view, newest first; a run without events counts by its newest file."""
    rows = [run_row(run, states.get(run.record.id, RunState()), now) for run in view.runs]
    rows.sort(key=lambda row: (-(row.started if row.started is not None else row.last_write or 0.0), row.name))
    return rows


def run_row(run: ShownRun, state: RunState, now: float) -> RunRow:
    """One run with its status and the user's notes."""
    facts = run_facts(run)
    status, reason = status_of(run, facts, now)
    several = len(run.record.files) > 1
    writers = writers_at_once(run) if several else 1
    return RunRow(
        id=run.record.id,
        name=run.name,
        root=path_text(run.record.root),
        experiment=run.experiment,
        role=run.role,
        status=status,
        status_reason=reason,
        started=facts.started,
        last_event=facts.last_event,
        last_write=facts.last_write,
        points=facts.points,
        series=series_count(run),
        files=facts.files,
        bytes=facts.bytes,
        skipped_records=facts.skipped,
        writers_at_once=writers,
        restarts=restarts(run),
        profiles=len(run.record.profiles),
        notices=["concurrent_writers"] if writers > 1 else [],
        display_name=state.display_name,
        note=state.note,
        colour=state.colour,
        hidden=state.hidden,
        pinned=state.pinned,
    )
