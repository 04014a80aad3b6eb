"""The routes of the trash: what deleting runs would move, moving them, the list, restoring, and deleting for good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.job_routes import JobRow, job_row
from stepscope.dashboards.questions import RunText, most
from stepscope.dashboards.route import NoFields, Role, Route, Waiting
from stepscope.jobs.job import Job
from stepscope.model import declared as d
from stepscope.model.errors import Refused, TooMuch
from stepscope.queries.trashing import PlannedFolder, TrashedFolder, TrashFailure, Trashing, delete_for_good, list_trash, restore

MAX_NAMED = 10_000
"""Runs or folders that one request may name."""
WAIT = 2.0
"""Seconds that the look at the log folder, or a deletion, is waited for; most are done by then."""

Runs = Annotated[list[RunText], most(MAX_NAMED), d.nested("Ids of the runs; at most 10,000.")]
Entry = Annotated[str, Meta(max_length=64, description="Id of a folder in the trash.")]


class PlanRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """The runs to delete."""

    runs: Runs


class TrashPlan(Struct, frozen=True):
    """What deleting the runs would move."""

    folders: Annotated[list[PlannedFolder], d.nested("The folders, by path.")]


class MoveRequest(PlanRequest, frozen=True, forbid_unknown_fields=True):
    """The runs to delete, and what the user has confirmed."""

    also: Annotated[list[RunText], most(MAX_NAMED), d.nested("Ids of other runs in these folders, which move too.")] = []
    live_too: Annotated[bool, d.flag("Whether runs that are being written may be moved.")] = False


class EntriesRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Folders in the trash."""

    folders: Annotated[list[Entry], most(MAX_NAMED), d.nested("Ids of the folders; at most 10,000.")]


class TrashAnswer(Struct, frozen=True):
    """What was done with each folder."""

    done: Annotated[list[TrashedFolder], d.nested("Folders that were moved, restored or deleted.")]
    failed: Annotated[list[TrashFailure], d.nested("Folders that stayed as they were.")]
    job: Annotated[JobRow, d.nested("The job that looks at the log folder afterwards, or that deletes.")]


class TrashList(Struct, frozen=True):
    """The trash of all log folders."""

    folders: Annotated[list[TrashedFolder], d.nested("Folders in the trash, newest first.")]


def plan(context: RequestContext, request: PlanRequest, _: Mapping[str, str]) -> TrashPlan:
    """What deleting runs would move."""
    _may_delete(context, request.runs)
    return TrashPlan(_trashing(context).plan(request.runs))


def move(context: RequestContext, request: MoveRequest, _: Mapping[str, str]) -> Waiting:
    """Moves the folders of runs to the trash."""
    _may_delete(context, request.runs, request.also)
    done, failed = _trashing(context).move(request.runs, request.also, request.live_too, context.user.id)
    return _after_look(context, done, failed)


def listed(context: RequestContext, _: NoFields, __: Mapping[str, str]) -> TrashList:
    """What is in the trash."""
    return TrashList(list_trash(_roots(context)))


def restored(context: RequestContext, request: EntriesRequest, _: Mapping[str, str]) -> Waiting:
    """Moves folders in the trash back to where they were."""
    _may_delete(context, request.folders)
    return _after_look(context, *restore(_roots(context), request.folders))


def deleted(context: RequestContext, request: EntriesRequest, _: Mapping[str, str]) -> Waiting:
    """Deletes folders in the trash for good."""
    _may_delete(context, request.folders)
    roots = _roots(context)
    done: list[TrashedFolder] = []
    failed: list[TrashFailure] = []

    def delete(job: Job[None]) -> None:
        for place, entry in enumerate(request.folders):
            job.report(place, len(request.folders), "folders")
            gone, stayed = delete_for_good(roots, entry)
            done.extend(gone)
            failed.extend(stayed)
        if failed:
            raise Refused(failed[0].reason, "cannot_delete")

    job = context.jobs.submit(None, "Delete folders in the trash", delete, owner=context.user.id, urgent=True)
    return Waiting(job, WAIT, lambda: TrashAnswer(list(done), list(failed), job_row(job)))


def _may_delete(context: RequestContext, *named: Sequence[str]) -> None:
    if not context.project.may_delete:
        raise Refused(
            "Deleting is off, because other machines can connect to this server without sign-in; restart it with --allow-delete.",
            "delete_off",
        )
    if sum(map(len, named)) > MAX_NAMED:
        raise TooMuch(f"A request can name at most {MAX_NAMED:,} runs or folders; name fewer at a time.", "too_many")


def _roots(context: RequestContext) -> dict[str, str]:
    return {root.name: root.path for root in context.roots}


def _trashing(context: RequestContext) -> Trashing:
    return Trashing(context.reads.views, _roots(context), context.clock())


def _after_look(context: RequestContext, done: list[TrashedFolder], failed: list[TrashFailure]) -> Waiting:
    """The answer once the log folder was looked at again, so that the next list of runs has the change."""

    def look(_: Job[int]) -> int:
        return context.loader.reload() if done else context.reads.library.snapshot.epoch

    job = context.jobs.submit(None, "Reload the folder", look, owner=context.user.id, urgent=True, listed=False)
    return Waiting(job, WAIT, lambda: TrashAnswer(done, failed, job_row(job)))


TRASH_ROUTES: tuple[Route, ...] = (
    Route("POST", "/trash/plan", Role.EDITOR, "What deleting runs would move", plan, PlanRequest, TrashPlan),
    Route("POST", "/trash/move", Role.EDITOR, "Move the folders of runs to the trash", move, MoveRequest, TrashAnswer),
    Route("GET", "/trash", Role.VIEWER, "Folders in the trash", listed, NoFields, TrashList),
    Route("POST", "/trash/restore", Role.EDITOR, "Restore folders from the trash", restored, EntriesRequest, TrashAnswer),
    Route("POST", "/trash/delete", Role.EDITOR, "Delete folders in the trash for good", deleted, EntriesRequest, TrashAnswer),
)
