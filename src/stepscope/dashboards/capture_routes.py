"""The routes of capturing from the page: which processes the operator has listed, and a job that profiles some of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from stepscope.capture.remote.client import capture, parse_targets, problem_of
from stepscope.capture.remote.service import TOKEN_VARIABLE, Wanted
from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.job_routes import JobRow, started
from stepscope.dashboards.questions import most
from stepscope.dashboards.route import NoFields, Role, Route, Waiting
from stepscope.jobs.job import Job
from stepscope.model import declared as d
from stepscope.model.errors import BadInput, NotThere, Refused

FOLDER = "captured"
"""The run, in the first log folder, that sessions captured from the page belong to."""
LONGEST_MS = 60_000
MOST = 64
_WAIT = 1.0

Address = Annotated[str, Meta(max_length=300, description="HOST:PORT, as the operator has listed it.")]


class CaptureTargets(Struct, frozen=True):
    """Processes that can be captured."""

    addresses: Annotated[list[str], d.nested("Addresses given with --capture-from; empty when there are none.")]


class CaptureRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """What to capture."""

    addresses: Annotated[list[Address], most(MOST), d.nested("Some of the listed addresses; empty for all.")] = []
    duration_ms: Annotated[int, Meta(ge=10, le=LONGEST_MS, description="How long, in milliseconds.")] = 2000
    python: Annotated[bool, d.flag("Whether Python functions are recorded.")] = False


def targets(context: RequestContext, _: NoFields, __: Mapping[str, str]) -> CaptureTargets:
    """The addresses that the operator has listed."""
    return CaptureTargets(list(context.project.capture_from))


def capture_now(context: RequestContext, request: CaptureRequest, _: Mapping[str, str]) -> Waiting:
    """Starts a capture; no address is connected to that the operator has not listed."""
    listed = context.project.capture_from
    if not listed or not context.roots:
        raise NotThere("No process can be captured from here; restart the server with --capture-from HOST:PORT.", "no_targets")
    wanted = list(dict.fromkeys(request.addresses)) or list(listed)
    for address in wanted:
        if address not in listed:
            raise Refused(f"{address} is not listed; restart the server with --capture-from {address}.", "not_listed")
    folder = os.path.join(context.roots[0].path, FOLDER)

    def work(job: Job[str]) -> str:
        def progress(words: str) -> None:
            job.report(0, None, words=words)

        token = os.environ.get(TOKEN_VARIABLE, "")
        asked = Wanted(request.duration_ms, python_level=int(request.python))
        captured = capture(parse_targets(",".join(wanted)), asked, folder, token=token, progress=progress)
        error = problem_of(captured)
        if error is not None:
            raise error
        context.loader.reload()
        if captured.problems:
            good = len(wanted) - len(captured.problems)
            raise BadInput(f"Captured from {good} of {len(wanted)} hosts. {' '.join(captured.problems)}", "partly_captured")
        return captured.folder or ""

    title = f"Capture {wanted[0]}" if len(wanted) == 1 else f"Capture {len(wanted)} processes"
    return started(context.jobs.submit(None, title, work, owner=context.user.id), _WAIT)


CAPTURE_ROUTES: tuple[Route, ...] = (
    Route("GET", "/capture", Role.VIEWER, "Processes that can be captured", targets, NoFields, CaptureTargets),
    Route("POST", "/capture", Role.EDITOR, "Capture a profile from listed processes", capture_now, CaptureRequest, JobRow),
)
