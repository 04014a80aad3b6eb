"""Finds the JSON of programs in an archive; weights and pickled objects beside it are neither read nor loaded."""

from __future__ import annotations

import io
import re
import zipfile
import zlib

from stepscope.formats.stored_bytes import StoredBytes
from stepscope.model.errors import BadInput, TooMuch

MOST_BYTES = 256 << 20
"""Of all JSON, and of the list of files."""
MOST_PROGRAMS = 64
_PROGRAM = re.compile(r"(?:[^/]*/)?models/([^/]+)\.json|serialized_exported_program\.json")


class _Content(io.RawIOBase):
    """Stored bytes as a file; what asks for a lot at once is not the list of files of an honest archive."""

    def __init__(self, content: StoredBytes) -> None:
        super().__init__()
        self._content = content
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._content.length}[whence]
        self._place = max(0, start + offset)
        return self._place

    def tell(self) -> int:
        return self._place

    def read(self, size: int = -1) -> bytes:
        wanted = self._content.length - self._place if size < 0 else size
        if min(wanted, self._content.length) > MOST_BYTES:
            raise TooMuch(f"An exported program can have up to {MOST_BYTES >> 20} MiB of JSON and file names.", "graph_too_large")
        found = self._content.read(self._place, wanted)
        self._place += len(found)
        return found


def programs_in(content: StoredBytes, name: str) -> dict[str, bytes]:
    """The JSON of each program by the program's name, in the archive's order. Raises BadInput, TooMuch or OSError."""
    found: dict[str, bytes] = {}
    left = MOST_BYTES
    try:
        with zipfile.ZipFile(_Content(content)) as archive:
            for entry in archive.infolist():
                match = _PROGRAM.fullmatch(entry.filename)
                if match is None or len(found) >= MOST_PROGRAMS:
                    continue
                with archive.open(entry) as file:
                    data = file.read(left + 1)
                left -= len(data)
                if left < 0:
                    raise TooMuch(f"An exported program can have up to {MOST_BYTES >> 20} MiB of JSON.", "graph_too_large")
                found[match[1] or "model"] = data
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError, IndexError) as problem:
        raise BadInput(f"{name or 'The file'} is a truncated or corrupt archive; save the program again.", "bad_graph") from problem
    if not found:
        raise BadInput(f"{name or 'The file'} contains no exported program as JSON; save it with torch.export.save().", "bad_graph")
    return found
