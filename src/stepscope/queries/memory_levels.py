"""How much memory was used, as one run has logged it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope._native import SeriesView
from stepscope.model.errors import NotThere
from stepscope.model.identity import TagId
from stepscope.model.kinds import Kind
from stepscope.queries.memory_tags import MemoryTag, capacity_beside, memory_tags
from stepscope.queries.names import tag_text
from stepscope.queries.series import series_parts
from stepscope.queries.tags import TagReader
from stepscope.queries.view import Source, Views, last_wall
from stepscope.store.library import Library, RunRecord


@dataclass(frozen=True, slots=True)
class MemoryLevels:
    """Every point of one series, in bytes."""

    tag: MemoryTag
    step: NDArray[np.int64]
    wall: NDArray[np.float64]
    bytes: NDArray[np.float64]
    segment: NDArray[np.int32]
    capacity: float | None


@dataclass(frozen=True, slots=True)
class RunOfMemory:
    """A run that has logged memory, and how many series of it."""

    run: RunRecord
    series: int


def memory_levels(library: Library, run: RunRecord, marked: Mapping[str, str] | None = None) -> Iterator[MemoryLevels]:
    """The series of system metrics that tell of memory, devices first, and those that the user marks, with their units."""
    ids = {tag_text(library.names.name(tag)): tag for tag in _scalars(run)}
    for tag in memory_tags(ids, marked):
        step, wall, value, segment = _points(run, ids[tag.tag])
        capacity: float | None = None
        if tag.beside is not None and tag.beside in ids:
            _, beside_wall, beside, _ = _points(run, ids[tag.beside])
            capacity = capacity_beside(tag, wall, value, beside_wall, beside)
        yield MemoryLevels(tag, step, wall, value * tag.unit, segment, capacity)


def runs_of_memory(views: Views, tags: TagReader, marked: Mapping[str, Mapping[str, str]]) -> list[RunOfMemory]:
    """The runs on disk that have such series, those first that logged last; `marked` are the user's, by root."""
    view = views.view(folded=False)
    pairs = tags.pairs(view)
    scalar = pairs.kinds == Kind.SCALAR
    rows, ids = pairs.rows[scalar], pairs.tags[scalar]
    names = {int(tag): views.tag_name(int(tag)) for tag in np.unique(ids)}
    own = {each.tag for each in memory_tags(names.values())} | {tag for marks in marked.values() for tag in marks}
    wanted = np.isin(ids, [tag for tag, name in names.items() if name in own])
    found: dict[int, set[str]] = {}
    for row, tag in zip(rows[wanted].tolist(), ids[wanted].tolist(), strict=True):
        found.setdefault(row, set()).add(names[tag])
    runs = [(view.runs[row].record, tags_of) for row, tags_of in found.items()]
    counted = [RunOfMemory(run, len(memory_tags(tags_of, marked.get(run.root)))) for run, tags_of in runs]
    return sorted((each for each in counted if each.series), key=lambda each: (-_newest(each.run), each.run.name))


def check_marked(library: Library, marked: Collection[str]) -> None:
    """Raises NotThere for a series that no run has."""
    there = {tag_text(library.names.name(tag)) for run in library.snapshot.runs for tag in _scalars(run)} if marked else set[str]()
    for tag in marked:
        if tag not in there:
            raise NotThere(f"No run has a scalar {tag!r}; stepscope inspect lists the tags there are.", "unknown_tag")


def _newest(run: RunRecord) -> float:
    return max((wall for file in run.files if (wall := last_wall(file.events)) is not None), default=0.0)


def _scalars(run: RunRecord) -> set[int]:
    found: set[int] = set()
    for file in run.files:
        pairs = zip(file.events.tag_ids().tolist(), file.events.kinds().tolist(), strict=True)
        found.update(tag for tag, kind in pairs if kind == Kind.SCALAR)
    return found


def _points(run: RunRecord, tag: int) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    return SeriesView(series_parts(Source(run, TagId(tag))), "all").arrays()
