"""Routes of the charts as one HTML file: a job makes it, since nothing long may wait in a request, and a download fetches it."""

from __future__ import annotations

import os
from collections.abc import Mapping

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.job_routes import JobRow, made_file, started
from stepscope.dashboards.route import Download, NoFields, Role, Route, Waiting
from stepscope.dashboards.scalars.html_curves import CurvesFileRequest, curves_html
from stepscope.jobs.job import Job
from stepscope.jobs.made_file import MadeFile, write_made
from stepscope.queries.names import file_stem, path_text

HTML_WAIT = 1.0
"""Seconds that a file is waited for before the page shows it as a job."""


def start_html(context: RequestContext, request: CurvesFileRequest, _: Mapping[str, str]) -> Waiting:
    """Makes the file in the background; waits a little, since most are small."""
    name = context.title or ", ".join(path_text(root.name or os.path.basename(root.path)) for root in context.roots)
    states = context.states()

    def work(job: Job[MadeFile]) -> MadeFile:
        data = curves_html(context.reads, states, context.clock(), name, request, lambda done, total: job.report(done, total, "series"))
        job.report(job.progress.done, job.progress.total, "series", f"{len(data) / 1e6:,.1f} MB")
        return write_made(f"{file_stem(request.title or name, 'charts')}.html", "text/html; charset=utf-8", [data])

    job = context.jobs.submit(None, "Charts as an HTML file", work, owner=context.user.id, result_at="scalars/html/{id}")
    return started(job, HTML_WAIT)


def made_html(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> Download:
    """The file that a job made."""
    return made_file(context, path["id"])


HTML_ROUTES = (
    Route("POST", "/scalars/html", Role.VIEWER, "Save runs and charts as one HTML file", start_html, CurvesFileRequest, JobRow),
    Route("GET", "/scalars/html/{id}", Role.VIEWER, "Download saved charts", made_html, NoFields, ("text/html",)),
)
