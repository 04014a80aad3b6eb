"""`stepscope inspect`: what a log folder holds, whether it is healthy, and how long reading it took."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from stepscope.cli.log_folders import parse_roots
from stepscope.cli.terminal import count_of, printable, size_of, table
from stepscope.model.errors import BadInput
from stepscope.model.kinds import Kind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stepscope.ingest.loader import Root
    from stepscope.queries.view import View
    from stepscope.store.library import FileRecord, Library, RunRecord, Unreadable

_HEALTH_SHOWN = 20
_ROWS_SHOWN = 1_000
_UNREADABLE_LISTED = 1_000
_OTHER = "other value"
_WORST = ("unreadable", "damaged", "waiting")


class _Counts(NamedTuple):
    """What a run, or one tag of it, has; points are scalars."""

    series: int
    points: int
    others: int
    """Images, texts and other values that are no scalars."""


@click.command("inspect")
@click.argument("logdirs", nargs=-1, required=True, metavar="LOGDIR…")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--verify", is_flag=True, help="Also verify the checksums of large records; by default, they are verified when shown.")
@click.option("--tag", metavar="TAG", help="Show only this tag.")
@click.option("--no-cache", is_flag=True, help="Do not use the cache.")
def command(logdirs: tuple[str, ...], as_json: bool, verify: bool, tag: str | None, no_cache: bool) -> None:
    """Summarize a log folder and check its files.

    LOGDIR can also be a single event file. The checksums of all scalars are verified.
    """
    inspect_folders(parse_roots(logdirs, files_too=True), as_json=as_json, verify=verify, tag=tag, cache=not no_cache)


def inspect_folders(
    roots: Sequence[Root], *, as_json: bool = False, verify: bool = False, tag: str | None = None, cache: bool = True
) -> None:
    """Reads everything once and prints what was found."""
    from stepscope.ingest.loader import Loader
    from stepscope.sources.files import is_folder
    from stepscope.store.library import Library

    library = Library()
    loader = Loader(library, [root for root in roots if is_folder(root.path)], reload_interval=0.0, cache=cache)
    try:
        loader.load()
        _read_files(library, [root.path for root in roots if not is_folder(root.path)])
        report = make_report(library, loader.load_seconds, verify)
        if as_json:
            import json

            click.echo(json.dumps(report, indent=2))
        else:
            from stepscope.queries.view import Views

            view = Views(library).view(False)
            click.echo(_text(report, view, library, tag))
    finally:
        loader.stop()


def _read_files(library: Library, paths: Sequence[str]) -> None:
    """Adds single event files, each as a run of its folder's name."""
    from stepscope.formats.run_files import open_events
    from stepscope.model.identity import run_id
    from stepscope.sources.files import has_settled, stat
    from stepscope.store.library import FileRecord, RunRecord

    runs = list(library.snapshot.runs)
    for path in paths:
        events = open_events(path, library.names)
        try:
            now = stat(path)
            while events.scan(settled=has_settled(now.modified)) > 0:
                pass
        except OSError as problem:
            raise BadInput(f"{path} cannot be read ({problem.strerror}).", "bad_file") from problem
        parent = os.path.dirname(path)
        file = FileRecord(path, events, now.size, now.modified, now.inode)
        runs.append(RunRecord(run_id("", path), "", os.path.basename(parent), parent, (file,)))
    if paths:
        library.publish(runs, runs_changed=True, tags_changed=True)


def make_report(library: Library, load_seconds: float, verify: bool) -> dict[str, Any]:
    """The keys of --json. Points are scalars; series are of any kind."""
    snapshot = library.snapshot
    files = [file for run in snapshot.runs for file in run.files]
    wrong = _verify(library) if verify else {}
    report: dict[str, Any] = {
        "runs": len(snapshot.runs),
        "series": sum(_counts(run).series for run in snapshot.runs),
        "points": sum(file.events.points for file in files),
        "files": len(files),
        "bytes": sum(file.size for file in files),
        "skipped_records": sum(file.events.skipped for file in files) + sum(wrong.values()),
        "load_seconds": round(load_seconds, 6),
        "health": _health(files, wrong, snapshot.unreadable),
    }
    if verify:
        report["verified"] = True
    return report


def _verify(library: Library) -> dict[str, int]:
    """Wrong checksums found by reading every file whole, beyond those found when loading."""
    from stepscope.queries.names import path_text

    found: dict[str, int] = {}
    for run in library.snapshot.runs:
        for file in run.files:
            wrong = max(0, file.events.verify() - file.events.skipped)
            if wrong:
                found[path_text(file.path)] = wrong
    return found


def _health(files: Sequence[FileRecord], wrong: dict[str, int], unreadable: Sequence[Unreadable]) -> list[dict[str, Any]]:
    """Files with trouble, the worst first, then what could not be opened at all."""
    from stepscope.queries.file_states import condition_of
    from stepscope.queries.names import path_text

    rows: list[dict[str, Any]] = []
    for file in files:
        found, name = condition_of(file), path_text(file.path)
        large, state, reason = wrong.get(name, 0), found.state, found.reason
        if large:
            state = "damaged"
            reason = f"{large} large records have a wrong checksum" + (f"; {reason}" if reason else "")
        if state != "good":
            skipped = file.events.skipped + large
            rows.append({"file": name, "skipped": skipped, "reason": reason, "state": state, "offset": found.offset})
    rows.sort(key=lambda row: (_WORST.index(row["state"]), row["file"]))
    for one in unreadable[:_UNREADABLE_LISTED]:
        rows.append({"file": path_text(one.path), "skipped": 0, "reason": path_text(one.reason), "state": "unreadable", "offset": None})
    return rows


def _text(report: dict[str, Any], view: View, library: Library, tag: str | None) -> str:
    """The readable table: sums, runs, and files with trouble."""
    wanted = None if tag is None else library.names.find(tag.encode("utf-8", "surrogateescape"))
    runs = sorted(view.runs, key=lambda run: (run.record.root, run.name))
    counted = [(run, counts) for run in runs if (counts := _counts(run.record, wanted)).series or tag is None]
    others = sum(counts.others for _, counts in counted)
    lines = [
        f"{count_of(report['runs'], 'run')}, {report['series']:,} series, {count_of(report['points'], 'point')}"
        f"{f' and {count_of(others, _OTHER)}' if others else ''} in"
        f" {count_of(report['files'], 'file')} of {size_of(report['bytes'])}, read in {report['load_seconds']:.3f} s"
    ]
    rows = [
        (
            run.name,
            f"{counts.series:,}",
            f"{counts.points:,}",
            *([f"{counts.others:,}"] if others else []),
            f"{len(run.record.files):,}",
            size_of(sum(file.size for file in run.record.files)),
        )
        for run, counts in counted
    ]
    if rows:
        head = ("run", "series", "points", *(["others"] if others else []), "files", "size")
        lines += ["", *table(head, rows[:_ROWS_SHOWN])]
        if len(rows) > _ROWS_SHOWN:
            lines.append(f"and {len(rows) - _ROWS_SHOWN:,} more runs")
    else:
        lines += ["", "No event files in this folder or its subfolders." if tag is None else f"No run has the tag {tag}."]
    if report["files"]:
        lines += ["", *_health_lines(report)]
    return "\n".join(lines)


def _health_lines(report: dict[str, Any]) -> list[str]:
    health = report["health"]
    if not health:
        return ["Health: all records are good."]
    skipped = report["skipped_records"]
    lines = [f"Health: {count_of(skipped, 'corrupt region')} skipped; affected files:"]
    lines += [f"  {printable(row['file'])}: {printable(row['reason'] or row['state'])}" for row in health[:_HEALTH_SHOWN]]
    if len(health) > _HEALTH_SHOWN:
        lines.append(f"  and {len(health) - _HEALTH_SHOWN:,} more; see --json")
    return lines


def _counts(run: RunRecord, tag: int | None = None) -> _Counts:
    """Series (tags and kinds), points and other values of a run, or of one tag of it."""
    if tag is None and len(run.files) == 1:
        events = run.files[0].events
        return _Counts(events.series_count, events.points, events.values - events.points)
    # Only a run of several files can name a series twice; most have one, and then numpy need not be loaded.
    import numpy as np

    found: list[NDArray[np.int64]] = []
    points = others = 0
    for file in run.files:
        tags = file.events.tag_ids().astype(np.int64)
        kinds, counts = file.events.kinds()[: len(tags)], file.events.counts()[: len(tags)]
        wanted = np.full(len(tags), True) if tag is None else tags == tag
        found.append((tags * len(Kind) + kinds)[wanted])
        points += int(counts[wanted & (kinds == Kind.SCALAR)].sum())
        others += int(counts[wanted & (kinds != Kind.SCALAR)].sum())
    return _Counts(len(np.unique(np.concatenate(found))) if found else 0, points, others)
