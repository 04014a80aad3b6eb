"""The routes behind every tab: the folder, its runs and tags, the user's notes, health and reload."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from stepscope import __version__
from stepscope.dashboards.all_dashboards import ALL_DASHBOARDS
from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.job_routes import JobRow, job_row
from stepscope.dashboards.perfetto_copy import perfetto_copy
from stepscope.dashboards.questions import Fold, FoldRequest, RunText, most
from stepscope.dashboards.route import Dashboard, NoFields, Role, Route, Waiting
from stepscope.jobs.job import Job
from stepscope.model import declared as d
from stepscope.model.errors import TooMuch
from stepscope.model.identity import RunId
from stepscope.model.shared_columns import Epoch
from stepscope.queries.health import FileHealth, UnreadableRow, file_health, unreadable_rows
from stepscope.queries.log_folders import folder_exists
from stepscope.queries.names import path_text
from stepscope.queries.overview import Loading, Overview, loading
from stepscope.queries.run_about import RunAbout, about_run
from stepscope.queries.run_marks import RunMark, run_marks
from stepscope.queries.run_settings import RunSettings
from stepscope.queries.runs import RunRow, RunState, list_runs, run_row
from stepscope.queries.tags import TagList
from stepscope.queries.view import ShownRun

MAX_RUNS = 10_000
"""Runs that one request may change."""

MAX_MARKED = 200
"""Runs whose marks one request may ask for."""

RELOAD_WAIT = 2.0
"""Seconds that a reload is waited for; most are done by then."""


class RootRow(Struct, frozen=True):
    """A log folder that is served."""

    name: Annotated[str, d.text("Its name; empty when only one is served.")]
    path: Annotated[str, d.text("Its absolute path.")]
    exists: Annotated[bool, d.flag("Whether the folder is there; training may create it later.")]


class Tab(Struct, frozen=True):
    """A tab of the page."""

    id: Annotated[str, d.text("Id of the dashboard.")]
    label: Annotated[str, d.text("Name of the tab.")]
    has_data: Annotated[bool, d.flag("Whether there is anything to show in it.")]
    plugin: Annotated[str, d.text("Name of the TensorBoard plugin that draws it; empty for a dashboard.")] = ""
    problem: Annotated[str, d.text("Why the plugin cannot be used; empty when it can.")] = ""


class Folder(Struct, frozen=True):
    """What is being served and how far loading has come."""

    name: Annotated[str, d.text("Names of the log folders.")]
    title: Annotated[str, d.text("Title of the page.")]
    version: Annotated[str, d.text("Version of Stepscope.")]
    roots: Annotated[list[RootRow], d.nested("The log folders.")]
    epoch: Epoch
    loading: Annotated[Loading, d.nested("Progress of loading.")]
    runs: Annotated[int, d.count("Number of runs.")]
    live_runs: Annotated[int, d.count("Runs that are being written.")]
    series: Annotated[int, d.count("Number of series.")]
    tags: Annotated[int, d.count("Number of tags.")]
    points: Annotated[int, d.count("Points of all series.")]
    files: Annotated[int, d.count("Number of event files.")]
    bytes: Annotated[int, d.size("Size of all event files.")]
    skipped_records: Annotated[int, d.count("Corrupt regions skipped in all files.")]
    newest: Annotated[float | None, d.wall_time("Wall time of the newest point; null without points.")]
    reload_interval: Annotated[float, d.seconds("Time between looks at folders that cannot be watched.")]
    unreadable: Annotated[list[UnreadableRow], d.nested("Folders and files that could not be opened.")]
    profiles: Annotated[int, d.count("Number of sessions of profiles.")]
    perfetto: Annotated[bool, d.flag("Whether a copy of Perfetto's viewer is installed, which `/perfetto/` serves.")]
    tabs: Annotated[list[Tab], d.nested("The tabs of the page, in their order.")]


class RunsAnswer(Struct, frozen=True):
    """All runs."""

    epoch: Epoch
    fold: Fold
    runs: Annotated[list[RunRow], d.nested("The runs, newest first.")]


Runs = Annotated[list[RunText], most(MAX_RUNS), d.nested("Ids of the runs; at most 10,000.")]


class RunChanges(Struct, frozen=True, forbid_unknown_fields=True):
    """What to change about a run; what is absent stays."""

    display_name: Annotated[str | UnsetType | None, d.text("Name to show; null clears it.")] = UNSET
    note: Annotated[str | UnsetType | None, d.text("Note; null clears it.")] = UNSET
    colour: Annotated[str | UnsetType | None, d.text("Colour as `#rrggbb`; null clears it.")] = UNSET
    hidden: Annotated[bool | UnsetType, d.flag("Whether it is hidden.")] = UNSET
    pinned: Annotated[bool | UnsetType, d.flag("Whether it is pinned.")] = UNSET
    labels: Annotated[list[str] | UnsetType, d.nested("All labels of the run.")] = UNSET


class RunsChanges(RunChanges, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What to change about several runs; what is absent stays."""

    runs: Runs


class ChangedRuns(Struct, frozen=True):
    """The runs as they are now."""

    runs: Annotated[list[RunRow], d.nested("The runs in the order asked for, each once.")]


class SettingsAnswer(Struct, frozen=True):
    """The settings of all runs."""

    epoch: Epoch
    runs: Annotated[list[RunSettings], d.nested("The runs, in no order.")]


class RunMarksRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """The runs to ask about."""

    runs: Annotated[list[RunText], most(MAX_MARKED), d.nested("Ids of the runs; at most 200.")]
    fold: Fold = True


class RunMarksAnswer(Struct, frozen=True):
    """What happened in the runs."""

    epoch: Epoch
    marks: Annotated[list[RunMark], d.nested("The marks by step; at most 200 of a kind for each run.")]


class HealthRequest(Struct, frozen=True):
    """Which files to list."""

    limit: Annotated[int, Meta(ge=1, le=100_000), d.count("Most files to list, corrupt ones first.")] = 1_000
    run: Annotated[str, Meta(max_length=64), d.text("Id of a run whose files are listed; empty: all runs.")] = ""


class HealthAnswer(Struct, frozen=True):
    """The state of every file."""

    epoch: Epoch
    files: Annotated[list[FileHealth], d.nested("The files, corrupt ones first.")]
    unreadable: Annotated[list[UnreadableRow], d.nested("Folders and files that could not be opened.")]


class Reloaded(Struct, frozen=True):
    """What came of a reload so far."""

    epoch: Annotated[int | None, d.count("Version of the data with everything that was found; null while the job is not done.")]
    job: Annotated[JobRow, d.nested("The job that reloads.")]


def folder(context: RequestContext, _: NoFields | None = None, __: Mapping[str, str] | None = None) -> Folder:
    """What is being served and how far loading has come."""
    progress = context.reads.library.snapshot.progress
    overview = context.reads.overview.read()
    roots = [RootRow(path_text(root.name), path_text(root.path), folder_exists(root.path)) for root in context.roots]
    name = ", ".join(root.name or os.path.basename(os.path.abspath(root.path)) or root.path for root in roots)
    return d.fill(
        Folder,
        overview,
        name=name,
        title=context.title or name,
        version=__version__,
        roots=roots,
        loading=loading(progress),
        reload_interval=context.reload_interval,
        unreadable=unreadable_rows(context.reads.library.snapshot.unreadable),
        perfetto=perfetto_copy() is not None,
        tabs=[
            *(Tab(dashboard.id, dashboard.label, _has_data(context, dashboard, overview)) for dashboard in ALL_DASHBOARDS),
            *(Tab(tab.id, tab.label, tab.has_data, tab.name, tab.problem) for tab in context.project.plugin_tabs()),
        ],
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
    (row,) = _changed(context, [path["id"]], _given(request))
    return row


def change_runs(context: RequestContext, request: RunsChanges, _: Mapping[str, str]) -> ChangedRuns:
    """Keeps notes, names, colours or labels of several runs. Raises NotThere or TooMuch before any is changed."""
    if len(request.runs) > MAX_RUNS:
        raise TooMuch(f"A request can change at most {MAX_RUNS:,} runs; change fewer at a time.", "too_many")
    changes = _given(request)
    del changes["runs"]
    return ChangedRuns(_changed(context, request.runs, changes))


def _given(request: RunChanges) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(request).items() if value is not UNSET}


def _changed(context: RequestContext, ids: Sequence[str], changes: Mapping[str, object]) -> list[RunRow]:
    runs = [run_on_disk(context, run) for run in dict.fromkeys(ids)]
    states: dict[RunId, RunState] = {}
    for root in dict.fromkeys(run.record.root for run in runs):
        there = [run.record.id for run in runs if run.record.root == root]
        states |= context.notes.change_runs(context.root_path(root), there, changes)
    return [run_row(run, states[run.record.id], context.clock()) for run in runs]


def run_on_disk(context: RequestContext, run: str) -> ShownRun:
    """A run of either view: notes hang on the run as it is on disk, and one that is folded away keeps its own. Raises NotThere."""
    folded = context.reads.views.view(True)
    return folded.by_id.get(RunId(run)) or context.reads.views.view(False).run(run)


def settings(context: RequestContext, request: FoldRequest, _: Mapping[str, str]) -> SettingsAnswer:
    """The hyperparameters and hosts of all runs."""
    view = context.reads.views.view(request.fold)
    return SettingsAnswer(view.snapshot.epoch, context.reads.settings.all_runs(view))


def about(context: RequestContext, request: FoldRequest, path: Mapping[str, str]) -> RunAbout:
    """What a run's files tell beside their series."""
    return about_run(context.reads.views.view(request.fold).run(path["id"]))


def marks(context: RequestContext, request: RunMarksRequest, _: Mapping[str, str]) -> RunMarksAnswer:
    """Epochs, checkpoints, images, texts and profiles of runs, by step. A run that is gone has none."""
    if len(request.runs) > MAX_MARKED:
        raise TooMuch(f"A request can ask for the marks of at most {MAX_MARKED} runs; ask for fewer at a time.", "too_many")
    view = context.reads.views.view(request.fold)
    there = [run for one in dict.fromkeys(request.runs) if (run := view.by_id.get(RunId(one))) is not None]
    return RunMarksAnswer(view.snapshot.epoch, run_marks(context.reads.library, view, there))


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
    Route("PATCH", "/runs", Role.EDITOR, "Set notes, colours or labels of several runs", change_runs, RunsChanges, ChangedRuns),
    Route("GET", "/run_settings", Role.VIEWER, "Hyperparameters and hosts of all runs", settings, FoldRequest, SettingsAnswer),
    Route("GET", "/runs/{id}/about", Role.VIEWER, "A run's hyperparameters and hosts", about, FoldRequest, RunAbout),
    Route("POST", "/marks", Role.VIEWER, "Epochs, checkpoints, media and profiles of runs", marks, RunMarksRequest, RunMarksAnswer),
    Route("GET", "/tags", Role.VIEWER, "All tags and the runs that have them", tags, FoldRequest, TagList),
    Route("GET", "/health", Role.VIEWER, "The state of every file", health, HealthRequest, HealthAnswer),
    Route("POST", "/reload", Role.EDITOR, "Reload the log folder now", reload, NoFields, Reloaded),
)
