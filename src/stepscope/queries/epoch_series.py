"""What runs have logged of their epochs: seconds and rates, the steps at which they ended, and the seconds of steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope._native import SeriesView
from stepscope.model.errors import NotThere
from stepscope.model.identity import TagId
from stepscope.model.run_names import FAR, distance
from stepscope.queries import step_times
from stepscope.queries.hyperparameters import hyperparameters
from stepscope.queries.names import natural_key, path_text
from stepscope.queries.series import series_parts
from stepscope.queries.view import Source
from stepscope.store.library import Library, RunRecord

SECONDS, RATE, ENDS = "epoch_seconds", "epoch_examples_per_second", "epoch"
BY_EPOCH = ("epoch_loss", "epoch_accuracy", "epoch_learning_rate")
"""Series of Keras' TensorBoard callback: a point at the end of every epoch, whose step is the number of the epoch."""
PARTS = ("validation", "checkpoint")
"""Parts of an epoch beside its steps, each a series below step_time/."""


@dataclass(frozen=True, slots=True)
class LoggedPoints:
    """One series, without what a restart has logged again."""

    tag: str
    step: NDArray[np.int64]
    wall: NDArray[np.float64]
    value: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class EpochSeries:
    """The series that tell of epochs; None is one that the run has not."""

    seconds: LoggedPoints | None
    rate: LoggedPoints | None
    ends: LoggedPoints | None
    steps: LoggedPoints | None
    parts: dict[str, LoggedPoints]
    by_epoch: LoggedPoints | None = None  # has epochs for steps

    @property
    def tags(self) -> list[str]:
        """The names of those that there are."""
        found = (self.seconds, self.ends, self.steps, *self.parts.values(), self.rate, self.by_epoch)
        return [each.tag for each in found if each is not None]


@dataclass(frozen=True, slots=True)
class EpochRun:
    """A run that has logged epochs, and whether it belongs to a session: its own folder, one inside the other, or side by side."""

    record: RunRecord
    near: bool

    @property
    def id(self) -> str:
        """As links and the HTTP API use it."""
        return str(self.record.id)

    @property
    def name(self) -> str:
        """Safe to show."""
        return path_text(self.record.name)

    def hyperparameters(self) -> dict[str, str]:
        """As the run has logged them; empty when it has not."""
        return hyperparameters(file.path for file in self.record.files)


def epoch_runs(library: Library, session: str = "") -> list[EpochRun]:
    """Runs that tell of epochs, those that belong to the session first; without a session all do. No point is read. Raises NotThere."""
    home = _home(library, session) if session else None
    told = [(_distance(home, run), run) for run in library.snapshot.runs if _has_scalar(library, run, SECONDS, ENDS, *BY_EPOCH)]
    told.sort(key=lambda each: (each[0], natural_key(path_text(each[1].name))))
    return [EpochRun(run, distance < FAR) for distance, run in told]


def find_run(library: Library, run_id: str) -> EpochRun:
    """The run of that id, whatever it has logged. Raises NotThere."""
    for run in library.snapshot.runs:
        if run.id == run_id:
            return EpochRun(run, near=True)
    raise NotThere("No run has this id; fetch the runs again.", "unknown_run")


def epoch_series(library: Library, run: EpochRun) -> EpochSeries:
    """Everything that the run has logged of its epochs."""
    parts = {part: points for part in PARTS if (points := _points(library, run.record, f"step_time/{part}")) is not None}
    steps, by_epoch = (_first(library, run.record, tags) for tags in (step_times.TAGS, BY_EPOCH))
    seconds, rate, ends = (_points(library, run.record, tag) for tag in (SECONDS, RATE, ENDS))
    return EpochSeries(seconds, rate, ends, steps, parts, by_epoch if seconds is None and ends is None else None)


def _first(library: Library, run: RunRecord, tags: Sequence[str]) -> LoggedPoints | None:
    """The first of the series that the run has."""
    return next((points for tag in tags if (points := _points(library, run, tag)) is not None), None)


def _has_scalar(library: Library, run: RunRecord, *tags: str) -> bool:
    """Whether the run has any of these."""
    places = [place for tag in tags if (place := library.names.find(tag.encode())) >= 0]
    return any(file.events.find(place) >= 0 for place in places for file in run.files)


def _points(library: Library, run: RunRecord, tag: str) -> LoggedPoints | None:
    if not _has_scalar(library, run, tag):
        return None
    place = TagId(library.names.find(tag.encode()))
    step, wall, value, _ = SeriesView(series_parts(Source(run, place)), "latest").arrays()
    known = np.isfinite(value) & np.isfinite(wall)
    order = np.argsort(step[known], kind="stable")
    return LoggedPoints(tag, step[known][order], wall[known][order], value[known][order])


def _home(library: Library, session: str) -> RunRecord:
    for run in library.snapshot.runs:
        if any(each.id == session for each in run.profiles):
            return run
    raise NotThere("No profile has this id; fetch the sessions again.", "unknown_session")


def _distance(home: RunRecord | None, run: RunRecord) -> int:
    if home is None or run.id == home.id:
        return 0
    return distance(home.name, run.name) if run.root == home.root else FAR
