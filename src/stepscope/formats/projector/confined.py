"""Paths in a configuration, kept inside its folder: the file may have been written by anybody."""

from __future__ import annotations

import os

from stepscope.model.errors import Refused
from stepscope.sources.files import canonical, is_file


def confined(folder: str, path: str, what: str) -> str:
    """The path of a file in the folder, links resolved; empty for no path. Raises Refused when it leaves the folder."""
    if not path:
        return ""
    joined = path if os.path.isabs(path) or "://" in path else f"{folder.rstrip('/')}/{path}"
    parts = path.replace("\\", "/").split("/")
    if ".." in parts or "\0" in path or not is_below(folder, joined):
        raise Refused(
            f"{what} leaves the folder of the configuration: {path[:200]!r}. Copy the file into that folder and use a relative path.",
            "path_outside_run",
        )
    return canonical(joined)


def confined_file(folder: str, path: str, what: str) -> str:
    """The same for a file that has to be there. Raises Refused too when it is not."""
    found = confined(folder, path, what)
    if found and not is_file(found):
        raise Refused(f"{what} does not exist: {path[:200]!r}. Copy the file into the folder of the configuration.", "no_such_file")
    return found


def is_below(folder: str, path: str) -> bool:
    """Whether a path leads to something below the folder, whatever links are on the way."""
    if "://" in path and not path.startswith(f"{folder.rstrip('/')}/"):
        return False  # in another place, where nothing is looked at
    root = canonical(folder).rstrip("/\\")
    found = canonical(path)
    return found.startswith((root + "/", root + os.sep))
