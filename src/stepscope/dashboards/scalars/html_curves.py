"""Runs and charts as one HTML file: the page's own charts, built beforehand, and the curves, names and notes that they show."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from stepscope import __version__
from stepscope.dashboards.frame import FrameBuilder
from stepscope.dashboards.one_file import fill_page
from stepscope.dashboards.questions import Fold, Range, RunText, SeriesName, TagText, most
from stepscope.dashboards.scalars import messages as m
from stepscope.dashboards.scalars.curves import add_curve, add_group
from stepscope.model import declared as d
from stepscope.model.errors import BadInput, TooMuch
from stepscope.model.identity import RunId
from stepscope.queries.groups import group_line
from stepscope.queries.names import natural_key
from stepscope.queries.run_settings import RunSettings
from stepscope.queries.runs import RunRow, RunState, list_runs
from stepscope.queries.series import Smoothing, Window
from stepscope.queries.tags import scalar_tags
from stepscope.queries.view import Role, View
from stepscope.session.reads import Reads

BUNDLE = Path(__file__).parent / "curves_file" / "curves.html"
"""Made by `make page` from ui/html-file."""
MAX_CHARTS = 1_000
MAX_POINTS = 4_000_000
"""Points of all curves in one file: a browser opens more only after a long wait, and mail refuses it."""
USUAL_POINTS = 2_000
MAX_GROUPED = 1_000_000
"""Runs of all groups of all charts: what joining them may cost."""
PALETTE = 40

_LEVEL = 6


class FileGroup(m.GroupName, frozen=True, forbid_unknown_fields=True):
    """A group of runs that the file draws as one line with a band."""

    role: Annotated[Role | None, d.text("What its runs do in their experiments; null: they are whole runs.")] = None
    colour: Annotated[Annotated[int, Meta(ge=0, lt=PALETTE)] | None, d.count("Place in the palette; null: a free one.")] = None


class CurvesFileRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which runs and charts go into the file, and how they are drawn at first."""

    runs: Annotated[list[RunText], most(m.MAX_SERIES), d.nested("Ids of the runs; none: all that are not hidden.")] = []
    charts: Annotated[
        list[list[TagText]], most(MAX_CHARTS), d.nested("The tags of each chart; none: a chart for every tag with scalars.")
    ] = []
    title: Annotated[str, Meta(max_length=200), d.text("Title of the file; empty: the name of the log folder.")] = ""
    points: Annotated[
        Annotated[int, Meta(ge=4, le=MAX_POINTS)] | None,
        d.count("Most points of a curve; longer ones keep first, last, lowest and highest of equal ranges. Null: every point."),
    ] = USUAL_POINTS
    x: m.XAxis = "step"
    x_tag: m.XTag = None
    range: Range = None
    log_x: m.LogX = False
    log_y: Annotated[bool, d.flag("Whether the y axes are logarithmic at first.")] = False
    ignore_outliers: Annotated[bool, d.flag("Whether the y ranges leave outliers out at first.")] = True
    segments: m.Restarts = "latest"
    smoothing: m.Smoothed = None
    fold: Fold = True
    colours: Annotated[
        dict[RunText, Annotated[int, Meta(ge=0, lt=PALETTE)]], d.nested("Places in the palette by run id; others get free ones.")
    ] = {}
    groups: Annotated[
        list[FileGroup], most(m.MAX_SERIES), d.nested("Groups that the file draws at first instead of single runs; none: no groups.")
    ] = []
    band: m.BandOf = "ci95"
    colour_by: Annotated[
        str, Meta(max_length=1_000), d.text("Hyperparameter whose values colour the runs; empty: each run has a colour of its own.")
    ] = ""
    colour_scale: Annotated[Literal["auto", "linear", "log"], d.text("How its numbers are placed on the colour ramp.")] = "auto"


class CurvesFile(Struct, frozen=True):
    """What the file has inside."""

    title: str
    made: float
    version: str
    wanted: CurvesFileRequest
    runs: list[RunRow]
    settings: list[RunSettings]
    charts: list[list[str]]
    groups: str
    """The frame of groups, in the same way; empty without groups."""
    curves: str
    """The frame of curves, as /scalars/series answers it, compressed by gzip, in base64."""


class ChartGroups(Struct, frozen=True):
    """The groups of one chart, in the order asked for."""

    tag: str
    groups: list[m.GroupHeader]


class FileGroups(Struct, frozen=True):
    """Header of the frame of groups."""

    charts: list[ChartGroups]


def curves_html(
    reads: Reads,
    states: Mapping[RunId, RunState],
    now: float,
    name: str,
    request: CurvesFileRequest,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> bytes:
    """The whole file; `name` is what the log folder is called. `progress` may raise to give up.

    Raises NotThere when the page is not built or a run is gone, BadInput when nothing is asked for, and TooMuch.
    """
    title = request.title or name
    filled = fill_page(BUNDLE, title)
    m.check_count(len(request.runs), "runs")
    m.check_count(len(request.charts), "charts", MAX_CHARTS)
    view = reads.views.view(request.fold)
    for run in [*request.runs, *(run for group in request.groups for run in group.runs)]:
        view.run(run)
    wanted = set(request.runs)
    rows = [row for row in list_runs(view, states, now) if (row.id in wanted if wanted else not row.hidden)]
    charts, series = _series(reads, view, [row.id for row in rows], request.charts)
    if not series:
        raise BadInput("The chosen runs have no scalars of the chosen tags; choose others.", "nothing_chosen")
    m.check_count(len(series), "series")
    window = m.window(reads.views, request.x, request.x_tag, None, log_x=request.log_x)
    m.check_count(sum(len(group.runs) for group in request.groups) * len(charts), "runs in groups of all charts", MAX_GROUPED)
    smoothing = m.checked(request.smoothing)
    frame = _frame(reads, view, series, window, request, smoothing, progress)
    groups = _groups(reads, view, [chart[0] for chart in charts], window, request, smoothing) if request.groups else b""
    shown = {row.id for row in rows}
    return filled(
        CurvesFile(
            title=title,
            made=now,
            version=__version__,
            wanted=request,
            runs=rows,
            settings=[one for one in reads.settings.all_runs(view) if one.id in shown],
            charts=charts,
            groups=_packed(groups) if groups else "",
            curves=_packed(frame),
        )
    )


def _packed(frame: bytes) -> str:
    # Without a time inside, the same curves make the same file.
    return base64.b64encode(gzip.compress(frame, _LEVEL, mtime=0)).decode("ascii")


def _groups(
    reads: Reads, view: View, tags: Sequence[str], window: Window, request: CurvesFileRequest, smoothing: Smoothing | None
) -> bytes:
    """The groups of the first tag of each chart, as the page draws them: bands join runs at equal x, so another tag is no axis."""
    builder = FrameBuilder()
    width = min(m.MAX_WIDTH, max(1, (request.points or USUAL_POINTS) // 2))
    axis = "step" if window.axis == "tag" else window.axis
    own = Window(axis, width=width, log_x=window.log_x)
    charts: list[ChartGroups] = []
    points = 0
    for name in tags:
        tag = reads.views.tag_id(name)
        headers: list[m.GroupHeader] = []
        for group in request.groups:
            line = group_line(reads.series, view, group.runs, tag, own, request.segments, smoothing, request.band, m.USUAL_QUANTILES)
            points += len(line.x)
            if points > MAX_POINTS:
                raise TooMuch(f"A file can have at most {MAX_POINTS:,} points; choose fewer groups or charts.", "too_many")
            headers.append(add_group(builder, group.name, line))
        charts.append(ChartGroups(name, headers))
    return builder.finish(FileGroups(charts))


def _series(reads: Reads, view: View, runs: Sequence[str], asked: Sequence[Sequence[str]]) -> tuple[list[list[str]], list[SeriesName]]:
    """The charts that have a curve, and the curves: of each run those tags of the charts that it has."""
    ids = {run: set(scalar_tags(view, run)) for run in runs}
    charts = [list(dict.fromkeys(tags)) for tags in asked if tags]
    if not asked:
        names = {reads.views.tag_name(tag) for tags in ids.values() for tag in tags}
        charts = [[name] for name in sorted(names, key=natural_key)]
    tags = {tag: reads.views.tag_id(tag) for chart in charts for tag in chart}
    found = {tag: [SeriesName(run, tag) for run in runs if number in ids[run]] for tag, number in tags.items()}
    kept = [chart for chart in charts if any(found[tag] for tag in chart)]
    return kept, [name for tag in dict.fromkeys(tag for chart in kept for tag in chart) for name in found[tag]]


def _frame(
    reads: Reads,
    view: View,
    series: Sequence[SeriesName],
    window: Window,
    request: CurvesFileRequest,
    smoothing: Smoothing | None,
    progress: Callable[[int, int], None],
) -> bytes:
    builder = FrameBuilder()
    headers: list[m.CurveHeader] = []
    points = 0
    for place, name in enumerate(series):
        progress(place, len(series))
        tag = reads.views.tag_id(name.tag)
        held = reads.series.open(view.source(name.run, tag), request.segments)
        most_points = (held.series.points if held is not None else 0) if request.points is None else request.points
        _check_points(most_points)
        # A pixel column keeps up to four points.
        own = Window(window.axis, window.x_tag, width=max(1, -(-most_points // 4)), log_x=window.log_x)
        curve = reads.series.curve(view, name.run, tag, own, request.segments, smoothing)
        points += len(curve.columns.get("x", ()))
        _check_points(points)
        headers.append(add_curve(builder, name, curve))
    progress(len(series), len(series))
    return builder.finish(m.CurvesHeader(view.snapshot.epoch, request.x, headers))


def _check_points(points: int) -> None:
    if points > MAX_POINTS:
        raise TooMuch(f"A file can have at most {MAX_POINTS:,} points; choose fewer runs or charts, or fewer points.", "too_many")
