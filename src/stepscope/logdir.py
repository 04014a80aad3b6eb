"""stepscope.open: the runs and scalars of a log folder as numpy arrays, for scripts and notebooks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from stepscope._native import SeriesView
from stepscope.data_frames import arrow_table, pandas_frame, polars_frame
from stepscope.ingest.loader import Loader, Root
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.user import LOCAL_USER
from stepscope.queries.run_scalars import RunScalars, run_scalars
from stepscope.sources.files import absolute, is_folder
from stepscope.store.library import Library, RunRecord

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from stepscope.session.logged_memory import LoggedMemory

Segments = Literal["latest", "all", "split"]


@dataclass(frozen=True, slots=True)
class Scalars:
    """One series: every point of it, by step. `segment` counts restarts; with segments="latest" superseded points are left out."""

    run: str
    tag: str
    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]
    value: NDArray[np.float64]
    segment: NDArray[np.int32]
    superseded: int
    """How many points of the series are hidden because a later restart logged the same steps again."""

    def __len__(self) -> int:
        return len(self.step)

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {"step": self.step, "wall_time": self.wall_time, "value": self.value, "segment": self.segment}

    def to_pandas(self) -> pd.DataFrame:
        """The points as a pandas data frame."""
        return pandas_frame(self._columns())

    def to_polars(self) -> pl.DataFrame:
        """The points as a polars data frame."""
        return polars_frame(self._columns())

    def to_arrow(self) -> Any:  # noqa: ANN401 - pyarrow carries no types
        """The points as an Arrow table."""
        return arrow_table(self._columns())


class RunReader:
    """One run of an opened log folder."""

    def __init__(self, folder: LogFolder, record: RunRecord) -> None:
        self._folder = folder
        self._record = record
        self._scalars: RunScalars | None = None
        self._epoch: int = -1

    @property
    def name(self) -> str:
        """The run's path below the log folder; "." for the folder itself."""
        return self._record.name

    @property
    def id(self) -> str:
        """The run's id, as links and the HTTP API use it."""
        return self._record.id

    @property
    def tags(self) -> tuple[str, ...]:
        """The names of the run's scalar series, sorted."""
        return tuple(sorted(self._look_up().tags))

    def scalars(self, tag: str, segments: Segments = "latest") -> Scalars:
        """Every point of a series. `segments`: latest hides what a restart logged again, all and split keep it."""
        if segments not in ("latest", "all", "split"):
            raise BadInput(f'segments is "latest", "all" or "split", not {segments!r}.', "bad_segments")
        view, damaged = self._view(tag, segments)
        if damaged and self._folder.repair():
            view, _ = self._view(tag, segments)
        step, wall_time, value, segment = view.arrays()
        hidden = view.superseded if segments == "latest" else 0
        return Scalars(self.name, tag, step, wall_time, value, segment, hidden)

    def _look_up(self) -> RunScalars:
        """The run's scalar series, as the folder was last read; listed once for each time that was."""
        snapshot = self._folder.library.snapshot
        if self._scalars is None or snapshot.epoch != self._epoch:
            self._record = snapshot.by_id.get(self._record.id, self._record)
            self._scalars = run_scalars(self._folder.library, self._record)
            self._epoch = snapshot.epoch
        return self._scalars

    def _view(self, tag: str, segments: Segments) -> tuple[SeriesView, bool]:
        """The series, and whether the cache of one of its files turned out damaged."""
        scalars = self._look_up()
        if tag not in scalars.tags:
            raise NotThere(f"Run {self.name!r} has no scalar {tag!r}; run.tags lists its tags.", "unknown_tag")
        parts = scalars.parts(scalars.tags[tag])
        return SeriesView(parts, segments), any(events.pack_damaged for events, _ in parts)

    def memory(self) -> LoggedMemory:
        """Memory that the run has logged: system metrics, and series marked as memory on the page or in the terminal."""
        from stepscope.session.logged_memory import logged_memory
        from stepscope.store.user_state import UserState

        state = UserState()
        marks = state.of(LOCAL_USER.id).memory_marks(self._folder.path)
        state.close()
        self._look_up()
        found = logged_memory(self._folder.library, [self._record], marks)
        if any(file.events.pack_damaged for file in self._record.files) and self._folder.repair():
            self._look_up()
            found = logged_memory(self._folder.library, [self._record], marks)
        return found

    def __repr__(self) -> str:
        return f"<run {self.name!r}: {len(self.tags)} scalar tags>"


class Runs(Sequence[RunReader]):
    """The runs of a folder in the order of their names; a run is found by place or by name."""

    def __init__(self, runs: list[RunReader]) -> None:
        self._runs = runs
        self._by_name = {run.name: run for run in reversed(runs)}

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, key: int | str) -> RunReader: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[RunReader]: ...
    def __getitem__(self, key: int | str | slice) -> RunReader | Sequence[RunReader]:
        if not isinstance(key, str):
            return self._runs[key]
        if key not in self._by_name:
            raise NotThere(f"There is no run {key!r}; .runs lists the runs.", "unknown_run")
        return self._by_name[key]

    def __repr__(self) -> str:
        return f"<{len(self._runs)} runs>"


class LogFolder:
    """A log folder as it was when it was opened; `reload` reads what has been written since."""

    def __init__(self, path: str, *, cache: bool = True) -> None:
        if not is_folder(path):
            raise NotThere(f"The folder {path!r} does not exist; give the folder that contains the runs.", "no_such_folder")
        self.library = Library()
        self._loader = Loader(self.library, [Root("", path)], reload_interval=0, cache=cache)
        self._loader.load()
        self._loader.save()
        self.path = absolute(path)
        self._runs = Runs([])
        self._epoch: int = -1

    def __repr__(self) -> str:
        return f"<log folder {self.path!r}: {len(self.library.snapshot.runs)} runs>"

    @property
    def runs(self) -> Runs:
        """The runs, by name."""
        snapshot = self.library.snapshot
        if snapshot.epoch != self._epoch:
            self._runs = Runs([RunReader(self, record) for record in sorted(snapshot.runs, key=lambda run: run.name)])
            self._epoch = snapshot.epoch
        return self._runs

    def reload(self) -> None:
        """Reads what has been written since."""
        self._loader.reload()

    def repair(self) -> bool:
        """Reads files again whose cache turned out damaged; says whether there were any."""
        return self._loader.repair()


def open_folder(logdir: str | os.PathLike[str], *, cache: bool = True) -> LogFolder:
    """Opens a log folder and reads every point in it. `cache` uses and writes the checkpoint cache where that pays."""
    return LogFolder(os.fspath(logdir), cache=cache)
