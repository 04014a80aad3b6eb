"""The routes of the Charts tab: curves, groups, the table under a chart, columns of the run list, and export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.frame import FrameBuilder
from stepscope.dashboards.job_routes import JobRow, made_file, started
from stepscope.dashboards.route import Dashboard, Download, Frame, FrameOf, NoFields, Role, Route, Waiting
from stepscope.dashboards.scalars import messages as m
from stepscope.dashboards.scalars.curves import add_group, curves_frame
from stepscope.dashboards.scalars.html_route import HTML_ROUTES
from stepscope.jobs.job import Job
from stepscope.jobs.made_file import MadeFile
from stepscope.model.errors import BadInput
from stepscope.model.kinds import Kind
from stepscope.queries.export import Wanted, export
from stepscope.queries.export_file import CONTENT_TYPES, write_export
from stepscope.queries.groups import group_line
from stepscope.queries.names import file_stem
from stepscope.queries.table import table_row
from stepscope.queries.tags import scalar_tags
from stepscope.queries.view import View
from stepscope.session.reads import Reads

EXPORT_TYPES = ("text/csv", "application/json", "application/vnd.apache.parquet")
EXPORT_WAIT = 1.0
"""Seconds that an export is waited for before the page shows it as a job."""

_FORMAT_NAMES = {"csv": "CSV", "json": "JSON", "parquet": "Parquet"}


def series(context: RequestContext, request: m.CurvesRequest, _: Mapping[str, str]) -> Frame:
    """Curves, reduced to what a screen can show."""
    return Frame(curves_frame(context.reads, request))


def groups(context: RequestContext, request: m.GroupsRequest, _: Mapping[str, str]) -> Frame:
    """Groups of runs as one line with a band each."""
    reads = context.reads
    m.check_count(sum(len(group.runs) for group in request.groups) + len(request.groups), "runs and groups")
    low, high = request.quantiles
    if not 0 <= low <= high <= 1:
        raise BadInput("quantiles must be two fractions from 0 to 1, lower first.", "bad_quantiles")
    window = m.window(reads.views, request.x, None, request.range, request.width, request.log_x)
    smoothing = m.checked(request.smoothing)
    view = reads.views.view(request.fold)
    tag = reads.views.tag_id(request.tag)
    builder = FrameBuilder()
    headers: list[m.GroupHeader] = []
    for group in request.groups:
        line = group_line(reads.series, view, group.runs, tag, window, request.segments, smoothing, request.band, request.quantiles)
        headers.append(add_group(builder, group.name, line))
    return Frame(builder.finish(m.GroupsHeader(view.snapshot.epoch, headers)))


def table(context: RequestContext, request: m.TableRequest, _: Mapping[str, str]) -> m.TableAnswer:
    """Values at one x, or statistics over a range of it."""
    reads = context.reads
    m.check_count(len(request.series), "series")
    window = m.window(reads.views, request.x, request.x_tag, request.range)
    smoothing = m.checked(request.smoothing)
    view = reads.views.view(request.fold)
    rows = [
        table_row(
            reads.series,
            view,
            name.run,
            name.tag,
            reads.views.tag_id(name.tag),
            window,
            request.at,
            request.segments,
            smoothing,
        )
        for name in request.series
    ]
    return m.TableAnswer(view.snapshot.epoch, rows)


def columns(context: RequestContext, request: m.ColumnsRequest, _: Mapping[str, str]) -> Frame:
    """Last, lowest and highest values of tags and the mean of the last few, for every run."""
    reads = context.reads
    m.check_count(len(request.tags), "tags", m.MAX_COLUMN_TAGS)
    view = reads.views.view(request.fold)
    found = reads.columns.columns(view, [reads.views.tag_id(tag) for tag in request.tags], request.mean_of, request.steps)
    builder = FrameBuilder()
    tags = [m.TagColumns(name, builder.add(m.RunColumns, column)) for name, column in zip(request.tags, found, strict=True)]
    runs = [str(run.record.id) for run in view.runs]
    return Frame(builder.finish(m.ColumnsHeader(view.snapshot.epoch, runs, tags)))


def export_points(context: RequestContext, request: m.ExportRequest, _: Mapping[str, str]) -> Download:
    """Every point at full resolution, as a file that is streamed."""
    reads = context.reads
    view = _view_of(reads, request)
    pieces = export(reads.series, view, _wanted(reads, view, request), request.segments, request.format)
    return Download(pieces, CONTENT_TYPES[request.format], f"{_file_stem(request.tag)}.{request.format}")


def start_export(context: RequestContext, request: m.ExportRequest, _: Mapping[str, str]) -> Waiting:
    """Makes the file of an export in the background; waits a little, since most are small."""
    reads = context.reads
    view = _view_of(reads, request)
    wanted = list(_wanted(reads, view, request))
    stem = _file_stem(request.tag)

    def work(job: Job[MadeFile]) -> MadeFile:
        return write_export(job, reads.series, view, wanted, request.segments, request.format, stem)

    title = f"Export {len(wanted):,} series as {_FORMAT_NAMES[request.format]}"
    key = ("scalars/export", context.user.id, view.snapshot.epoch, msgspec.json.encode(request))
    job = context.jobs.submit(key, title, work, owner=context.user.id, result_at="scalars/export/{id}")
    return started(job, EXPORT_WAIT)


def exported(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> Download:
    """The file that an export made."""
    return made_file(context, path["id"])


def _view_of(reads: Reads, request: m.ExportRequest) -> View:
    """The view to export from, in which every run that was named is. Raises NotThere or TooMuch."""
    m.check_count(len(request.run), "runs")
    m.check_count(len(request.tag), "tags")
    view = reads.views.view(request.fold)
    for run in request.run:
        view.run(run)
    return view


def _file_stem(tags: list[str]) -> str:
    """The only tag's name, for a file."""
    return file_stem(tags[0] if len(set(tags)) == 1 else "", "scalars")


def _wanted(reads: Reads, view: View, request: m.ExportRequest) -> Iterator[Wanted]:
    named = [(reads.views.tag_id(tag), tag) for tag in dict.fromkeys(request.tag)]
    for run_id in dict.fromkeys(request.run) or [str(run.record.id) for run in view.runs]:
        run = view.run(run_id)
        tags = named or [(tag, reads.views.tag_name(tag)) for tag in scalar_tags(view, run_id)]
        for tag, tag_name in tags:
            yield Wanted(run_id, run.name, tag, tag_name)


SCALARS = Dashboard(
    id="scalars",
    label="Charts",
    kinds=frozenset({Kind.SCALAR}),
    routes=(
        Route("POST", "/scalars/series", Role.VIEWER, "Curves for one viewport", series, m.CurvesRequest, FrameOf(m.CurvesHeader)),
        Route("POST", "/scalars/groups", Role.VIEWER, "Groups of runs with bands", groups, m.GroupsRequest, FrameOf(m.GroupsHeader)),
        Route("POST", "/scalars/table", Role.VIEWER, "Values at a step or over a range", table, m.TableRequest, m.TableAnswer),
        Route("POST", "/scalars/columns", Role.VIEWER, "Values for the run list", columns, m.ColumnsRequest, FrameOf(m.ColumnsHeader)),
        Route(
            "GET",
            "/scalars/export",
            Role.VIEWER,
            "All points as a file",
            export_points,
            m.ExportRequest,
            EXPORT_TYPES,
        ),
        Route("POST", "/scalars/export", Role.VIEWER, "Export in the background", start_export, m.ExportRequest, JobRow),
        Route("GET", "/scalars/export/{id}", Role.VIEWER, "Download an export", exported, NoFields, EXPORT_TYPES),
        *HTML_ROUTES,
    ),
)
