"""The route that gives one worker's profile, or a part of it, as a file for Perfetto, Chrome or speedscope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.route import Download, Role, Route
from stepscope.model.profile import Profile
from stepscope.queries.names import file_stem, path_text
from stepscope.queries.trace_export import ExportFormat, trace_pieces
from stepscope.session.part import Wanted
from stepscope.session.trace_window import window_ns

ENDINGS: dict[ExportFormat, str] = {"pftrace": "pftrace", "json": "json", "speedscope": "speedscope.json"}


class TraceWanted(Wanted, frozen=True, kw_only=True):
    """Which worker (none: the first), which range or window of it, and for which viewer."""

    format: Annotated[ExportFormat, Meta(description="`pftrace` for Perfetto, `json` for Chrome, `speedscope`.")] = "pftrace"
    start_us: Annotated[float | None, Meta(description="Leave out spans that end before this time, in µs since the start.")] = None
    end_us: Annotated[float | None, Meta(description="Leave out spans that start at this time or later.")] = None


def profile_trace(context: RequestContext, wanted: TraceWanted, path: Mapping[str, str]) -> Download:
    """Waits until the profile is read: a file cannot say how far reading has come."""
    reader = context.reads.sessions
    found = reader.find(path["session"]).timed()
    one = found.only(wanted.worker or found.usual_worker)
    profile = reader.analysed(one, wanted).profiles[0]
    low, high = _window(profile, wanted)
    name = f"{path_text(one.run.name)} {path_text(one.session.name)}".strip()
    file_name = f"{file_stem(name, 'profile')}.{ENDINGS[wanted.format]}"
    return Download(trace_pieces(profile, wanted.format, low, high), "application/octet-stream", file_name)


def _window(profile: Profile, wanted: TraceWanted) -> tuple[int | None, int | None]:
    """The window in nanoseconds of the profile; None for a side that is open."""
    first, end = profile.whole.window
    start_us, end_us = (0.0 if wanted.start_us is None else wanted.start_us), wanted.end_us
    low, high = window_ns(profile.whole, start_us, max(start_us, (end - first) / 1e3) if end_us is None else end_us)
    return None if wanted.start_us is None else low, None if end_us is None else high


TRACE_ROUTE = Route(
    "GET",
    "/profile/{session}/trace",
    Role.VIEWER,
    "A profile for Perfetto, Chrome or speedscope",
    profile_trace,
    TraceWanted,
    ("application/octet-stream",),
)
