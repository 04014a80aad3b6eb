"""Route of the sessions of profiles, newest first; nothing is read for it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated

from msgspec import Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.route import NoFields, Role, Route
from stepscope.model import declared as d
from stepscope.model.shared_columns import Epoch, RunKey
from stepscope.queries.names import path_text
from stepscope.session.reader import SessionOfRun


class WorkerRow(Struct, frozen=True):
    """One process's file of a session."""

    worker: Annotated[str, d.text("Name of the worker, unique in the session.")]
    file: Annotated[str, d.text("Name of the file.")]
    format: Annotated[str, d.text("Format of the file.")]
    bytes: Annotated[int, d.size("Size of the file.")]
    problem: Annotated[str | None, d.text("Why the file cannot be read, as far as is known without reading it; null when nothing is.")]


class SessionRow(Struct, frozen=True):
    """A session as the picker lists it."""

    id: Annotated[str, d.text("Id of the session.")]
    run: RunKey
    run_name: Annotated[str, d.text("Name of its run.")]
    name: Annotated[str, d.text("Name of the session in its run.")]
    time: Annotated[float, d.number("When it was recorded, in seconds since 1970.", "s")]
    bytes: Annotated[int, d.size("Size of all files.")]
    has_steps: Annotated[bool, d.flag("Whether time was recorded; if not, only its memory can be shown.")]
    workers: Annotated[list[WorkerRow], d.nested("Its files.")]


class SessionsAnswer(Struct, frozen=True):
    """All sessions, newest first."""

    epoch: Epoch
    sessions: Annotated[list[SessionRow], d.nested("The sessions.")]


def profile_sessions(context: RequestContext, _: NoFields, __: Mapping[str, str]) -> SessionsAnswer:
    """All sessions of all runs."""
    epoch = context.reads.library.snapshot.epoch
    return SessionsAnswer(epoch, [_session_row(one) for one in context.reads.sessions.sessions()])


def _session_row(found: SessionOfRun) -> SessionRow:
    session = found.session
    workers = [
        WorkerRow(file.worker, path_text(os.path.basename(file.path)), file.format, file.size, file.problem) for file in session.files
    ]
    size = sum(file.size for file in session.files)
    names = (str(found.run.id), path_text(found.run.name), path_text(session.name))
    return SessionRow(session.id, *names, session.time, size, session.has_steps, workers)


SESSIONS_ROUTE = Route("GET", "/profile/sessions", Role.VIEWER, "Sessions of profiles", profile_sessions, NoFields, SessionsAnswer)
