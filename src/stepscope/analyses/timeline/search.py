"""Spans of a profile by text in their name or in the name of their operation: how many, of which names, and when each ran."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.devices.name_pattern import NamePattern
from stepscope.analyses.grouping import dense_codes
from stepscope.model.errors import BadInput
from stepscope.model.profile import Int64, Profile

Match = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class FoundName:
    """One name among the spans that were found."""

    name: int  # into Profile.names
    count: int
    total_ns: int


@dataclass(frozen=True, slots=True)
class FoundSpans:
    """All spans that match."""

    rows: Int64  # in the order of time
    names: tuple[FoundName, ...]  # longest in sum first


def matcher(text: str, regex: bool) -> Match:
    """Whether a name contains the text, case-insensitive, or the pattern. Raises BadInput for a pattern that cannot be used."""
    if not regex:
        wanted = text.lower()
        return lambda name: wanted in name.lower()
    try:
        # Not Python's own expressions: one of theirs can take hours for a name of forty letters.
        return NamePattern(text).search
    except ValueError as error:
        raise BadInput(
            f"The pattern cannot be used: {error}. Patterns have text with . .* ? (a|b) ^ $ \\b \\d \\w and \\s.", "bad_pattern"
        ) from None


def search_spans(profile: Profile, match: Match) -> FoundSpans:
    """Every span whose name or operation matches."""
    spans = profile.spans
    named = _matching(profile.names, match)
    of_op = _matching((op.name for op in profile.ops), match)
    found = named[spans.name]
    if of_op.any():
        found |= of_op[spans.op]  # without an operation it is -1, which is the last place
    rows = np.flatnonzero(found)
    return FoundSpans(rows[np.argsort(spans.start[rows], kind="stable")], _names(profile, rows))


def _matching(names: Iterable[str], match: Match) -> NDArray[np.bool_]:
    """For every name whether it matches, and False in one more place at the end."""
    return np.array([*map(match, names), False], bool)


def _names(profile: Profile, rows: Int64) -> tuple[FoundName, ...]:
    spans = profile.spans
    name = spans.name[rows].astype(np.int64)
    groups = dense_codes(name, len(profile.names))
    numbers: list[int] = name[groups.firsts()].tolist()
    totals: list[int] = groups.sums(spans.end[rows] - spans.start[rows]).tolist()
    found = [FoundName(*facts) for facts in zip(numbers, groups.counts().tolist(), totals, strict=True)]
    return tuple(sorted(found, key=lambda each: (-each.total_ns, each.name)))
