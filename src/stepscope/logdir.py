"""stepscope.open: the runs of a log folder, their scalars as numpy arrays and everything else on demand, for scripts and notebooks."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from stepscope._native import EventFile, SeriesView
from stepscope.data_frames import arrow_table, pandas_frame, polars_frame
from stepscope.ingest.loader import Loader, Root
from stepscope.logged_values import HparamsTable, LoggedAudio, LoggedImage, LoggedSeries, LoggedTensor, Update
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.kinds import Kind
from stepscope.model.user import LOCAL_USER
from stepscope.queries.blobs import BlobReader, BlobSeries
from stepscope.queries.hparams_rows import hparams_rows
from stepscope.queries.run_scalars import RunScalars, run_scalars
from stepscope.queries.tags import TagReader
from stepscope.queries.view import Views
from stepscope.sources.files import absolute, is_folder
from stepscope.store.library import Library, RunRecord

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from stepscope.loaded_profile import LoadedProfile
    from stepscope.model.identity import RunId
    from stepscope.queries.runs import RunState
    from stepscope.session.logged_memory import LoggedMemory
    from stepscope.session.reads import Reads

ALL_ROWS = 1 << 62
"""Rows of a query in a script: as many as fit into its memory."""

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


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The rows that a query answered."""

    arrow: Any
    """The rows as an Arrow table."""
    units: dict[str, str]
    """The unit of each column; empty when it has none."""
    notes: tuple[str, ...]
    """What tables leave out, such as profiles that cannot be read, a sentence each."""

    def __len__(self) -> int:
        return int(self.arrow.num_rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.arrow.column_names)

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        return self.arrow.to_pylist()

    def to_arrow(self) -> Any:  # noqa: ANN401 - pyarrow carries no types
        """The rows as an Arrow table."""
        return self.arrow

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame."""
        return self.arrow.to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """The rows as a polars data frame."""
        return polars_frame(dict(zip(self.arrow.column_names, self.arrow.columns, strict=True)))


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

    @property
    def tags_by_kind(self) -> dict[str, tuple[str, ...]]:
        """The names of all series by kind: scalar, image, audio, text, tensor, other, …; those of unknown plugins too."""
        self._look_up()
        found: dict[str, set[str]] = {}
        for file in self._record.files:
            for tag, kind in zip(file.events.tag_ids().tolist(), file.events.kinds().tolist(), strict=False):
                found.setdefault(Kind(kind).label, set()).add(self._folder.views.tag_name(tag))
        return {kind: tuple(sorted(tags)) for kind, tags in sorted(found.items())}

    def images(self, tag: str) -> LoggedSeries[LoggedImage]:
        """The images of a tag, decoded on demand: `run.images("faces")[-1].array()`. Raises NotThere."""
        return LoggedSeries(tag, self._folder.blobs, self._blobs(tag, (Kind.IMAGE,)), LoggedImage)

    def audio(self, tag: str) -> LoggedSeries[LoggedAudio]:
        """The sounds of a tag, decoded on demand. Raises NotThere."""
        return LoggedSeries(tag, self._folder.blobs, self._blobs(tag, (Kind.AUDIO,)), LoggedAudio)

    def tensors(self, tag: str) -> LoggedSeries[LoggedTensor]:
        """The tensors of a tag, whatever plugin shows them, also one that is not known. Raises NotThere."""
        return LoggedSeries(
            tag, self._folder.blobs, self._blobs(tag, tuple(kind for kind in Kind if kind != Kind.SCALAR)), LoggedTensor
        )

    def profiles(self) -> tuple[str, ...]:
        """Names of the run's profile sessions, newest first."""
        self._look_up()
        return tuple(session.name for session in self._record.profiles)

    def profile(self, name: str | None = None) -> LoadedProfile:
        """A session with all its analyses, as load_profile gives it; the newest unless one is named. Raises NotThere."""
        from stepscope.loaded_profile import load_profile

        self._look_up()
        found = next((session for session in self._record.profiles if name in (None, session.name)), None)
        if found is None:
            raise NotThere(f"Run {self.name!r} has no profile {name or ''}; run.profiles() lists those it has.", "unknown_profile")
        path = found.files[0].path
        return load_profile(path if len(found.files) == 1 else os.path.dirname(path))

    def follow(self, *, every: float = 1.0, idle: float | None = None, new_only: bool = False) -> Iterator[Update]:
        """Points as they are written, an Update for each series that has new ones; first those that are there, unless `new_only`.

        Looks every `every` seconds, and ends when nothing was written for `idle` seconds; without it, when you leave the loop.
        """
        seen: dict[int, tuple[EventFile, list[int]]] = {}
        if new_only:
            for _ in self._new_points(seen):
                pass
        last = time.monotonic()
        while True:
            self._folder.reload()
            for update in self._new_points(seen):
                last = time.monotonic()
                yield update
            if idle is not None and time.monotonic() - last >= idle:
                return
            time.sleep(every)

    def _new_points(self, seen: dict[int, tuple[EventFile, list[int]]]) -> Iterator[Update]:
        """Points that `seen` does not count yet, by file and series. A file that was replaced is another file."""
        self._look_up()
        for file in self._record.files:
            events = file.events
            counts = seen.setdefault(id(events), (events, []))[1]
            places = np.flatnonzero(events.kinds() == Kind.SCALAR).tolist()
            counts += [0] * (len(places) - len(counts))
            for place, index in enumerate(places):
                step, wall, value = events.scalars(index)
                old, counts[place] = counts[place], len(step)
                if len(step) > old:
                    tag = self._folder.views.tag_name(int(events.tag_ids()[index]))
                    yield Update(self.name, tag, step[old:], wall[old:], value[old:])

    def _blobs(self, tag: str, kinds: tuple[Kind, ...]) -> BlobSeries:
        self._look_up()
        for kind in kinds:
            try:
                return self._folder.blobs.open(self._folder.views.view(False), self.id, tag, kind)
            except NotThere:
                continue
        raise NotThere(f"Run {self.name!r} has no such series {tag!r}; run.tags_by_kind lists what it has.", "unknown_tag")

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
        self.views = Views(self.library)
        self.blobs = BlobReader(self.views, TagReader(self.views))
        self._cache = cache
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

    def hparams(self, metrics: Sequence[str] = ()) -> HparamsTable:
        """Hyperparameters of all runs as a table, with the last value of each metric that is named."""
        return HparamsTable(hparams_rows(self.library, self.views.view(), metrics))

    def query(
        self,
        sql: str,
        *,
        runs: Sequence[str] = (),
        tags: Sequence[str] = (),
        segments: Literal["latest", "all"] = "latest",
        timeout: float = 60.0,
        memory_bytes: int = 2 << 30,
    ) -> QueryResult:
        """The answer to one SELECT over the tables of the folder, such as points, runs and ops. Needs stepscope[sql].

        `runs` and `tags` (names or patterns with *) choose what is read; `segments="all"` keeps what a restart logged again.
        Raises BadInput, TooMuch when the query needs more time or memory than given, or Refused.
        """
        from stepscope.sql.database import Database, Question
        from stepscope.sql.engine import Limits
        from stepscope.sql.table import Scope

        scope = Scope(tuple(runs), tuple(tags), segments)
        found = Database(self._reads).query(sql, Question(scope, Limits(timeout, memory_bytes), self._states(), time.time()), ALL_ROWS)
        return QueryResult(found.table, {column.key: column.unit for column in found.columns}, found.notes)

    def table(self, name: str, *, runs: Sequence[str] = (), tags: Sequence[str] = ()) -> QueryResult:
        """A whole table of the folder, such as points, runs or ops. Needs stepscope[sql]."""
        from stepscope.sql.all_tables import BY_NAME

        if name not in BY_NAME:
            raise NotThere(f"There is no table {name!r}; the tables are {', '.join(BY_NAME)}.", "unknown_table")
        return self.query(f"FROM {name}", runs=runs, tags=tags)

    @cached_property
    def _reads(self) -> Reads:
        from stepscope.session.kept_answers import KeptAnswers
        from stepscope.session.reads import Reads

        return Reads(self.library, kept=KeptAnswers() if self._cache else None)

    def _states(self) -> dict[RunId, RunState]:
        from stepscope.store.user_state import UserState

        state = UserState()
        try:
            return state.of(LOCAL_USER.id).read(self.path)
        finally:
            state.close()

    def reload(self) -> None:
        """Reads what has been written since."""
        self._loader.reload()

    def repair(self) -> bool:
        """Reads files again whose cache turned out damaged; says whether there were any."""
        return self._loader.repair()


def open_folder(logdir: str | os.PathLike[str], *, cache: bool = True) -> LogFolder:
    """Opens a log folder and reads every point in it. `cache` uses and writes the checkpoint cache where that pays."""
    return LogFolder(os.fspath(logdir), cache=cache)
