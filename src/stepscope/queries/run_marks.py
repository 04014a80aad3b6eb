"""Moments of runs for the step ruler: ends of epochs, checkpoints, logged texts and images, and profiles, each at its step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from stepscope._native import SeriesView
from stepscope.model import declared as d
from stepscope.model.identity import TagId
from stepscope.model.kinds import Kind
from stepscope.model.run_names import distance
from stepscope.model.session import ProfileSession
from stepscope.model.shared_columns import RunKey
from stepscope.queries.checkpoint_files import checkpoint_files
from stepscope.queries.names import path_text, tag_text
from stepscope.queries.series import series_parts
from stepscope.queries.view import ShownRun, Source, View
from stepscope.store.library import Library, RunRecord

MOST_OF_KIND = 200
"""Marks of one kind of one run; of more, those are kept that are spread evenly."""
MOST_TEXTS = 50
"""A series with more texts than this is a log, not notes."""
MOST_IMAGES = 200
"""One with more images than this is a film: its steps would be a line, not marks."""
EPOCH_TAGS = (b"epoch", b"train/epoch")
"""What our integrations, Lightning and Hugging Face log."""
CHECKPOINT_TAG = b"step_time/checkpoint"
"""Seconds that a checkpoint took, at the step that it was written."""

_AROUND = 2
"""The distance of a run that is inside another one, or around it; neighbours are not its own."""

MarkKind = Literal["epoch", "checkpoint", "image", "text", "profile"]


class RunMark(Struct, frozen=True):
    """One moment of a run."""

    run: RunKey
    kind: Annotated[
        MarkKind,
        d.text("What happened: an epoch ended, a checkpoint was written, an image or text logged, a profile captured."),
    ]
    step: Annotated[int, d.step("When.")]
    exact: Annotated[
        bool, d.flag("Whether the step is recorded; if not, it is the last one that was logged by the time of what happened.")
    ]
    label: Annotated[str, d.text("The epoch's number, or the name of the tag, profile or checkpoint; empty for a logged checkpoint.")]
    session: Annotated[str | None, d.text("Id of the profile's session; null for other kinds.")] = None


def run_marks(library: Library, view: View, runs: Iterable[ShownRun]) -> list[RunMark]:
    """The marks of some runs, in the order of their steps."""
    found: list[RunMark] = []
    for run in runs:
        clock = _Clock(run.record)
        kinds = (
            _epochs(library, run),
            _checkpoints(library, run, clock),
            _images(library, run),
            _texts(library, run),
            _profiles(view, run, clock),
        )
        for kind in kinds:
            found += _spread(list(kind))
    return sorted(found, key=lambda mark: (mark.step, mark.kind, mark.run))


def _spread(marks: list[RunMark]) -> list[RunMark]:
    if len(marks) <= MOST_OF_KIND:
        return marks
    return [marks[place] for place in np.linspace(0, len(marks) - 1, MOST_OF_KIND).astype(int).tolist()]


def _epochs(library: Library, run: ShownRun) -> Iterator[RunMark]:
    """The first step of each epoch after the first: where the logged number goes up by one or more."""
    for tag in EPOCH_TAGS:
        step, value = _scalars(library, run.record, tag)
        whole = np.floor(value + 1e-6)
        for place in (np.flatnonzero(np.diff(whole) > 0) + 1).tolist():
            yield RunMark(run.record.id, "epoch", int(step[place]), True, f"{whole[place]:.0f}")
        if len(step):
            return


def _checkpoints(library: Library, run: ShownRun, clock: _Clock) -> Iterator[RunMark]:
    """Those whose time was logged, and those on disk."""
    step, _ = _scalars(library, run.record, CHECKPOINT_TAG)
    for one in np.unique(step).tolist():
        yield RunMark(run.record.id, "checkpoint", one, True, "")
    for file in sorted(checkpoint_files(run), key=lambda file: (file.step or 0, file.name)):
        step = file.step if file.written is None else clock.step_at(file.written)
        if step is not None:
            yield RunMark(run.record.id, "checkpoint", step, file.written is None, path_text(file.name))


def _texts(library: Library, run: ShownRun) -> Iterator[RunMark]:
    """Texts after the start: those at step 0 describe the run as a whole."""
    return (mark for mark in _values(library, run, Kind.TEXT, "text", MOST_TEXTS) if mark.step > 0)


def _images(library: Library, run: ShownRun) -> Iterator[RunMark]:
    return _values(library, run, Kind.IMAGE, "image", MOST_IMAGES)


def _values(library: Library, run: ShownRun, kind: Kind, mark: MarkKind, most: int) -> Iterator[RunMark]:
    """The steps of series with few values of a kind."""
    for file in run.record.files:
        kinds, counts, tags = file.events.kinds(), file.events.counts(), file.events.tag_ids()
        for place in np.flatnonzero((kinds == kind) & (counts <= most)).tolist():
            name = tag_text(library.names.name(int(tags[place]))).removesuffix("/text_summary")
            for step in np.unique(file.events.blobs(place)[0]).tolist():
                yield RunMark(run.record.id, mark, step, True, name)


def _profiles(view: View, run: ShownRun, clock: _Clock) -> Iterator[RunMark]:
    """Profiles of the run, and of runs without events inside it or around it."""
    for record in view.snapshot.runs:
        own = record.id == run.record.id
        if not record.profiles or not (own or (not record.files and _belongs(record, run.record))):
            continue
        for session in record.profiles:
            step = _recorded_step(session)
            exact = step is not None
            if step is None:
                step = clock.step_at(session.time)
            if step is not None:
                yield RunMark(run.record.id, "profile", step, exact, path_text(session.name), session.id)


def _belongs(profiles: RunRecord, run: RunRecord) -> bool:
    return profiles.root == run.root and distance(run.name, profiles.name) <= _AROUND


def _recorded_step(session: ProfileSession) -> int | None:
    return next((file.inside.step for file in session.files if file.inside is not None), None)


class _Clock:
    """Which step a run was at, at a time; its series is read when that is first asked."""

    def __init__(self, run: RunRecord) -> None:
        self._run = run
        self._ticks: tuple[NDArray[np.float64], NDArray[np.int64]] | None = None

    def step_at(self, time: float) -> int | None:
        """The last step that was logged by then; None before the first, and when the run had long ended."""
        if self._ticks is None:
            self._ticks = _ticks(self._run)
        wall, step = self._ticks
        place = int(np.searchsorted(wall, time, side="right")) - 1
        if place < 0 or (place == len(wall) - 1 and time - wall[-1] > max(60.0, 0.1 * (wall[-1] - wall[0]))):
            return None
        return int(step[place])


def _ticks(run: RunRecord) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Wall times and steps of the run's longest scalar series, in order of time."""
    best: tuple[int, TagId] | None = None
    for file in run.files:
        counts = np.where(file.events.kinds() == Kind.SCALAR, file.events.counts(), 0)
        if len(counts) and (best is None or counts.max() > best[0]):
            best = int(counts.max()), TagId(int(file.events.tag_ids()[int(counts.argmax())]))
    if best is None or best[0] == 0:
        return np.empty(0), np.empty(0, np.int64)
    step, wall, _, _ = SeriesView(series_parts(Source(run, best[1])), "latest").arrays()
    known = np.isfinite(wall)
    order = np.argsort(wall[known], kind="stable")
    return wall[known][order], step[known][order]


def _scalars(library: Library, run: RunRecord, tag: bytes) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Steps and values in order of steps; empty without the tag."""
    place = library.names.find(tag)
    if place < 0 or not any(file.events.find(place) >= 0 for file in run.files):
        return np.empty(0, np.int64), np.empty(0)
    step, _, value, _ = SeriesView(series_parts(Source(run, TagId(place))), "latest").arrays()
    known = np.isfinite(value)
    order = np.argsort(step[known], kind="stable")
    return step[known][order], value[known][order]
