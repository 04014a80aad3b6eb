"""The user's own kinds of spans that are in force: which files hold them, and the table that they make with those of the formats."""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache

from stepscope.formats.kind_table import kind_table
from stepscope.formats.span_kinds import SpanRule, read_collectives, read_kinds
from stepscope.model.errors import StepscopeError
from stepscope.model.span_kinds import KindTable
from stepscope.store.span_kind_file import VARIABLE, span_kind_file

COLLECTIVES_VARIABLE = "STEPSCOPE_COLLECTIVES"
"""Names a file of names that communicate, for the server and for all verbs."""


@dataclass(frozen=True, slots=True)
class OwnKinds:
    """The files that options name; without, those of the environment, and for kinds the one in the data folder."""

    kinds: str | None = None
    collectives: str | None = None

    def rules(self) -> tuple[SpanRule, ...]:
        """All rules, in the order in which they are tried. Raises BadInput or NotThere of a file that cannot be."""
        return tuple(rule for _, rules in self._read() for rule in rules)

    def stamp(self) -> Hashable:
        """Changes with any of the files."""
        return tuple((path, _state(path)) for path in (self._collectives, self._kinds))

    def table(self) -> KindTable:
        """The table in force; without the user's rows, and with the reason, when those cannot be read."""
        try:
            return kind_table(self._kinds, self._read())
        except StepscopeError as error:
            return kind_table(self._kinds, [], error.message)

    @property
    def _kinds(self) -> str:
        return span_kind_file() if self.kinds is None else os.path.expanduser(self.kinds)

    @property
    def _collectives(self) -> str:
        return os.path.expanduser(self.collectives or os.environ.get(COLLECTIVES_VARIABLE, ""))

    def _read(self) -> list[tuple[str, tuple[SpanRule, ...]]]:
        """By file; only the one in the data folder may be missing."""
        found: list[tuple[str, tuple[SpanRule, ...]]] = []
        if path := self._collectives:
            found.append((path, _collectives_of(path, _state(path))))
        asked = self.kinds is not None or bool(os.environ.get(VARIABLE))
        if asked or os.path.lexists(self._kinds):
            found.append((self._kinds, _kinds_of(self._kinds, _state(self._kinds))))
        return found


@lru_cache(maxsize=4)
def _kinds_of(path: str, _: Hashable) -> tuple[SpanRule, ...]:
    """Read again when the file's state changes."""
    return read_kinds(path)


@lru_cache(maxsize=4)
def _collectives_of(path: str, _: Hashable) -> tuple[SpanRule, ...]:
    return read_collectives(path)


def _state(path: str) -> Hashable:
    try:
        info = os.stat(path)
    except (OSError, ValueError):
        return None
    return (info.st_mtime_ns, info.st_size, info.st_ino)
