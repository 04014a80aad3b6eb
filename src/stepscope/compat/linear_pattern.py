"""Regular expressions that clients send, matched in time that grows with the text times the pattern, whatever both are.

Python's own matcher can take for ever. Here all ways through the pattern are followed at once, character by character. Groups, choices,
classes, repetitions and anchors are known; references back, looks ahead and flags are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

LONGEST_PATTERN = 1_000
LONGEST_TEXT = 10_000
_MOST_STATES = 5_000
_DEEPEST = 50

_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_COUNT = re.compile(r"\{(?:(?P<exact>\d{1,4})|(?P<least>\d{0,4}),(?P<most>\d{0,4}))\}")
_REPEATS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_ANCHORS = {"^": "start", "$": "end", r"\b": "edge", r"\B": "inside", r"\A": "start", r"\Z": "end"}

Test = Callable[[str], object]
Job = Literal["char", "split", "check", "found"]


class BadPattern(ValueError):
    """The text is no regular expression, or uses what is not known here."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of a pattern, how often it is repeated, and what it is: a character, an anchor, or choices of sequences."""

    test: Test | None = None
    check: str = ""
    choices: tuple[tuple[_Part, ...], ...] = ()
    least: int = 1
    most: int | None = 1


@dataclass(slots=True)
class _State:
    """A character that has to follow, a choice between ways on, a place that has to be reached, or the end."""

    job: Job
    test: Test | None = None
    check: str = ""
    ways: tuple[int, ...] = ()


class LinearPattern:
    """A pattern that is ready to be used. Raises BadPattern."""

    def __init__(self, pattern: str) -> None:
        if len(pattern) > LONGEST_PATTERN:
            raise BadPattern("it is too long")
        self._states: list[_State] = [_State("found")]
        self._made = 0
        self._first = self._choice(_Reader(pattern).whole(), 0)

    def match(self, text: str) -> bool:
        """Whether the text begins with it."""
        return self._run(text[:LONGEST_TEXT], anywhere=False)

    def search(self, text: str) -> bool:
        """Whether the text contains it."""
        return self._run(text[:LONGEST_TEXT], anywhere=True)

    def _run(self, text: str, *, anywhere: bool) -> bool:
        states: set[int] = set()
        for place in range(len(text) + 1):
            if place == 0 or anywhere:
                states.add(self._first)
            states = self._reached(states, text, place)
            if any(self._states[at].job == "found" for at in states):
                return True
            if place == len(text) or not (states or anywhere):
                return False
            states = {self._states[at].ways[0] for at in states if (test := self._states[at].test) is not None and test(text[place])}
        return False

    def _reached(self, states: set[int], text: str, place: int) -> set[int]:
        """All states that need no character to get to."""
        seen: set[int] = set()
        left = list(states)
        while left:
            at = left.pop()
            if at in seen:
                continue
            seen.add(at)
            state = self._states[at]
            if state.job == "split" or (state.job == "check" and _holds(state.check, text, place)):
                left.extend(state.ways)
        return seen

    # Every part is built in front of the state that follows it.

    def _choice(self, choices: tuple[tuple[_Part, ...], ...], then: int) -> int:
        ways = tuple(self._sequence(sequence, then) for sequence in choices)
        return ways[0] if len(ways) == 1 else self._add(_State("split", ways=ways))

    def _sequence(self, parts: tuple[_Part, ...], then: int) -> int:
        for part in reversed(parts):
            if part.most is None:
                loop = self._add(_State("split"))
                self._states[loop].ways = (self._one(part, loop), then)
                then = loop
            else:
                for _ in range(part.most - part.least):
                    then = self._add(_State("split", ways=(self._one(part, then), then)))
            for _ in range(part.least):
                then = self._one(part, then)
        return then

    def _one(self, part: _Part, then: int) -> int:
        self._made += 1
        if self._made > _MOST_STATES:
            raise BadPattern("it repeats too much")
        if part.test is not None:
            return self._add(_State("char", part.test, ways=(then,)))
        return self._add(_State("check", check=part.check, ways=(then,))) if part.check else self._choice(part.choices, then)

    def _add(self, state: _State) -> int:
        if len(self._states) > _MOST_STATES:
            raise BadPattern("it repeats too much")
        self._states.append(state)
        return len(self._states) - 1


class _Reader:
    """Reads a pattern into its parts."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._place = 0

    def whole(self) -> tuple[tuple[_Part, ...], ...]:
        found = self._choices(0)
        if self._place < len(self._pattern):
            raise BadPattern("a ) has no (")
        return found

    def _choices(self, depth: int) -> tuple[tuple[_Part, ...], ...]:
        if depth > _DEEPEST:
            raise BadPattern("its groups are too deep")
        found = [self._sequence(depth)]
        while self._next() == "|":
            self._place += 1
            found.append(self._sequence(depth))
        return tuple(found)

    def _sequence(self, depth: int) -> tuple[_Part, ...]:
        parts: list[_Part] = []
        while self._next() not in ("", "|", ")"):
            part = self._part(depth)
            least, most = self._repeat()
            parts.append(replace(part, least=least, most=most))
        return tuple(parts)

    def _repeat(self) -> tuple[int, int | None]:
        sign = self._next()
        if sign in _REPEATS:
            self._place += 1
            found = _REPEATS[sign]
        elif (count := _COUNT.match(self._pattern, self._place)) is not None:
            self._place = count.end()
            exact = count["exact"]
            least = int(exact or count["least"] or 0)
            most = least if exact else int(count["most"]) if count["most"] else None
            if most is not None and most < least:
                raise BadPattern("the maximum of a repetition is below its minimum")
            found = least, most
        else:
            return 1, 1
        if self._next() == "?":
            self._place += 1  # as few as possible: whether it matches stays the same
        if self._next() in _REPEATS:
            raise BadPattern("a repetition is repeated")
        return found

    def _part(self, depth: int) -> _Part:
        sign = self._next()
        if sign == "(":
            return self._group(depth)
        if sign in _REPEATS:
            raise BadPattern("nothing is repeated")
        if sign == "[":
            found = _CLASS.match(self._pattern, self._place)
            if found is None:
                raise BadPattern("a [ has no ]")
            return self._single(found[0], len(found[0]))
        text = self._pattern[self._place : self._place + 2] if sign == "\\" else sign
        if text in _ANCHORS:
            self._place += len(text)
            return _Part(check=_ANCHORS[text])
        if sign == "\\" and (len(text) == 1 or (text[1].isalnum() and text[1] not in "dDwWsSntrfv")):
            raise BadPattern("an escape with a backslash is not supported")
        return self._single(text if sign in ("\\", ".") else re.escape(sign), len(text))

    def _single(self, pattern: str, length: int) -> _Part:
        """One character, tested by Python's matcher, for which that is no work."""
        self._place += length
        try:
            return _Part(re.compile(pattern).fullmatch)
        except re.error as problem:
            raise BadPattern(str(problem)) from None

    def _group(self, depth: int) -> _Part:
        self._place += 1
        if self._next() == "?":
            if not self._pattern.startswith("?:", self._place):
                raise BadPattern("only groups (…) and (?:…) are supported")
            self._place += 2
        choices = self._choices(depth + 1)
        if self._next() != ")":
            raise BadPattern("a ( has no )")
        self._place += 1
        return _Part(choices=choices)

    def _next(self) -> str:
        return self._pattern[self._place : self._place + 1]


def _holds(check: str, text: str, place: int) -> bool:
    if check == "start":
        return place == 0
    if check == "end":
        return place == len(text)
    before, after = place > 0 and _is_word(text[place - 1]), place < len(text) and _is_word(text[place])
    return (before != after) == (check == "edge")


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
