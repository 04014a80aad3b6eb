"""The user's own kinds of spans that are in force: which files hold them, and the table that they make with those of the formats."""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache

from stepscope.formats.kind_table import kind_table
from stepscope.formats.span_kinds import WRITE_LINES, WRITE_TOML, SpanRule, read_collectives, read_kinds
from stepscope.model.errors import BadInput, NotThere, StepscopeError
from stepscope.model.span_kinds import KindTable
from stepscope.store.user_files import SPAN_KINDS_VARIABLE, TooLong, collectives_file, span_kind_file, user_files_stamp, user_text


@dataclass(frozen=True, slots=True)
class OwnKinds:
    """The files that options name; without, those of the environment, and for kinds the one in the data folder."""

    kinds: str | None = None
    collectives: str | None = None

    def rules(self) -> tuple[SpanRule, ...]:
        """All rules, in the order in which they are tried. Raises BadInput or NotThere of a file that cannot be."""
        return tuple(rule for _, rules in self._read() for rule in rules)

    def stamp(self) -> Hashable:
        """Changes with any of the files that users edit, that of devices included."""
        return user_files_stamp(self.kinds, self.collectives)

    def table(self) -> KindTable:
        """The table in force; without the user's rows, and with the reason, when those cannot be read."""
        try:
            return kind_table(self._kinds, self._read())
        except StepscopeError as error:
            return kind_table(self._kinds, [], error.message)

    @property
    def _kinds(self) -> str:
        return span_kind_file(self.kinds)

    @property
    def _collectives(self) -> str:
        return collectives_file(self.collectives)

    def _read(self) -> list[tuple[str, tuple[SpanRule, ...]]]:
        """By file; only the one in the data folder may be missing."""
        found: list[tuple[str, tuple[SpanRule, ...]]] = []
        if path := self._collectives:
            found.append((path, _collectives_of(path, _text_of(path, WRITE_LINES))))
        asked = self.kinds is not None or bool(os.environ.get(SPAN_KINDS_VARIABLE))
        if asked or os.path.lexists(self._kinds):
            found.append((self._kinds, _kinds_of(self._kinds, _text_of(self._kinds, WRITE_TOML))))
        return found


@lru_cache(maxsize=4)
def _kinds_of(path: str, text: str) -> tuple[SpanRule, ...]:
    """Read again when the text changes."""
    return read_kinds(path, text)


@lru_cache(maxsize=4)
def _collectives_of(path: str, text: str) -> tuple[SpanRule, ...]:
    return read_collectives(path, text)


def _text_of(path: str, what_to_do: str) -> str:
    try:
        return user_text(path)
    except FileNotFoundError as error:
        raise NotThere(f"{path} does not exist: {what_to_do}.", "no_span_kinds") from error
    except TooLong as error:
        raise BadInput(f"{path} is larger than 1 MiB: list patterns, not every name.", "too_large") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read as text: {what_to_do}.", "unreadable") from error
