"""Files inside a zip archive: zip:///folder/logs.zip/run/file."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Sequence

from stepscope.sources.source import FoundFile, Listing, Ranges, Stat, Tell, Wanted

_SCHEME = "zip://"
_ENDING = ".zip"


def _split(path: str) -> tuple[str, str]:
    archive, _, inside = path.removeprefix(_SCHEME).partition(_ENDING)
    return archive + _ENDING, inside.strip("/")


class Zipped:
    """Archives never change while they are read."""

    def list_folder(self, folder: str, wanted: Wanted) -> Listing:
        """By the names of the archive's members."""
        archive, inside = _split(folder)
        listing, folders = Listing(), set[str]()
        with zipfile.ZipFile(archive) as opened:
            for one in opened.infolist():
                below = one.filename.removeprefix(f"{inside}/" if inside else "")
                if one.is_dir() or (inside and not one.filename.startswith(f"{inside}/")):
                    continue
                name, deeper, _ = below.partition("/")
                if deeper:
                    folders.add(f"{folder.rstrip('/')}/{name}")
                elif wanted(name):
                    listing.files.append(FoundFile(f"{folder.rstrip('/')}/{name}", one.file_size, 1.0, 0))
        listing.folders = sorted(folders)
        return listing

    def stat(self, path: str) -> Stat:
        """Raises FileNotFoundError."""
        archive, inside = _split(path)
        with zipfile.ZipFile(archive) as opened:
            if inside in opened.namelist():
                return Stat(opened.getinfo(inside).file_size, 1.0, 10**9, 0, True, False)
            if not inside or any(name.startswith(f"{inside}/") for name in opened.namelist()):
                return Stat(0, 1.0, 10**9, 0, False, True)
        raise FileNotFoundError(2, "no such file", path)

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """Inflates from the start: an example, not a fast one."""
        archive, inside = _split(path)
        with zipfile.ZipFile(archive) as opened, opened.open(inside) as file:
            file.seek(offset)
            return file.read(length)

    def origin(self, path: str) -> bytes | Ranges:
        """Ranges: there is no local file."""
        return Ranges(self, path)

    def absolute(self, path: str) -> str:
        """An address is always whole."""
        return path

    def canonical(self, path: str) -> str:
        """There are no links."""
        return path

    def can_watch(self, folder: str) -> bool:
        """Never."""
        return False

    def watch(self, folders: Sequence[str], tell: Tell, stop: threading.Event) -> None:
        """Is not called."""
        raise NotImplementedError


SOURCE = Zipped()
