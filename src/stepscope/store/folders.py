"""Where Stepscope keeps its own files: a cache that may be deleted at any time, and the data users typed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_CACHE, _DATA = "STEPSCOPE_CACHE_DIR", "STEPSCOPE_DATA_DIR"


def cache_folder() -> Path:
    """The cache: everything in it is rebuilt from the logs when it is gone."""
    return _folder(_CACHE, "XDG_CACHE_HOME", ".cache", "Library/Caches", "Cache")


def data_folder() -> Path:
    """What users typed: notes, names, colours."""
    return _folder(_DATA, "XDG_DATA_HOME", ".local/share", "Library/Application Support", "Data")


def is_chosen(folder: Path) -> bool:
    """Whether the environment names the folder itself; its owner decides who else may open it."""
    return str(folder) in {os.environ.get(_CACHE), os.environ.get(_DATA)}


def _folder(own: str, xdg: str, unix: str, mac: str, windows: str) -> Path:
    if chosen := os.environ.get(own):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or _home() / "AppData/Local") / "stepscope" / windows
    if sys.platform == "darwin":
        return _home() / mac / "stepscope"
    chosen = os.environ.get(xdg)
    return (Path(chosen) if chosen and os.path.isabs(chosen) else _home() / unix) / "stepscope"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # A container's user may have none; nothing is kept then, and everything else works.
        return Path(os.sep, "nonexistent")
