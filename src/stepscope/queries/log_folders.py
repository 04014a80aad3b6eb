"""Whether a log folder is there: one that is missing looks like an empty one otherwise."""

from __future__ import annotations

from stepscope.sources.files import is_folder


def folder_exists(path: str) -> bool:
    """Whether there is a folder now; training may create it later."""
    return is_folder(path)
