"""The view: the runs of one snapshot as they are shown, folded or as on disk, with experiments and roles."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Literal

from stepscope._native import EventFile
from stepscope.model.errors import NotThere
from stepscope.model.identity import RunId, TagId
from stepscope.model.kinds import Kind
from stepscope.queries.folding import SESSION_START, Inside, fold, has_series, parent_name
from stepscope.queries.names import path_text, tag_text
from stepscope.store.library import Change, FileRecord, Library, RunRecord, Snapshot

Role = Literal["train", "validation", "eval", "test"]

ROLES: dict[str, Role] = {
    "train": "train",
    "validation": "validation",
    "val": "validation",
    "eval": "eval",
    "evaluation": "eval",
    "test": "test",
}
"""What the last folder of a run's name says about it."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a shown series is on disk."""

    record: RunRecord
    tag: TagId


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run as it is listed, with what is folded into it."""

    record: RunRecord
    inside: tuple[Inside, ...] = ()
    experiment: str | None = None
    """Name of the folder that holds this run and its sisters of other roles; None for a run of its own."""
    role: Role | None = None

    @property
    def name(self) -> str:
        """The run's name as text that can be sent."""
        return path_text(self.record.name)

    def files(self) -> Iterator[FileRecord]:
        """All files behind the run."""
        yield from self.record.files
        for inside in self.inside:
            yield from inside.record.files


class View:
    """The shown runs of one snapshot. Never changes; made by `Views`."""

    def __init__(self, snapshot: Snapshot, runs: tuple[ShownRun, ...]) -> None:
        self.snapshot = snapshot
        self.runs = runs
        self.by_id: Mapping[RunId, ShownRun] = {run.record.id: run for run in runs}
        self._places: dict[RunId, tuple[RunId, Mapping[TagId, TagId] | None]] = {}
        for run in runs:
            self._places[run.record.id] = (run.record.id, None)
            for inside in run.inside:
                shown = {disk: tag for tag, disk in inside.tags.items()}
                self._places[inside.record.id] = (run.record.id, shown)
        self._origins: dict[RunId, float] | None = None

    def at(self, snapshot: Snapshot) -> View:
        """The same runs at a later snapshot that has only more points."""
        later = copy(self)
        later.snapshot = snapshot
        later._origins = None
        return later

    def run(self, run_id: str) -> ShownRun:
        """The run of that id."""
        found = self.by_id.get(RunId(run_id))
        if found is None:
            raise NotThere("No run has this id; fetch the runs again.", "unknown_run")
        return found

    def source(self, run_id: str, tag: int) -> Source | None:
        """Where the scalars of a run and tag are on disk, or None when there are none."""
        run = self.by_id.get(RunId(run_id))
        if run is None or tag < 0:
            return None
        for inside in run.inside:
            disk = inside.tags.get(TagId(tag))
            if disk is not None and has_series(inside.record, disk):
                return Source(inside.record, disk)
        return Source(run.record, TagId(tag)) if has_series(run.record, tag) else None

    def shown(self, run_id: RunId, tag: TagId) -> tuple[RunId, TagId] | None:
        """The shown series of an on-disk one, or None when the run is not in this view."""
        place = self._places.get(run_id)
        if place is None:
            return None
        run, tags = place
        return run, tag if tags is None else tags.get(tag, tag)

    def origin(self, run_id: str) -> float:
        """Wall time of the first event of the run's experiment: where relative time starts."""
        if self._origins is None:
            self._origins = _origins(self.runs)
        return self._origins.get(RunId(run_id), 0.0)


class Views:
    """Makes views of the library's newest snapshot and keeps the last folded and the last unfolded one.

    Folding is looked at again only when runs or tags have changed; new points alone leave it as it is.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self._lock = threading.Lock()
        self._kept: dict[bool, tuple[View, int]] = {}
        self._structure = 0
        library.listen(self._notice)
        self._odd_names: dict[str, TagId] = {}
        self._odd_seen = 0

    def view(self, folded: bool = True) -> View:
        """The newest snapshot, folded or as it is on disk."""
        with self._lock:
            structure = self._structure
            snapshot = self.library.snapshot
            kept, made_at = self._kept.get(folded, (None, -1))
            if kept is None or made_at != structure or kept.snapshot.runs is not snapshot.runs:
                kept = _make_view(snapshot, self.library, folded)
            elif kept.snapshot is not snapshot:
                kept = kept.at(snapshot)
            self._kept[folded] = (kept, structure)
            return kept

    def _notice(self, change: Change) -> None:
        if change.runs_changed or change.tags_changed:
            self._structure += 1

    def tag_id(self, name: str) -> TagId:
        """The id of a tag as the API names it, or -1."""
        found = self.library.names.find(name.encode("utf-8", "surrogatepass"))
        if found >= 0 or "\\x" not in name:
            return TagId(found)
        with self._lock:
            names = self.library.names.names(self._odd_seen)
            for place, raw in enumerate(names, self._odd_seen):
                text = tag_text(raw)
                if "\\x" in text:
                    self._odd_names.setdefault(text, TagId(place))
            self._odd_seen += len(names)
            return self._odd_names.get(name, TagId(-1))

    def tag_name(self, tag: int) -> str:
        """The tag's name as text that can be sent."""
        return tag_text(self.library.names.name(tag))


def first_wall(events: EventFile) -> float | None:
    """Wall time of a file's first event; None when it has none or the writer's clock gave no number."""
    wall = events.first_wall
    return wall if events.records and abs(wall) < 1e15 else None


def last_wall(events: EventFile) -> float | None:
    """Wall time of a file's newest event; None as for first_wall."""
    wall = events.last_wall
    return wall if events.records and abs(wall) < 1e15 else None


def last_point(events: EventFile) -> float | None:
    """Wall time of a file's newest value; None when it has none or the writer's clock gave no number."""
    wall = events.last_point
    return wall if abs(wall) < 1e15 else None


def _make_view(snapshot: Snapshot, library: Library, folded: bool) -> View:
    inside: dict[RunId, tuple[Inside, ...]] = {}
    hidden: set[RunId] = set()
    if folded:
        inside, hidden = fold(snapshot.runs, library.names)
    listed = [run for run in snapshot.runs if run.id not in hidden]
    experiments = _experiments(listed, library.names.find(SESSION_START))
    return View(
        snapshot,
        tuple(ShownRun(run, inside.get(run.id, ()), *experiments.get(run.id, (None, None))) for run in listed),
    )


def _experiments(runs: list[RunRecord], session_start: int) -> dict[RunId, tuple[str, Role]]:
    """Experiment and role of the runs that have them: at least two role folders below one parent.

    A parent that has logged the hyperparameters of what is below it, and values under the same tags (so that it cannot be shown inside
    `train`), is one of them: what a program logs there, such as `model.evaluate`, is about the model that was trained below.
    """
    found: dict[tuple[str, str], list[tuple[RunId, Role]]] = {}
    for run in runs:
        role = ROLES.get(run.name.rpartition("/")[2])
        if role is not None:
            found.setdefault((run.root, parent_name(run.name)), []).append((run.id, role))
    for run in runs:
        members = found.get((run.root, run.name), [])
        if members and run.name != "." and all(role != "eval" for _, role in members) and has_series(run, session_start, Kind.HPARAMS):
            members.append((run.id, "eval"))
    return {run: (path_text(parent), role) for (_, parent), members in found.items() if len(members) >= 2 for run, role in members}


def _origins(runs: tuple[ShownRun, ...]) -> dict[RunId, float]:
    own: dict[RunId, float] = {}
    earliest: dict[tuple[str, str], float] = {}
    for run in runs:
        walls = [wall for file in run.files() if (wall := first_wall(file.events)) is not None]
        own[run.record.id] = start = min(walls, default=0.0)
        if run.experiment is not None and walls:
            key = (run.record.root, run.experiment)
            earliest[key] = min(earliest.get(key, start), start)
    for run in runs:
        if run.experiment is not None:
            own[run.record.id] = earliest.get((run.record.root, run.experiment), own[run.record.id])
    return own
