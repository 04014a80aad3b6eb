"""`stepscope export`: runs and their scalars as one HTML file to share, or all points as CSV, JSON or Parquet."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal

import click

from stepscope.cli.log_folders import parse_roots
from stepscope.cli.opened_folder import opened, states_of
from stepscope.cli.terminal import count_of, printable, size_of
from stepscope.cli.written_file import HTML_ENDINGS, check_name, write_file
from stepscope.model.errors import BadInput

if TYPE_CHECKING:
    from stepscope.dashboards.scalars.html_curves import CurvesFileRequest, FileGroup
    from stepscope.ingest.loader import Root
    from stepscope.model.identity import RunId
    from stepscope.queries.export import Format, Wanted
    from stepscope.queries.groups import Band
    from stepscope.queries.runs import RunState
    from stepscope.queries.view import ShownRun, View
    from stepscope.session.reads import Reads

_EVERY = "all"
_LEAST_POINTS, _MOST_POINTS = 4, 4_000_000


def _points(_: click.Context, __: click.Parameter, text: str) -> int | None:
    """Points per curve; None for all of them. Raises BadParameter."""
    if text == _EVERY:
        return None
    if not text.isdecimal() or not _LEAST_POINTS <= int(text) <= _MOST_POINTS:
        raise click.BadParameter(f"{text!r} is neither {_EVERY} nor a number from {_LEAST_POINTS} to {_MOST_POINTS:,}.")
    return int(text)


@click.command("export")
@click.argument("logdirs", nargs=-1, required=True, metavar="LOGDIR…")
@click.option("--html", metavar="FILE", help="Write charts of the runs to one self-contained HTML file that opens offline.")
@click.option("--csv", metavar="FILE", help="Write every point to a CSV file.")
@click.option("--json", metavar="FILE", help="Write every point to a JSON file.")
@click.option("--parquet", metavar="FILE", help="Write every point to a Parquet file (needs stepscope[sql]).")
@click.option("--run", "runs", multiple=True, metavar="NAME", help="Export only these runs; * matches any characters. Can be repeated.")
@click.option("--tag", "tags", multiple=True, metavar="NAME", help="Export only these tags; * matches any characters. Can be repeated.")
@click.option("--title", default="", metavar="TEXT", help="Title of the HTML file (default: the name of LOGDIR).")
@click.option("--points", callback=_points, default="2000", metavar="N|all", help="Points per curve in the HTML file (default: 2000).")
@click.option("--x", type=click.Choice(["step", "relative", "wall"]), default="step", help="X axis of the HTML file (default: step).")
@click.option(
    "--smoothing", type=click.FloatRange(0, 0.9999), default=0.0, metavar="WEIGHT", help="EMA smoothing of the HTML file (default: 0)."
)
@click.option(
    "--group-by",
    default="",
    metavar="NAME",
    help="Draw groups of runs as mean and band in the HTML file: seed (runs that differ only in the seed), folder or a hyperparameter.",
)
@click.option(
    "--band",
    type=click.Choice(["ci95", "sd", "minmax", "quantile"]),
    default="ci95",
    help="Band around the mean of a group: 95% confidence interval, standard deviation, minimum and maximum, or "
    "10th to 90th percentile around the median (default: ci95).",
)
@click.option("--no-cache", is_flag=True, help="Do not use the cache.")
def command(
    logdirs: tuple[str, ...],
    html: str | None,
    csv: str | None,
    json: str | None,
    parquet: str | None,
    runs: tuple[str, ...],
    tags: tuple[str, ...],
    title: str,
    points: int | None,
    x: Literal["step", "relative", "wall"],
    smoothing: float,
    group_by: str,
    band: Band,
    no_cache: bool,
) -> None:
    """Export runs as an HTML file to share, or as CSV, JSON or Parquet.

    The HTML file contains the charts of the page with the data inside. It needs no server and no network, so it can be mailed. Long
    curves are reduced and say so. Names, notes and hyperparameters of the runs are in it.
    """
    target, kind = _target(html, csv, json, parquet)
    roots = parse_roots(logdirs)
    with opened(roots, cache=not no_cache) as reads:
        states = states_of(roots)
        view = reads.views.view(True)
        chosen = _chosen_runs(view, states, runs)
        names = _chosen_tags(reads, view, chosen, tags)
        if kind == "html":
            from stepscope.dashboards.scalars.html_curves import CurvesFileRequest
            from stepscope.queries.series import Smoothing

            groups = _groups(reads, view, chosen, group_by) if group_by else []
            request = CurvesFileRequest(
                runs=[str(run.record.id) for run in chosen],
                charts=[[tag] for tag in names] if tags else [],
                title=title[:200],
                points=points,
                x=x,
                smoothing=Smoothing("ema", smoothing) if smoothing else None,
                groups=groups,
                band=band,
            )
            written = write_file(target, [_html(reads, states, roots, request)])
        else:
            from stepscope.queries.export import export

            written = write_file(target, export(reads.series, view, _wanted(reads, chosen, names), "latest", kind))
    click.echo(f"{printable(target)}: {count_of(len(chosen), 'run')}, {count_of(len(names), 'tag')}, {size_of(written)}")


def _target(html: str | None, csv: str | None, json: str | None, parquet: str | None) -> tuple[str, Literal["html"] | Format]:
    """The one file that is asked for. Raises BadInput."""
    kinds: tuple[tuple[str | None, Literal["html"] | Format, tuple[str, ...]], ...] = (
        (html, "html", HTML_ENDINGS),
        (csv, "csv", (".csv",)),
        (json, "json", (".json",)),
        (parquet, "parquet", (".parquet",)),
    )
    asked = [one for one in kinds if one[0] is not None]
    if len(asked) == 1 and (target := asked[0][0]) is not None:
        check_name(target, asked[0][2])
        return target, asked[0][1]
    raise BadInput("Give one of --html, --csv, --json and --parquet with a file name.", "one_file")


def _matches(names: Sequence[str], patterns: Sequence[str]) -> bool:
    return any(name == pattern or fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _chosen_runs(view: View, states: dict[RunId, RunState], patterns: Sequence[str]) -> list[ShownRun]:
    """Runs by their path, that of their experiment, or the name the user gave, in the order of their names.

    Raises BadInput when there is none.
    """
    from stepscope.queries.names import natural_key
    from stepscope.queries.runs import RunState

    found: list[ShownRun] = []
    for run in view.runs:
        state = states.get(run.record.id, RunState())
        names = [name for name in (run.name, run.experiment, state.display_name) if name is not None]
        if _matches(names, patterns) if patterns else not state.hidden:
            found.append(run)
    if not found:
        raise BadInput("No run matches --run; stepscope inspect lists the runs." if patterns else "No runs in this folder.", "no_runs")
    return sorted(found, key=lambda run: natural_key(run.name))


def _chosen_tags(reads: Reads, view: View, runs: Sequence[ShownRun], patterns: Sequence[str]) -> list[str]:
    """Scalar tags of the runs in the order of their names. Raises BadInput when there is none."""
    from stepscope.queries.names import natural_key
    from stepscope.queries.tags import scalar_tags

    names = {reads.views.tag_name(tag) for run in runs for tag in scalar_tags(view, str(run.record.id))}
    found = sorted((name for name in names if not patterns or _matches([name], patterns)), key=natural_key)
    if not found:
        raise BadInput("No scalar tag of these runs matches --tag." if patterns else "These runs have no scalars.", "no_tags")
    return found


def _wanted(reads: Reads, runs: Sequence[ShownRun], tags: Sequence[str]) -> Iterator[Wanted]:
    from stepscope.queries.export import Wanted

    for run in runs:
        for tag in tags:
            yield Wanted(str(run.record.id), run.name, reads.views.tag_id(tag), tag)


def _groups(reads: Reads, view: View, runs: Sequence[ShownRun], by: str) -> list[FileGroup]:
    """The groups of the runs. Raises BadInput when no run has the hyperparameter."""
    from stepscope.dashboards.scalars.html_curves import FileGroup
    from stepscope.queries.run_groups import group_runs
    from stepscope.queries.runs import list_runs

    ids = {run.record.id for run in runs}
    rows = [row for row in list_runs(view, {}, time.time()) if row.id in ids]
    return [FileGroup(group.name[:1000], list(group.runs), group.role) for group in group_runs(rows, reads.settings.all_runs(view), by)]


def _html(reads: Reads, states: dict[RunId, RunState], roots: Sequence[Root], request: CurvesFileRequest) -> bytes:
    from stepscope.dashboards.scalars.html_curves import curves_html
    from stepscope.queries.names import path_text

    name = ", ".join(path_text(root.name or os.path.basename(root.path)) for root in roots)
    return curves_html(reads, states, time.time(), name, request)
