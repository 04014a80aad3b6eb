"""Finds words in all logged text, step by step, within a limit of bytes and time that the answer tells."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.errors import NotThere, TooMuch
from stepscope.model.kinds import Kind
from stepscope.model.numbers import JsonNumber, json_number
from stepscope.model.shared_columns import RunKey, TagName
from stepscope.queries.blobs import BlobReader, BlobSeries
from stepscope.queries.text_values import whole_text
from stepscope.queries.view import View

MOST_BYTES = 512 << 20
MOST_SECONDS = 5.0
_AROUND = 60
_SPACES = re.compile(r"\s+")


class MatchRow(Struct, frozen=True):
    """A text that contains all words."""

    run: RunKey
    tag: TagName
    step: Annotated[int, d.step("Step of the text.")]
    wall: Annotated[JsonNumber, d.wall_time("Wall time of the text.")]
    before: Annotated[str, d.text("Text before the first word.")]
    found: Annotated[str, d.text("The first word as the text has it.")]
    after: Annotated[str, d.text("Text after the first word.")]


@dataclass(frozen=True, slots=True)
class Search:
    """What was found, newest steps of each series first, and how much was looked at."""

    matches: tuple[MatchRow, ...]
    searched: int
    values: int
    complete: bool


def search_text(blobs: BlobReader, view: View, words: list[str], runs: frozenset[str] | None, most: int) -> Search:
    """Values that hold all words in letters of either case; stops at `most` of them, or when the limits are reached."""
    patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in words]
    series = list(_series(blobs, view, runs))
    values = sum(len(found) for _, _, found in series)
    until, left, searched = time.monotonic() + MOST_SECONDS, MOST_BYTES, 0
    matches: list[MatchRow] = []
    for run, tag, found in series:
        for place in range(len(found) - 1, -1, -1):
            if len(matches) >= most or left <= 0 or time.monotonic() > until:
                return Search(tuple(matches), searched, values, complete=False)
            searched += 1
            left -= int(found.length[place])
            match = _match(blobs, found, place, patterns)
            if match is not None:
                matches.append(MatchRow(run, tag, int(found.step[place]), json_number(float(found.wall[place])), *match))
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
