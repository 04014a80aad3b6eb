"""Folders and file names of a writer: checked at the call, absolute from then on, and never outside of the log folder."""

from __future__ import annotations

import os
import time
from typing import cast

from stepscope.writer.event_log import host_name


def checked_folder(folder: object, name: str = "log_dir") -> str:
    """The path of a local folder, if it is one that can be made."""
    if not isinstance(folder, str | os.PathLike):
        raise TypeError(f"Give {name} as a path, not as {type(folder).__name__}.")
    path = os.fspath(cast("str | os.PathLike[str]", folder))
    if isinstance(cast("object", path), bytes):
        path = os.fsdecode(path)
    if "://" in path:
        raise ValueError(f"Give {name} as a local folder, not as {path!r}.")
    return _checked_characters(path, name)


def checked_suffix(suffix: object) -> str:
    """What file names end with, if they can."""
    if not isinstance(suffix, str) or os.path.basename(suffix) != suffix:
        raise ValueError(f"Give filename_suffix as a text that file names can end with, not as {suffix!r}.")
    return _checked_characters(suffix, "filename_suffix")


def default_folder(comment: str) -> str:
    """torch's: by date, time and host."""
    return os.path.join("runs", f"{time.strftime('%b%d_%H-%M-%S')}_{host_name()}{comment}")


def fixed(folder: str) -> str:
    """The folder, wherever the program goes from here. No file system is asked, and links stay what they are."""
    try:
        return os.path.join(os.getcwd(), folder)
    except OSError:  # The current folder is gone.
        return folder


def folder_below(parent: str, name: object, what: str) -> str:
    """The folder of that name in the log folder, which must be the log folder itself or below it.

    A whole path may be given, too: programs that log hyperparameters into the run's own folder do so.
    """
    if not isinstance(name, str | os.PathLike):
        raise TypeError(f"Give {what} as a text, not as {type(name).__name__}.")
    text = _checked_characters(os.fspath(cast("str | os.PathLike[str]", name)), what)
    folder = os.path.join(parent, text)
    if _is_inside(folder, parent):
        return folder
    if os.path.isabs(text) and _is_inside(os.path.realpath(text), os.path.realpath(parent)):  # A link leads there.
        return text
    raise ValueError(f"Give {what} as a folder inside the log folder; {text!r} leads out of it.")


def _is_inside(folder: str, parent: str) -> bool:
    whole, above = os.path.normpath(folder), os.path.normpath(parent)
    return whole == above or whole.startswith(above.rstrip(os.sep) + os.sep)


def _checked_characters(path: str, what: str) -> str:
    """The path, if a file system can have it: without NUL, and in characters that can be encoded."""
    try:
        if b"\0" not in os.fsencode(path):
            return path
    except UnicodeEncodeError:
        pass
    raise ValueError(f"Give {what} in characters that file names can have; {path!r} has others.")
