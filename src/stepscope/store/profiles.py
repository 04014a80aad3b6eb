"""Profiles that have been read: each file once, when somebody asks for it, and the least recently used given up first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass

import numpy as np

from stepscope.model.errors import StepscopeError
from stepscope.model.profile import Profile
from stepscope.model.session import ProfileFile
from stepscope.store.kept import Kept

MEMORY = 2 << 30
"""Bytes of tables that are kept; a larger profile is read and answered for, but not kept."""

_NAME_BYTES = 80
_ROW_BYTES = 200

Read = Callable[[str], Profile]


class Profiles:
    """Reads profile files and keeps their tables. Safe from any thread; a file asked for by two is read by one."""

    def __init__(self, memory: int = MEMORY) -> None:
        self._kept: Kept[Profile | StepscopeError] = Kept(memory)
        self._read: Read = _no_reader

    def use_reader(self, read: Read) -> None:
        """How a path becomes a profile; ingest knows the formats and says so."""
        self._read = read

    def profile(self, file: ProfileFile) -> Profile:
        """The file's tables. Raises what the reader raised, also for everybody who asks until the file changes."""
        found = self._kept.get(file.stamp, lambda: self._make(file))
        if isinstance(found, StepscopeError):
            raise type(found)(found.message, found.code)
        return found

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


def _no_reader(path: str) -> Profile:
    raise RuntimeError(f"No reader of profiles has been set, so {path} cannot be read.")
