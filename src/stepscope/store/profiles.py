"""Profiles that have been read: each file once, when somebody asks for it, and the least recently used given up first."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields, is_dataclass

import numpy as np

from stepscope.model.errors import NotThere, StepscopeError
from stepscope.model.profile import Attribute, Profile
from stepscope.model.session import ProfileFile
from stepscope.store.kept import Kept

MEMORY = 2 << 30
"""Bytes of tables that are kept; a larger profile is read and answered for, but not kept."""

_NAME_BYTES = 80
_ROW_BYTES = 200

Read = Callable[[str], Profile]
ReadAttributes = Callable[[Profile, int], dict[str, Attribute]]


class Profiles:
    """Reads profile files and keeps their tables. Safe from any thread; a file asked for by two is read by one."""

    def __init__(self, memory: int = MEMORY) -> None:
        self._kept: Kept[Profile | StepscopeError] = Kept(memory)
        self._read: Read = _no_reader
        self._attributes: ReadAttributes = _no_attributes

    def use_reader(self, read: Read, attributes: ReadAttributes | None = None) -> None:
        """How a path becomes a profile, and how attributes of its spans are read; ingest knows the formats and says so."""
        self._read = read
        self._attributes = attributes or _no_attributes

    def profile(self, file: ProfileFile) -> Profile:
        """The file's tables. Raises what the reader raised, also for everybody who asks until the file changes."""
        found = self._kept.get(file.stamp, lambda: self._make(file))
        if isinstance(found, StepscopeError):
            raise type(found)(found.message, found.code)
        return found

    def attributes(self, file: ProfileFile, row: int) -> dict[str, Attribute]:
        """Everything the file says of one span. Raises NotThere for a file that changed since it was read, and what reading raises."""
        profile = self.profile(file)
        try:
            info = os.stat(file.path)
        except OSError:
            info = None
        if info is None or (info.st_size, info.st_mtime, info.st_ino) != (file.size, file.modified, file.inode):
            raise NotThere(f"{os.path.basename(file.path)} has changed since it was read; open the profile again.", "changed")
        return self._attributes(profile, row)

    def _make(self, file: ProfileFile) -> tuple[Profile | StepscopeError, int]:
        try:
            profile = self._read(file.path)
        except StepscopeError as error:
            return error, _ROW_BYTES
        return profile, memory_of(profile)


def memory_of(profile: Profile) -> int:
    """About how many bytes a profile's tables take."""
    text = len(profile.names) * _NAME_BYTES
    rows = (len(profile.ops) + len(profile.tracks)) * _ROW_BYTES
    return text + rows + sum(_arrays(getattr(profile, field.name)) for field in fields(profile))


def _arrays(table: object) -> int:
    if not is_dataclass(table):
        return 0
    columns = (getattr(table, field.name) for field in fields(table))
    return sum(column.nbytes for column in columns if isinstance(column, np.ndarray))


def _no_attributes(_: Profile, __: int) -> dict[str, Attribute]:
    return {}


def _no_reader(path: str) -> Profile:
    raise RuntimeError(f"No reader of profiles has been set, so {path} cannot be read.")
