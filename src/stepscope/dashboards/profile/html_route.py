"""Route of the report as one HTML file, which is saved or shared."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.profile.html_further import MOST_EPOCHS, further_sections
from stepscope.dashboards.profile.html_report import report_page
from stepscope.dashboards.profile.part_routes import SessionText
from stepscope.dashboards.route import Download, Role, Route
from stepscope.model.errors import NotThere
from stepscope.queries.names import file_stem, path_text
from stepscope.session.limits import BatchSize, StepMs, Tokens
from stepscope.session.part import RangeText, StepsText
from stepscope.session.parts.inference import INFERENCE, InferenceWanted, RequestText
from stepscope.session.parts.report import REPORT, ReportWanted
from stepscope.session.parts.steps import STEPS, StepsWanted
from stepscope.session.parts.throughput import THROUGHPUT, ThroughputWanted
from stepscope.session.reader import Reading

REPORT_WAIT_SECONDS = 20.0
"""A file cannot say how far reading has come."""
_STILL_READING = "The profile is still being read; save the report when the overview is shown."


class ReportRequest(Struct, frozen=True, kw_only=True):
    """Which session, which steps of it, and what only the user knows."""

    session: SessionText
    steps: StepsText = ""
    range: RangeText = ""
    step_ms: StepMs = None
    batch: BatchSize = None
    tokens: Tokens = None
    request: RequestText = ""


def profile_report(context: RequestContext, request: ReportRequest, _: Mapping[str, str]) -> Download:
    """The overview as one HTML file."""
    reader = context.reads.sessions
    session, by, within = reader.find(request.session), request.steps, request.range
    told = ReportWanted(steps=by, range=within, step_ms=request.step_ms, batch=request.batch, tokens=request.tokens)
    report = reader.ask(REPORT, session, told, REPORT_WAIT_SECONDS)
    steps = reader.ask(STEPS, session, StepsWanted(steps=by, range=within), REPORT_WAIT_SECONDS)
    named = InferenceWanted(steps=by, range=within, request=request.request)
    requests = reader.ask(INFERENCE, session, named, REPORT_WAIT_SECONDS)
    sizes = ThroughputWanted(steps=by, range=within, batch=request.batch, tokens=request.tokens, limit=MOST_EPOCHS)
    throughput = reader.ask(THROUGHPUT, session, sizes, REPORT_WAIT_SECONDS)
    if isinstance(report, Reading) or isinstance(steps, Reading) or isinstance(requests, Reading) or isinstance(throughput, Reading):
        raise NotThere(_STILL_READING, "still_reading")
    name = f"{path_text(session.run.name)} {path_text(session.session.name)}".strip()
    page = report_page(report, steps, name, further_sections(report, throughput, requests, request.request))
    return Download(iter([page.encode()]), "text/html; charset=utf-8", f"{file_stem(name, 'profile')}.html")


HTML_ROUTE = Route(
    "GET", "/profile/report", Role.VIEWER, "The overview as one HTML file", profile_report, ReportRequest, ("text/html",)
)
