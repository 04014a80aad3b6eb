"""The list of runs, newest first, with their status and what the user noted about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.identity import RunId
from stepscope.queries.names import path_text
from stepscope.queries.run_facts import restarts, run_facts, series_count, writers_at_once
from stepscope.queries.run_status import Status, status_of
from stepscope.queries.view import Role, ShownRun, View
from stepscope.store.user_state import RunState


class RunRow(Struct, frozen=True):
    """One run, with what the user noted about it."""

    id: Annotated[str, d.text("Id of the run.")]
    name: Annotated[str, d.text("Path below its log folder.")]
    root: Annotated[str, d.text("Name of its log folder; empty when only one is served.")]
    experiment: Annotated[str | None, d.text("Folder that its train and validation runs share; null without such.")]
    role: Annotated[Role | None, d.text("What it does in its experiment; null without one.")]
    status: Annotated[
        Status, d.text("Being written; quiet while its process runs; ended by an error; ended; not written any more; or only profiles.")
    ]
    status_reason: Annotated[str, d.text("How the status is known.")]
    started: Annotated[float | None, d.wall_time("Its first event; null without events.")]
    last_event: Annotated[float | None, d.wall_time("Its last event; null without events.")]
    last_point: Annotated[float | None, d.wall_time("Its newest scalar or other value; null without any.")]
    last_write: Annotated[float | None, d.wall_time("When its files were last written; null when unknown.")]
    points: Annotated[int, d.count("Points of its series.")]
    series: Annotated[int, d.count("Number of its series.")]
    files: Annotated[int, d.count("Number of its event files.")]
    bytes: Annotated[int, d.size("Size of its event files.")]
    skipped_records: Annotated[int, d.count("Corrupt regions skipped in its files.")]
    writers_at_once: Annotated[int, d.count("Most processes that wrote at the same time.")]
    restarts: Annotated[int, d.count("Number of restarts.")]
    profiles: Annotated[int, d.count("Number of its sessions of profiles.")]
    notices: Annotated[list[str], d.nested("What is unusual about it, such as `concurrent_writers`.")]
    display_name: Annotated[str | None, d.text("Name that a user gave it; null without one.")]
    note: Annotated[str | None, d.text("Note that a user wrote; null without one.")]
    colour: Annotated[str | None, d.text("Colour that the user chose, as `#rrggbb`; null without one.")]
    hidden: Annotated[bool, d.flag("Whether the user hid it.")]
    pinned: Annotated[bool, d.flag("Whether the user pinned it.")]
    labels: Annotated[list[str], d.nested("Labels that users gave it.")]


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
        last_point=facts.last_point,
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
        labels=list(state.labels),
    )
