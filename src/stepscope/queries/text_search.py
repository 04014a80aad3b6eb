"""Finds words in all logged text as a job: step by step, with what was found so far, until it is done or nobody asks any more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Struct

from stepscope.jobs.job import Job
from stepscope.model import declared as d
from stepscope.model.errors import NotThere, TooMuch
from stepscope.model.kinds import Kind
from stepscope.model.numbers import JsonNumber, json_number
from stepscope.model.shared_columns import RunKey, TagName
from stepscope.queries.blobs import BlobReader, BlobSeries
from stepscope.queries.text_values import whole_text
from stepscope.queries.view import View

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


@dataclass(slots=True)
class Search:
    """What was found so far, newest steps of each series first. Only the job that searches changes it; `matches` only grows."""

    epoch: int
    """Of the view that is searched."""
    matches: list[MatchRow] = field(default_factory=list[MatchRow])
    searched: int = 0
    values: int = 0
    complete: bool = False
    """Whether every value was looked at."""


def search_text(job: Job[Search], blobs: BlobReader, view: View, words: list[str], runs: frozenset[str] | None, most: int) -> Search:
    """Values that contain all words, in upper or lower case; stops at `most` of them. Raises Cancelled."""
    patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in words]
    found = Search(view.snapshot.epoch)
    job.report(0, None, "texts", detail=found)
    series: list[tuple[str, str, BlobSeries]] = []
    for one in _series(blobs, view, runs):
        job.checkpoint()
        series.append(one)
        found.values += len(one[2])
    for run, tag, values in series:
        for place in range(len(values) - 1, -1, -1):
            if len(found.matches) >= most:
                return found
            job.report(found.searched, found.values, "texts", detail=found)
            match = _match(blobs, values, place, patterns)
            if match is not None:
                found.matches.append(MatchRow(run, tag, int(values.step[place]), json_number(float(values.wall[place])), *match))
            found.searched += 1
    found.complete = True
    return found


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
