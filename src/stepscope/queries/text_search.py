"""Finds words in all logged text, step by step, within a limit of bytes and time that the answer tells."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

from stepscope.model.errors import NotThere, TooMuch
from stepscope.model.kinds import Kind
from stepscope.queries.blobs import BlobReader, BlobSeries
from stepscope.queries.text_values import whole_text
from stepscope.queries.view import View

MOST_BYTES = 512 << 20
MOST_SECONDS = 5.0
_AROUND = 60
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Match:
    """One value that holds all words; `before`, `found` and `after` are the place of the first of them."""

    run: str
    tag: str
    step: int
    wall: float
    before: str
    found: str
    after: str


@dataclass(frozen=True, slots=True)
class Search:
    """What was found, newest steps of each series first, and how much was looked at."""

    matches: tuple[Match, ...]
    searched: int
    values: int
    complete: bool


def search_text(blobs: BlobReader, view: View, words: list[str], runs: frozenset[str] | None, most: int) -> Search:
    """Values that hold all words in letters of either case; stops at `most` of them, or when the limits are reached."""
    patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in words]
    series = list(_series(blobs, view, runs))
    values = sum(len(found) for _, _, found in series)
    until, left, searched = time.monotonic() + MOST_SECONDS, MOST_BYTES, 0
    matches: list[Match] = []
    for run, tag, found in series:
        for place in range(len(found) - 1, -1, -1):
            if len(matches) >= most or left <= 0 or time.monotonic() > until:
                return Search(tuple(matches), searched, values, complete=False)
            searched += 1
            left -= int(found.length[place])
            match = _match(blobs, found, place, patterns)
            if match is not None:
                matches.append(Match(run, tag, int(found.step[place]), float(found.wall[place]), *match))
    return Search(tuple(matches), searched, values, complete=True)


def _series(blobs: BlobReader, view: View, runs: frozenset[str] | None) -> Iterator[tuple[str, str, BlobSeries]]:
    names = [str(run.record.id) for run in view.runs]
    for tag in blobs.list_tags(view, Kind.TEXT)[0]:
        for place in tag.runs:
            if runs is None or names[place] in runs:
                yield names[place], tag.name, blobs.open(view, names[place], tag.name, Kind.TEXT)


def _match(blobs: BlobReader, series: BlobSeries, place: int, patterns: list[re.Pattern[str]]) -> tuple[str, str, str] | None:
    try:
        text = whole_text(blobs.read(series, place)).decode("utf-8", "replace")
    except (NotThere, TooMuch):  # its own card says why it cannot be read
        return None
    found = [pattern.search(text) for pattern in patterns]
    first = found[0] if found else None
    if first is None or None in found:
        return None
    before = text[max(0, first.start() - _AROUND) : first.start()]
    after = text[first.end() : first.end() + _AROUND]
    return _SPACES.sub(" ", before).lstrip(), first.group(), _SPACES.sub(" ", after).rstrip()
