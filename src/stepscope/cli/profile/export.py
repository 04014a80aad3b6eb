"""`stepscope profile export`: a profile, or a window of it, as a file that Perfetto, Chrome or speedscope opens."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Protocol

import click

from stepscope.cli.profile.asking import opened, say_range
from stepscope.cli.profile.options import kind_options
from stepscope.cli.profile.range_options import chosen_range, range_options
from stepscope.cli.terminal import printable
from stepscope.model.errors import BadInput

if TYPE_CHECKING:
    from stepscope.queries.trace_export import ExportFormat

# The first ending that fits counts.
_ENDINGS: dict[str, ExportFormat] = {
    ".pftrace": "pftrace",
    ".perfetto-trace": "pftrace",
    ".speedscope.json": "speedscope",
    ".speedscope.json.gz": "speedscope",
    ".json": "json",
    ".json.gz": "json",
}
_VIEWERS: dict[ExportFormat, str] = {"pftrace": "Perfetto", "json": "Chrome", "speedscope": "speedscope"}


class _Takes(Protocol):
    """Anything bytes can be written to."""

    def write(self, data: bytes, /) -> int: ...


@click.command("export")
@click.argument("profile", metavar="PROFILE")
@click.option(
    "--to",
    "target",
    required=True,
    metavar="FILE",
    help="Output file: .pftrace, .json or .speedscope.json (also with .gz); - writes .pftrace to stdout.",
)
@click.option("--rank", type=int, metavar="N", help="Export this rank (default: the first one).")
@click.option("--from", "low_ms", type=float, metavar="MS", help="Leave out events that end before this time since the start.")
@click.option("--until", "high_ms", type=float, metavar="MS", help="Leave out events that start at this time or later.")
@range_options
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--max-gib", type=click.IntRange(1, 1 << 20), metavar="N", help="Read files up to N GiB.")
@click.option("--no-cache", is_flag=True, help="Do not use the cache.")
@kind_options
def command(
    profile: str,
    target: str,
    rank: int | None,
    low_ms: float | None,
    high_ms: float | None,
    force: bool,
    **_: object,
) -> None:
    """Write PROFILE as a file that Perfetto, Chrome or speedscope opens.

    Threads, streams, launches and counters keep their exact times. Spans that overlap the time window are written whole, except
    markers of the time in which the profiler was active.
    """
    from stepscope.queries.trace_export import trace_pieces
    from stepscope.session.part import Wanted

    form = _format_of(target)
    if low_ms is not None and high_ms is not None and low_ms >= high_ms:
        raise BadInput("--from must be before --until.", "empty_window")
    session = opened(profile).analysed(Wanted(range=chosen_range()))
    say_range(session.range_text)
    chosen = session.profiles[0 if rank is None else session.place(str(rank))]
    first = chosen.window[0]
    low, high = (None if at is None else first + round(at * 1e6) for at in (low_ms, high_ms))
    written = 0
    with _written(target, force) as file:
        for piece in trace_pieces(chosen, form, low, high):
            file.write(piece)
            written += len(piece)
    if target != "-":
        click.echo(f"{printable(target)}: {written:,} bytes of {_VIEWERS[form]} trace.")


def _format_of(target: str) -> ExportFormat:
    if target == "-":
        return "pftrace"
    for ending, form in _ENDINGS.items():
        if target.endswith(ending):
            return form
    raise BadInput(f"{printable(target)} must end in .pftrace, .json, .json.gz or .speedscope.json.", "unknown_format")


@contextmanager
def _written(target: str, force: bool) -> Generator[_Takes]:
    if target == "-":
        yield sys.stdout.buffer
        return
    with _new_file(target, force) as file:
        if target.endswith(".gz"):
            with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed:
                yield packed
        else:
            yield file


def _new_file(target: str, force: bool) -> IO[bytes]:
    try:
        return open(target, "wb" if force else "xb")
    except FileExistsError as error:
        raise BadInput(f"{printable(target)} exists already; give another name, or --force to overwrite it.", "exists") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BadInput(f"Cannot write {printable(target)}: {reason}; give another path.", "unwritable") from error
