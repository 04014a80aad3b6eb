"""The routes of jobs: the list, one of them, and cancel. Results are given by the route of the feature that started the job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.route import NoFields, Role, Route
from stepscope.jobs.job import Job, State
from stepscope.model.errors import StepscopeError


class JobRow(Struct, frozen=True):
    """A job as the API answers it. `total` is null when it is not known; `result_at` is the path below /api/v1 of what was made."""

    id: str
    title: str
    state: State
    done: int
    total: int | None
    unit: str
    words: str
    created: float
    finished: float | None
    error: str | None
    result_at: str | None


class JobsAnswer(Struct, frozen=True):
    """The user's jobs, oldest first; those that finished stay for some minutes."""

    jobs: list[JobRow]


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


def jobs(context: RequestContext, _: NoFields | None = None, __: Mapping[str, str] | None = None) -> JobsAnswer:
    """The user's jobs, oldest first."""
    return JobsAnswer([job_row(job) for job in context.jobs.listed(context.user.id)])


def job(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> JobRow:
    """How far one job is."""
    return job_row(context.jobs.find(path["id"], context.user.id))


def cancel_job(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> JobRow:
    """Cancels a job; one that runs stops at its next step."""
    return job_row(context.jobs.cancel(path["id"], context.user.id))


JOB_ROUTES: tuple[Route, ...] = (
    Route("GET", "/jobs", Role.VIEWER, "Running and recently finished jobs", jobs, NoFields, JobsAnswer),
    Route("GET", "/jobs/{id}", Role.VIEWER, "Progress of a job", job, NoFields, JobRow),
    Route("POST", "/jobs/{id}/cancel", Role.EDITOR, "Cancel a job", cancel_job, NoFields, JobRow),
)
