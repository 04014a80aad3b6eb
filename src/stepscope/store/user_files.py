"""The files that users edit: where span kinds, names of collectives and devices lie, their text, and a stamp of all of them."""

from __future__ import annotations

import os
from collections.abc import Hashable
from functools import lru_cache
from io import BytesIO, TextIOWrapper

from stepscope.sources.files import read_range
from stepscope.store.folders import data_folder

SPAN_KINDS_VARIABLE = "STEPSCOPE_SPAN_KINDS"
COLLECTIVES_VARIABLE = "STEPSCOPE_COLLECTIVES"
"""Names a file of names that communicate, for the server and for all verbs."""
DEVICES_VARIABLE = "STEPSCOPE_DEVICES"
MOST_BYTES = 1 << 20


class TooLong(ValueError):
    """The file is larger than anything that somebody writes by hand."""


def span_kind_file(chosen: str | None = None) -> str:
    """The one that an option names, else that of the environment, else the one in the data folder; it need not exist."""
    return _place(chosen, SPAN_KINDS_VARIABLE) or str(data_folder() / "span_kinds.toml")


def collectives_file(chosen: str | None = None) -> str:
    """The one that an option names, else that of the environment, "" for none."""
    return _place(chosen, COLLECTIVES_VARIABLE)


def device_file() -> str:
    """The one of the environment, else the one in the data folder; it need not exist."""
    return _place(None, DEVICES_VARIABLE) or str(data_folder() / "devices.toml")


def file_state(path: str) -> Hashable:
    """Changes with the file; None when it is not there."""
    try:
        info = os.stat(path)
    except (OSError, ValueError):
        return None
    return (info.st_mtime_ns, info.st_size, info.st_ino)


def user_files_stamp(kinds: str | None = None, collectives: str | None = None) -> Hashable:
    """Changes with any of the files; the arguments are what options name."""
    paths = (collectives_file(collectives), span_kind_file(kinds), device_file())
    return tuple((path, file_state(path)) for path in paths)


def user_text(path: str) -> str:
    """The text, read again when the file's state changes. Raises OSError, UnicodeDecodeError or TooLong."""
    return _text(path, file_state(path))


@lru_cache(maxsize=8)
def _text(path: str, _: Hashable) -> str:
    content = read_range(path, 0, MOST_BYTES + 1)  # of a regular file: a pipe would never end
    if len(content) > MOST_BYTES:
        raise TooLong(path)
    return TextIOWrapper(BytesIO(content), "utf-8").read()


def _place(chosen: str | None, variable: str) -> str:
    return os.path.expanduser(chosen or os.environ.get(variable, ""))
