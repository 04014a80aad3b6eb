"""The routes of jobs: the list, one of them, and cancel. Results are given by the route of the feature that started the job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.route import Download, NoFields, Role, Route, Waiting
from stepscope.jobs.job import Job, State
from stepscope.jobs.made_file import MadeFile
from stepscope.model import declared as d
from stepscope.model.errors import NotThere, StepscopeError


class JobRow(Struct, frozen=True):
    """One piece of long work."""

    id: Annotated[str, d.text("Id of the job.")]
    title: Annotated[str, d.text("What it does.")]
    state: Annotated[State, d.text("How far it is in its life.")]
    done: Annotated[int, d.number("How much is done.", "`unit`")]
    total: Annotated[int | None, d.number("How much there is to do; null when unknown.", "`unit`")]
    unit: Annotated[str, d.text("What is counted, in the plural, such as `series`.")]
    words: Annotated[str, d.text("What it is doing now; may be empty.")]
    created: Annotated[float, d.wall_time("When it was asked for.")]
    finished: Annotated[float | None, d.wall_time("When it ended; null before that.")]
    error: Annotated[str | None, d.text("Why it failed, in a sentence; null unless it failed.")]
    result_at: Annotated[str | None, d.text("Path of its result below `/api/v1`; null when it has none, or none yet.")]


class JobsAnswer(Struct, frozen=True):
    """The user's jobs."""

    jobs: Annotated[list[JobRow], d.nested("The jobs, oldest first; finished ones stay for some minutes.")]


def job_row(job: Job[Any]) -> JobRow:
    """A job as the API answers it."""
    progress, error = job.progress, job.error
    failed = (
        None if error is None else error.message if isinstance(error, StepscopeError) else "The job failed; see the server's terminal."
    )
    return JobRow(
        id=job.id,
        title=job.title,
        state=job.state,
        done=progress.done,
        total=progress.total,
        unit=progress.unit,
        words=progress.words,
        created=job.created,
        finished=job.finished,
        error=failed,
        result_at=job.result_at or None if job.state is State.DONE else None,
    )


def started(job: Job[Any], seconds: float) -> Waiting:
    """The answer of a route that started a job: its row, after waiting a little for it. Raises what went wrong meanwhile."""

    def row() -> JobRow:
        if job.over:
            job.result()
        return job_row(job)

    return Waiting(job, seconds, row)


def made_file(context: RequestContext, job_id: str) -> Download:
    """The file that a job made. Raises NotThere while there is none."""
    job = context.jobs.find(job_id, context.user.id)
    made = job.result() if job.over else None
    if not isinstance(made, MadeFile):
        raise NotThere("This file is not finished; poll its job until the state is done.", "not_done")
    return Download(made.pieces(), made.content_type, made.name)


def jobs(context: RequestContext, _: NoFields | None = None, __: Mapping[str, str] | None = None) -> JobsAnswer:
    """The user's jobs, oldest first."""
    return JobsAnswer([job_row(job) for job in context.jobs.listed(context.user.id)])


def job(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> JobRow:
    """How far one job is."""
    return job_row(context.jobs.find(path["id"], context.user.id))


def cancel_job(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> JobRow:
    """Cancels a job that the user asked for; one that runs stops at its next step."""
    return job_row(context.jobs.cancel(path["id"], context.user.id))


JOB_ROUTES: tuple[Route, ...] = (
    Route("GET", "/jobs", Role.VIEWER, "Running and recently finished jobs", jobs, NoFields, JobsAnswer),
    Route("GET", "/jobs/{id}", Role.VIEWER, "Progress of a job", job, NoFields, JobRow),
    Route("POST", "/jobs/{id}/cancel", Role.VIEWER, "Cancel a job", cancel_job, NoFields, JobRow),
)
