"""`stepscope inspect`: what a log folder holds, whether it is healthy, and how long reading it took."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.log_folders import parse_roots
from stepscope.cli.terminal import count_of, printable, size_of, table
from stepscope.model.errors import BadInput
from stepscope.model.kinds import Kind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stepscope.ingest.loader import Root
    from stepscope.queries.health import FileHealth
    from stepscope.queries.view import View
    from stepscope.store.library import Library, RunRecord

_HEALTH_SHOWN = 20
_ROWS_SHOWN = 1_000


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
    from stepscope.queries.view import Views
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
    """The keys of --json."""
    from stepscope.queries.health import file_health, unreadable_rows

    snapshot = library.snapshot
    files = file_health(snapshot)
    wrong = _verify(library) if verify else {}
    series = sum(_counts(run)[0] for run in snapshot.runs)
    health = [_health_row(file, wrong.get(file.file, 0)) for file in files if file.state != "good" or wrong.get(file.file)]
    for row in unreadable_rows(snapshot.unreadable):
        health.append({"file": row.path, "skipped": 0, "reason": row.reason, "state": "unreadable", "offset": None})
    report: dict[str, Any] = {
        "runs": len(snapshot.runs),
        "series": series,
        "points": sum(file.events.points for run in snapshot.runs for file in run.files),
        "files": len(files),
        "bytes": sum(file.bytes for file in files),
        "skipped_records": sum(file.skipped for file in files) + sum(wrong.values()),
        "load_seconds": round(load_seconds, 6),
        "health": health,
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


def _health_row(file: FileHealth, wrong: int) -> dict[str, Any]:
    reason = file.reason
    if wrong:
        reason = f"{wrong} large records have a wrong checksum" + (f"; {reason}" if reason else "")
    return {
        "file": file.file,
        "skipped": file.skipped + wrong,
        "reason": reason,
        "state": "damaged" if wrong else file.state,
        "offset": file.offset,
    }


def _text(report: dict[str, Any], view: View, library: Library, tag: str | None) -> str:
    """The readable table: sums, runs, and files with trouble."""
    lines = [
        f"{count_of(report['runs'], 'run')}, {report['series']:,} series, {count_of(report['points'], 'point')} in"
        f" {count_of(report['files'], 'file')} of {size_of(report['bytes'])}, read in {report['load_seconds']:.3f} s"
    ]
    wanted = None if tag is None else library.names.find(tag.encode("utf-8", "surrogateescape"))
    rows: list[tuple[str, ...]] = []
    for run in sorted(view.runs, key=lambda run: (run.record.root, run.name)):
        series, values = _counts(run.record, wanted)
        if tag is None or series:
            size = size_of(sum(file.size for file in run.record.files))
            rows.append((run.name, f"{series:,}", f"{values:,}", f"{len(run.record.files):,}", size))
    if rows:
        lines += ["", *table(("run", "series", "points", "files", "size"), rows[:_ROWS_SHOWN])]
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


def _counts(run: RunRecord, tag: int | None = None) -> tuple[int, int]:
    """Series (tags and kinds) and values of a run, or of one tag of it."""
    if tag is None and len(run.files) == 1:
        return run.files[0].events.series_count, run.files[0].events.values
    # Only a run of several files can name a series twice; most have one, and then numpy need not be loaded.
    import numpy as np

    found: list[NDArray[np.int64]] = []
    values = 0
    for file in run.files:
        tags, counts = file.events.tag_ids().astype(np.int64), file.events.counts()
        keys = tags * len(Kind) + file.events.kinds()[: len(tags)]
        wanted = slice(None) if tag is None else tags == tag
        found.append(keys[wanted])
        values += int(counts[: len(tags)][wanted].sum())
    series = len(np.unique(np.concatenate(found))) if found else 0
    return series, values
