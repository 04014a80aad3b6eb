"""Frames that may take long are drawn as jobs: the answer waits a little, then says how far it is, and is asked for by the job's id."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.frame import FrameBuilder
from stepscope.dashboards.job_routes import JobRow, job_row
from stepscope.dashboards.route import Frame, Waiting
from stepscope.jobs.job import Job
from stepscope.model.errors import NotThere

WAIT = 1.0
"""Seconds that a drawing is waited for before its answer says how far it is."""
LEASE = 4.0
"""Seconds after which a drawing stops that nobody asks for any more, as when the page has moved on."""

Unfinished = Callable[[JobRow], Struct]
"""The header of a frame without anything in it, while the job is at it."""


def draw(context: RequestContext, route: str, title: str, work: Callable[[Job[Frame]], Frame], unfinished: Unfinished) -> Waiting:
    """Starts a drawing, which `GET route/{id}` answers as well. Nothing is shared: what is drawn may grow at any time."""
    job = context.jobs.submit(None, title, work, owner=context.user.id, lease=LEASE, keep=False, result_at=f"{route}/{{id}}")
    return _waiting(job, unfinished)


def drawn(context: RequestContext, route: str, job_id: str, unfinished: Unfinished) -> Waiting:
    """A drawing that was started before. Raises NotThere."""
    job = context.jobs.find(job_id, context.user.id)
    if not job.result_at.startswith(f"{route}/"):
        raise NotThere("No drawing has this id; ask for it again.", "unknown_job")
    return _waiting(job, unfinished)


def _waiting(job: Job[Frame], unfinished: Unfinished) -> Waiting:
    def answer() -> Frame:
        return job.result() if job.over else Frame(FrameBuilder().finish(unfinished(job_row(job))))

    return Waiting(job, WAIT, answer)
