"""A file that a job made for a download: on disk, so that finished jobs take no memory, and removed when the job is forgotten."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stepscope.model.errors import Refused

_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class MadeFile:
    """Where the file is, and what it is called and is when it is downloaded."""

    path: str
    name: str
    content_type: str

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


def write_made(name: str, content_type: str, pieces: Iterable[bytes]) -> MadeFile:
    """Writes a temporary file. Raises Refused when there is no room, or what `pieces` raises; then nothing is left behind."""
    handle, path = tempfile.mkstemp(prefix="stepscope-", suffix=os.path.splitext(name)[1])
    made = MadeFile(path, name, content_type)
    try:
        with open(handle, "wb") as file:
            file.writelines(pieces)
    except OSError as problem:
        made.close()
        reason = f"Could not write {name} to {path} ({problem.strerror}); free disk space or set TMPDIR."
        raise Refused(reason, "no_room") from problem
    except BaseException:
        made.close()
        raise
    return made
