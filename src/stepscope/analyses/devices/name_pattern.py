"""Patterns for names of devices: a small part of regular expressions, matched in time that grows with the name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_LONGEST = 200
_MOST_ALTERNATIVES = 64
_SINGLE = {"\\b", "\\d", "\\w", "\\s"}
_SPECIAL = "*+{}[]"
_ANYTHING = ".*"

_Sequence = tuple[str, ...]
"""Tokens one after another, each a regular expression without choice or repetition, or _ANYTHING."""


@dataclass(frozen=True, slots=True)
class NamePattern:
    """Text with `.`, `.*`, `?`, `(a|b)`, `^`, `$`, `\\b`, `\\d`, `\\w` and `\\s`, case-insensitive. Raises ValueError.

    Choices are written out, and what lies between two `.*` has no repetition, so nothing is tried twice.
    """

    pattern: str
    _alternatives: list[list[re.Pattern[str]]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.pattern) > _LONGEST:
            raise ValueError(f"it has more than {_LONGEST} characters")
        found = _Parser(self.pattern).parse()
        object.__setattr__(self, "_alternatives", [_pieces(sequence) for sequence in found])

    def search(self, name: str) -> bool:
        """Whether the name contains the pattern."""
        return any(_follow_each_other(pieces, name) for pieces in self._alternatives)


def _pieces(sequence: _Sequence) -> list[re.Pattern[str]]:
    """The parts between each `.*` and the next."""
    parts = [""]
    for token in sequence:
        if token == _ANYTHING:
            parts.append("")
        else:
            parts[-1] += token
    return [re.compile(part, re.IGNORECASE) for part in parts]


def _follow_each_other(pieces: list[re.Pattern[str]], name: str) -> bool:
    place = 0
    for piece in pieces:
        found = piece.search(name, place)
        if found is None:
            return False
        place = found.end()
    return True


class _Parser:
    """Reads a pattern into the sequences that it stands for."""

    def __init__(self, pattern: str) -> None:
        self._tokens = list(_tokens(pattern))
        self._place = 0

    def parse(self) -> list[_Sequence]:
        found = self._choice()
        if self._place < len(self._tokens):
            raise ValueError("it has a ) without (")
        return found

    def _next(self) -> str:
        return self._tokens[self._place] if self._place < len(self._tokens) else ""

    def _choice(self) -> list[_Sequence]:
        found = self._sequence()
        while self._next() == "|":
            self._place += 1
            found = found + self._sequence()
        return found

    def _sequence(self) -> list[_Sequence]:
        found: list[_Sequence] = [()]
        while self._next() not in ("", "|", ")"):
            item = self._item()
            found = list(dict.fromkeys(before + after for before in found for after in item))
            if len(found) > _MOST_ALTERNATIVES:
                raise ValueError(f"it stands for more than {_MOST_ALTERNATIVES} alternatives")
        return found

    def _item(self) -> list[_Sequence]:
        first = self._next()
        self._place += 1
        if first == "?":
            raise ValueError("it has a ? that follows nothing")
        found: list[_Sequence] = [(first,)]
        if first == "(":
            found = self._choice()
            if self._next() != ")":
                raise ValueError("it has a ( without )")
            self._place += 1
        if self._next() != "?":
            return found
        self._place += 1
        return [*found, ()]


def _tokens(pattern: str) -> Iterator[str]:
    """Structure (`(`, `|`, `)`, `?`) as it is, everything else as a regular expression."""
    place = 0
    while place < len(pattern):
        two, one = pattern[place : place + 2], pattern[place]
        place += 2 if one == "\\" or two == _ANYTHING else 1
        if two == _ANYTHING or two in _SINGLE or one in "(|)?.^$":
            yield two if two == _ANYTHING or one == "\\" else one
        elif one == "\\":
            if len(two) < 2 or two[1].isalnum():
                raise ValueError(f"{two} is not supported")
            yield re.escape(two[1])
        elif one in _SPECIAL:
            raise ValueError(f"{one} is not supported")
        else:
            yield re.escape(one)
