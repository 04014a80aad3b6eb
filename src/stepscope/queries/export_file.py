"""An export as a job: written to a temporary file, series by series, so that no request waits for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stepscope.jobs.job import Job
from stepscope.jobs.made_file import MadeFile, write_made
from stepscope.queries.export import Format, Wanted, export
from stepscope.queries.series import Segments, SeriesReader
from stepscope.queries.view import View

CONTENT_TYPES: dict[Format, str] = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
}


def write_export(
    job: Job[MadeFile], reader: SeriesReader, view: View, wanted: Sequence[Wanted], mode: Segments, kind: Format, stem: str
) -> MadeFile:
    """Writes the file. Raises NeedsExtra, Refused when there is no room, or Cancelled; then nothing is left behind."""
    written = 0

    def report(done: int) -> None:
        job.report(done, len(wanted), "series", f"{written / 1e6:,.0f} MB written")

    def told() -> Iterator[Wanted]:
        for place, series in enumerate(wanted):
            report(place)
            yield series

    def pieces() -> Iterator[bytes]:
        nonlocal written
        for piece in export(reader, view, told(), mode, kind):
            yield piece
            written += len(piece)
            job.checkpoint()
        report(len(wanted))

    return write_made(f"{stem}.{kind}", CONTENT_TYPES[kind], pieces())
