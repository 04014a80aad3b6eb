"""The route that gives one worker's profile, or a range of it, as a file for Perfetto or Chrome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.route import Download, Role, Route
from stepscope.queries.names import file_stem, path_text
from stepscope.queries.trace_export import ExportFormat, trace_pieces
from stepscope.session.part import Wanted


class TraceWanted(Wanted, frozen=True, kw_only=True):
    """Which worker (none: the first), which range of it, and for which viewer."""

    format: Annotated[ExportFormat, Meta(description="`pftrace` for Perfetto, `json` for Chrome.")] = "pftrace"


def profile_trace(context: RequestContext, wanted: TraceWanted, path: Mapping[str, str]) -> Download:
    """Waits until the profile is read: a file cannot say how far reading has come."""
    reader = context.reads.sessions
    found = reader.find(path["session"]).timed()
    one = found.only(wanted.worker or found.usual_worker)
    session = reader.analysed(one, wanted)
    name = f"{path_text(one.run.name)} {path_text(one.session.name)}".strip()
    file_name = f"{file_stem(name, 'profile')}.{wanted.format}"
    return Download(trace_pieces(session.profiles[0], wanted.format), "application/octet-stream", file_name)


TRACE_ROUTE = Route(
    "GET",
    "/profile/{session}/trace",
    Role.VIEWER,
    "A profile for Perfetto or Chrome",
    profile_trace,
    TraceWanted,
    ("application/octet-stream",),
)
