"""The routes behind every tab: the folder, its runs and tags, the user's notes, health and reload."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from stepscope import __version__
from stepscope.dashboards.all_dashboards import ALL_DASHBOARDS
from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.job_routes import JobRow, job_row
from stepscope.dashboards.route import Dashboard, NoFields, Role, Route, Waiting
from stepscope.jobs.job import Job
from stepscope.model.errors import NotThere
from stepscope.model.identity import RunId
from stepscope.queries.health import FileHealth, UnreadableRow, file_health, unreadable_rows
from stepscope.queries.names import path_text
from stepscope.queries.overview import Loading, Overview, loading
from stepscope.queries.run_about import RunAbout, about_run
from stepscope.queries.runs import RunRow, list_runs, run_row
from stepscope.queries.tags import TagList

RELOAD_WAIT = 2.0
"""Seconds that a reload is waited for; most are done by then."""


class RootRow(Struct, frozen=True):
    """A log folder that is served."""

    name: str
    path: str


class Tab(Struct, frozen=True):
    """A tab of the page, and whether there is anything to show in it."""

    id: str
    label: str
    has_data: bool


class Folder(Struct, frozen=True):
    """What is being served and how far loading has come."""

    name: str
    title: str
    version: str
    roots: list[RootRow]
    epoch: int
    loading: Loading
    runs: int
    live_runs: int
    series: int
    tags: int
    points: int
    files: int
    bytes: int
    skipped_records: int
    newest: float | None
    reload_interval: float
    unreadable: list[UnreadableRow]
    profiles: int
    tabs: list[Tab]


class FoldRequest(Struct, frozen=True):
    """Whether torch's sub-folders are shown inside their parent."""

    fold: bool = True


class RunsAnswer(Struct, frozen=True):
    """All runs, newest first."""

    epoch: int
    fold: bool
    runs: list[RunRow]


class RunChanges(Struct, frozen=True, forbid_unknown_fields=True):
    """What to change about a run; null clears."""

    display_name: str | UnsetType | None = UNSET
    note: str | UnsetType | None = UNSET
    colour: str | UnsetType | None = UNSET
    hidden: bool | UnsetType = UNSET
    pinned: bool | UnsetType = UNSET


class HealthRequest(Struct, frozen=True):
    """How many files to list, those with trouble first, and of which run (none: all)."""

    limit: Annotated[int, Meta(ge=1, le=100_000)] = 1_000
    run: Annotated[str, Meta(max_length=64)] = ""


class HealthAnswer(Struct, frozen=True):
    """The state of every file."""

    epoch: int
    files: list[FileHealth]
    unreadable: list[UnreadableRow]


class Reloaded(Struct, frozen=True):
    """The epoch at which everything that was found is published, or null with the job that is still at it."""

    epoch: int | None
    job: JobRow


def folder(context: RequestContext, _: NoFields | None = None, __: Mapping[str, str] | None = None) -> Folder:
    """What is being served and how far loading has come."""
    progress = context.reads.library.snapshot.progress
    overview = context.reads.overview.read()
    roots = [RootRow(path_text(root.name), path_text(root.path)) for root in context.roots]
    name = ", ".join(root.name or os.path.basename(os.path.abspath(root.path)) or root.path for root in roots)
    return Folder(
        name=name,
        title=context.title or name,
        version=__version__,
        roots=roots,
        epoch=overview.epoch,
        loading=loading(progress),
        runs=overview.runs,
        live_runs=overview.live_runs,
        series=overview.series,
        tags=overview.tags,
        points=overview.points,
        files=overview.files,
        bytes=overview.bytes,
        skipped_records=overview.skipped_records,
        newest=overview.newest,
        reload_interval=context.reload_interval,
        unreadable=unreadable_rows(context.reads.library.snapshot.unreadable),
        profiles=overview.profiles,
        tabs=[Tab(dashboard.id, dashboard.label, _has_data(context, dashboard, overview)) for dashboard in ALL_DASHBOARDS],
    )


def _has_data(context: RequestContext, dashboard: Dashboard, overview: Overview) -> bool:
    logged = bool(dashboard.kinds & overview.kinds) or (dashboard.shows_profiles and overview.profiles > 0)
    return logged or (dashboard.has_own is not None and dashboard.has_own(context))


def runs(context: RequestContext, request: FoldRequest, _: Mapping[str, str]) -> RunsAnswer:
    """All runs, newest first."""
    view = context.reads.views.view(request.fold)
    return RunsAnswer(view.snapshot.epoch, request.fold, list_runs(view, context.states(), context.clock()))


def change_run(context: RequestContext, request: RunChanges, path: Mapping[str, str]) -> RunRow:
    """Keeps a note, name or colour of a run."""
    run_id = RunId(path["id"])
    # Notes hang on the run as it is on disk; a run that is folded away keeps its own.
    folded = context.reads.views.view(True)
    view = folded if run_id in folded.by_id else context.reads.views.view(False)
    run = view.by_id.get(run_id)
    if run is None:
        raise NotThere("No run has this id; fetch the runs again.", "unknown_run")
    changes: dict[str, Any] = {name: value for name, value in msgspec.structs.asdict(request).items() if value is not UNSET}
    state = context.notes.change(context.root_path(run.record.root), run_id, changes)
    return run_row(run, state, context.clock())


def about(context: RequestContext, request: FoldRequest, path: Mapping[str, str]) -> RunAbout:
    """What a run's files tell beside their series."""
    return about_run(context.reads.views.view(request.fold).run(path["id"]))


def tags(context: RequestContext, request: FoldRequest, _: Mapping[str, str]) -> TagList:
    """All tags, each with a bitmap of the runs that have it."""
    return context.reads.tags.list_tags(request.fold)


def health(context: RequestContext, request: HealthRequest, _: Mapping[str, str]) -> HealthAnswer:
    """The state of every file, or of those of one run with what is folded into it."""
    snapshot = context.reads.library.snapshot
    only: frozenset[str] | None = None
    if request.run:
        run = context.reads.views.view(True).run(request.run)
        only = frozenset((str(run.record.id), *(str(inside.record.id) for inside in run.inside)))
    return HealthAnswer(snapshot.epoch, file_health(snapshot, request.limit, only), unreadable_rows(snapshot.unreadable))


def reload(context: RequestContext, _: NoFields, __: Mapping[str, str]) -> Waiting:
    """Looks at the log folders now, and waits a little for that."""
    library = context.reads.library

    def look(job: Job[int]) -> int:
        def tell() -> None:
            progress = library.snapshot.progress
            job.report(progress.files_done, progress.files or None, "files")

        return context.loader.reload(tell)

    # Not shared: a look that has begun may miss what was written since.
    job = context.jobs.submit(None, "Reload the folder", look, owner=context.user.id, urgent=True)
    return Waiting(job, RELOAD_WAIT, lambda: Reloaded(job.result() if job.over else None, job_row(job)))


FOLDER_ROUTES: tuple[Route, ...] = (
    Route("GET", "/folder", Role.VIEWER, "Served folders and loading progress", folder, NoFields, Folder),
    Route("GET", "/runs", Role.VIEWER, "All runs, newest first", runs, FoldRequest, RunsAnswer),
    Route("PATCH", "/runs/{id}", Role.EDITOR, "Set the note, name or colour of a run", change_run, RunChanges, RunRow),
    Route("GET", "/runs/{id}/about", Role.VIEWER, "A run's hyperparameters and hosts", about, FoldRequest, RunAbout),
    Route("GET", "/tags", Role.VIEWER, "All tags and the runs that have them", tags, FoldRequest, TagList),
    Route("GET", "/health", Role.VIEWER, "The state of every file", health, HealthRequest, HealthAnswer),
    Route("POST", "/reload", Role.EDITOR, "Reload the log folder now", reload, NoFields, Reloaded),
)
