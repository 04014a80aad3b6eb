"""Routes of the report as one HTML file: a job makes it, since nothing long may wait in a request, and a download fetches it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.job_routes import JobRow, made_file, started
from stepscope.dashboards.profile.html_report import EMBEDDED, HtmlWanted, report_html
from stepscope.dashboards.route import Download, NoFields, Role, Route, Waiting
from stepscope.jobs.job import Job
from stepscope.jobs.made_file import MadeFile, write_made
from stepscope.queries.names import file_stem, path_text
from stepscope.session.part import Answer, AnyPart

HTML_WAIT = 1.0
"""Seconds that a file is waited for before the page shows it as a job."""


def start_html(context: RequestContext, wanted: HtmlWanted, path: Mapping[str, str]) -> Waiting:
    """Makes the file in the background; waits a little, since answers that the page shows are kept."""
    reader = context.reads.sessions
    found = reader.find(path["session"])
    name = f"{path_text(found.run.name)} {path_text(found.session.name)}".strip()

    def work(job: Job[MadeFile]) -> MadeFile:
        done = 0

        def answer(part: AnyPart, asked: Any) -> Answer:  # noqa: ANN401 - what the part takes
            nonlocal done
            job.report(done, len(EMBEDDED), "sections", part.title)
            done += 1
            return reader.answer(part, found, asked, lambda _: job.checkpoint())

        data = report_html(name, wanted, answer)
        job.report(done, len(EMBEDDED), "sections")
        return write_made(f"{file_stem(name, 'profile')}.html", "text/html; charset=utf-8", [data])

    # Without a key: answers are kept, so another file costs little, and it has what was logged meanwhile.
    job = context.jobs.submit(None, f"Report of {name}", work, owner=context.user.id, result_at="profile/html/{id}")
    return started(job, HTML_WAIT)


def made_html(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> Download:
    """The file that a job made."""
    return made_file(context, path["id"])


HTML_ROUTES = (
    Route("POST", "/profile/{session}/html", Role.VIEWER, "Save the report as one HTML file", start_html, HtmlWanted, JobRow),
    Route("GET", "/profile/html/{id}", Role.VIEWER, "Download a saved report", made_html, NoFields, ("text/html",)),
)
