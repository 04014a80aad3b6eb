"""The name of a trash folder, which readers of logs skip wherever they meet it."""

from __future__ import annotations

TRASH_ENDING = ".stepscope-trash"
"""A trash folder stands next to its log folder and has that folder's name with this ending."""


def is_trash(path: str) -> bool:
    """Whether a folder is a trash folder, or is inside one."""
    return any(part.endswith(TRASH_ENDING) for part in path.replace("\\", "/").split("/"))
