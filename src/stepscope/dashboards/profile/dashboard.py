"""The routes of the Profile tab: sessions, the overview of one, and tables of its operations, kernels and programs."""

from __future__ import annotations

import os
from collections.abc import Mapping

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.profile import logged_memory
from stepscope.dashboards.profile import messages as m
from stepscope.dashboards.profile.html_further import MOST_EPOCHS, further_sections
from stepscope.dashboards.profile.html_report import file_stem, report_page
from stepscope.dashboards.profile.logged_epochs import EPOCHS_ROUTE
from stepscope.dashboards.profile.part_routes import PART_ROUTES
from stepscope.dashboards.profile.trace import TRACE_ROUTE
from stepscope.dashboards.route import Dashboard, Download, NoFields, Role, Route
from stepscope.model.errors import NotThere
from stepscope.queries.memory_levels import check_marked, memory_levels, runs_of_memory
from stepscope.queries.names import path_text
from stepscope.queries.span_categories import SpanCategories, span_categories
from stepscope.session.parts.inference import INFERENCE, InferenceWanted
from stepscope.session.parts.report import REPORT, ReportWanted
from stepscope.session.parts.steps import STEPS, StepsWanted
from stepscope.session.parts.throughput import THROUGHPUT, ThroughputWanted
from stepscope.session.reader import Reading, SessionOfRun

REPORT_WAIT_SECONDS = 20.0
"""A file cannot say how far reading has come."""
_STILL_READING = "The profile is still being read; save the report when the overview is shown."


def profile_sessions(context: RequestContext, _: NoFields, __: Mapping[str, str]) -> m.SessionsAnswer:
    """All sessions of all runs, newest first; nothing is read for it."""
    epoch = context.reads.library.snapshot.epoch
    return m.SessionsAnswer(epoch, [_session_row(one) for one in context.reads.sessions.sessions()])


def profile_logged_memory(
    context: RequestContext, request: logged_memory.LoggedMemoryRequest, _: Mapping[str, str]
) -> logged_memory.LoggedMemoryAnswer:
    """What a run has logged about memory; it needs no profile."""
    reads = context.reads
    marks = {root.name: context.notes.memory_marks(root.path) for root in context.roots}
    found = runs_of_memory(reads.views, reads.tags, marks)
    chosen = next((each.run for each in found if each.run.id == request.run), found[0].run if found else None)
    rows: list[logged_memory.LoggedMemoryRow] = []
    if chosen is not None:
        levels = memory_levels(reads.library, chosen, marks.get(chosen.root))
        rows = list(logged_memory.logged_memory_rows(path_text(chosen.name), levels))
    return logged_memory.LoggedMemoryAnswer(
        epoch=reads.library.snapshot.epoch,
        runs=logged_memory.logged_runs(found),
        run=None if chosen is None else str(chosen.id),
        sentence=logged_memory.logged_sentence(rows),
        series=rows,
        advice=logged_memory.HOW_TO_SEE_WHO,
        units=list(logged_memory.UNITS),
    )


def profile_mark_memory(context: RequestContext, request: logged_memory.MarkRequest, _: Mapping[str, str]) -> logged_memory.MarksAnswer:
    """Marks a series of a run's log folder as memory, or takes the mark away."""
    folder = context.root_path(context.reads.views.view(folded=False).run(request.run).record.root)
    if request.unit is not None:
        check_marked(context.reads.library, [request.tag])
    unit = None if request.unit is None else logged_memory.unit_to_keep(request.tag, request.unit)
    context.notes.mark_memory(folder, request.tag, unit)
    return logged_memory.MarksAnswer([logged_memory.MarkRow(tag, unit) for tag, unit in context.notes.memory_marks(folder).items()])


def profile_kinds(context: RequestContext, _: NoFields, __: Mapping[str, str]) -> SpanCategories:
    """The categories of spans by their names."""
    return span_categories(context.reads.library.profiles.kind_table())


def profile_report(context: RequestContext, request: m.ReportRequest, _: Mapping[str, str]) -> Download:
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
    return Download(iter([page.encode()]), "text/html; charset=utf-8", f"{file_stem(name)}.html")


def _session_row(found: SessionOfRun) -> m.SessionRow:
    session = found.session
    workers = [
        m.WorkerRow(file.worker, path_text(os.path.basename(file.path)), file.format, file.size, file.problem) for file in session.files
    ]
    size = sum(file.size for file in session.files)
    names = (str(found.run.id), path_text(found.run.name), path_text(session.name))
    return m.SessionRow(session.id, *names, session.time, size, session.has_steps, workers)


PROFILE = Dashboard(
    id="profile",
    label="Profile",
    kinds=frozenset(),
    shows_profiles=True,
    routes=(
        *PART_ROUTES,
        TRACE_ROUTE,
        Route("GET", "/profile/sessions", Role.VIEWER, "Sessions of profiles", profile_sessions, NoFields, m.SessionsAnswer),
        Route("GET", "/profile/kinds", Role.VIEWER, "Span categories", profile_kinds, NoFields, SpanCategories),
        Route(
            "GET",
            "/profile/memory/logged",
            Role.VIEWER,
            "Memory as runs have logged it",
            profile_logged_memory,
            logged_memory.LoggedMemoryRequest,
            logged_memory.LoggedMemoryAnswer,
        ),
        Route(
            "PATCH",
            "/profile/memory/marks",
            Role.EDITOR,
            "Mark a series as memory",
            profile_mark_memory,
            logged_memory.MarkRequest,
            logged_memory.MarksAnswer,
        ),
        Route("GET", "/profile/report", Role.VIEWER, "The overview as one HTML file", profile_report, m.ReportRequest, ("text/html",)),
        EPOCHS_ROUTE,
    ),
)
