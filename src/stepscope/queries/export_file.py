"""An export as a job: written to a temporary file, series by series, so that no request waits for it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stepscope.jobs.job import Job
from stepscope.model.errors import Refused
from stepscope.queries.export import Format, Wanted, export
from stepscope.queries.series import Segments, SeriesReader
from stepscope.queries.view import View

_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file that was made for a download; it goes when the job that made it is forgotten."""

    path: str
    format: Format
    stem: str

    def pieces(self) -> Iterator[bytes]:
        """The bytes, piece by piece. Raises FileNotFoundError at once when the file is gone."""
        file = open(self.path, "rb")  # noqa: SIM115  # closed by the generator

        def read() -> Iterator[bytes]:
            with file:
                while piece := file.read(_PIECE):
                    yield piece

        return read()

    def close(self) -> None:
        """Removes the file."""
        with contextlib.suppress(OSError):
            os.unlink(self.path)


def write_export(
    job: Job[ExportFile], reader: SeriesReader, view: View, wanted: Sequence[Wanted], mode: Segments, kind: Format, stem: str
) -> ExportFile:
    """Writes the file. Raises NeedsExtra, Refused when there is no room, or Cancelled; then nothing is left behind."""
    written = 0

    def told() -> Iterator[Wanted]:
        for place, series in enumerate(wanted):
            job.report(place, len(wanted), "series", f"{written / 1e6:,.0f} MB written")
            yield series

    handle, path = tempfile.mkstemp(prefix="stepscope-export-", suffix=f".{kind}")
    made = ExportFile(path, kind, stem)
    try:
        with open(handle, "wb") as file:
            for piece in export(reader, view, told(), mode, kind):
                written += file.write(piece)
                job.checkpoint()
        job.report(len(wanted), len(wanted), "series", f"{written / 1e6:,.0f} MB written")
    except OSError as problem:
        made.close()
        reason = f"Could not write the export to {path} ({problem.strerror}); free disk space or set TMPDIR."
        raise Refused(reason, "no_room") from problem
    except BaseException:
        made.close()
        raise
    return made
