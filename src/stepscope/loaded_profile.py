"""stepscope.load_profile: the analyses of a profile as Python objects and tables, for scripts and notebooks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.input.pipeline import InputPipeline, input_pipeline
from stepscope.analyses.memory.held import MemoryUse, memory
from stepscope.analyses.summary import Summary, summarise
from stepscope.analyses.time_classes import Group, TimeClass
from stepscope.analyses.work.kernels import KernelRow, KernelsBy, kernels
from stepscope.analyses.work.modules import ModuleRow, modules
from stepscope.analyses.work.operations import By, OperationRow, operations
from stepscope.analyses.work.transfers import TransferRow, transfers
from stepscope.data_frames import arrow_table, pandas_frame, polars_frame
from stepscope.formats.open_profile import read_session, sessions_at, with_times
from stepscope.formats.span_attributes import span_attributes
from stepscope.formats.xplane.programs import read_programs
from stepscope.ingest.own_kinds import OwnKinds
from stepscope.ingest.profile_reading import ProfileReading
from stepscope.model.errors import BadInput
from stepscope.model.profile import Attribute, Profile
from stepscope.rules.judge import judge
from stepscope.rules.rule import Finding

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_Row = TypeVar("_Row")


class Rows(Sequence[_Row], Generic[_Row]):
    """The rows of a table, each an object with named fields; times are nanoseconds where a name says `ns`."""

    def __init__(self, rows: Sequence[_Row]) -> None:
        self._rows = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> _Row: ...
    @overload
    def __getitem__(self, place: slice) -> Rows[_Row]: ...
    def __getitem__(self, place: int | slice) -> _Row | Rows[_Row]:
        return Rows(self._rows[place]) if isinstance(place, slice) else self._rows[place]

    def __repr__(self) -> str:
        return f"<{len(self._rows)} rows>"

    def _columns(self) -> dict[str, list[Any]]:
        cells = [dict(_cells("", row)) for row in self._rows]
        names = dict.fromkeys(name for row in cells for name in row)
        return {name: [row.get(name) for row in cells] for name in names}

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame."""
        return pandas_frame(self._columns())

    def to_polars(self) -> pl.DataFrame:
        """The rows as a polars data frame."""
        return polars_frame(self._columns())

    def to_arrow(self) -> Any:  # noqa: ANN401 - pyarrow carries no types
        """The rows as an Arrow table."""
        return arrow_table(self._columns())


@dataclass(frozen=True, slots=True)
class StepTime:
    """One step: `parts` are nanoseconds of every class, which sum to `ns`."""

    step: int
    start_ns: int
    ns: int
    typical: bool
    parts: Mapping[str, float]


class LoadedProfile:
    """One recording: a process, or the ranks of a session. `rank` in its methods is a place in `ranks`."""

    def __init__(self, profiles: Sequence[Profile], by: str | None) -> None:
        self.ranks = tuple(profiles)
        """The tables of each rank as they were read: spans, tracks, names and what hangs on them."""
        self._by = by

    def __repr__(self) -> str:
        return f"<profile of {len(self.ranks)} rank{'s' if len(self.ranks) > 1 else ''}: {self.sentence}>"

    @cached_property
    def summary(self) -> Summary:
        """The typical step of all ranks, the breakdown of each, and what is to be said of the data."""
        return summarise(self.ranks, self._by)

    @property
    def sentence(self) -> str:
        """How long a step takes, and what most of the time that is not compute goes to."""
        return self.summary.sentence

    @property
    def step_ms(self) -> float:
        """The median step, mean over ranks."""
        return self.summary.median_ns / 1e6

    @property
    def groups(self) -> dict[str, float]:
        """The six groups as fractions of a typical step; they sum to 1."""
        return {group.key: float(self.summary.groups[group]) for group in Group}

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What the rules say: those that fire first, by gain."""
        profiles = self.summary.profiles
        return judge(self.summary, span_attributes, programs=lambda place: read_programs(profiles[place])[0]).findings

    def breakdown(self, rank: int = 0) -> Breakdown:
        """The steps of a rank and where their time goes."""
        return self.summary.breakdowns[rank]

    def steps(self, rank: int = 0) -> Rows[StepTime]:
        """Every step of a rank."""
        return Rows(list(_step_times(self.breakdown(rank))))

    def ops(self, by: str = "name", rank: int = 0, *, calls: bool = False) -> Rows[OperationRow]:
        """Operations of host and devices, most exposed first. `by`: name, type, scope, module, program, shape or source."""
        return Rows(operations(self.ranks[rank], self.breakdown(rank), _choice(By, by), calls=calls))

    def kernels(self, by: str = "name", rank: int = 0) -> Rows[KernelRow]:
        """Kernels, longest in sum first. `by`: name, launch, family, op or stream."""
        return Rows(kernels(self.ranks[rank], self.breakdown(rank), _choice(KernelsBy, by)))

    def modules(self, rank: int = 0) -> Rows[ModuleRow]:
        """The tree of modules or name scopes, each before those below it."""
        return Rows(modules(self.ranks[rank]))

    def transfers(self, rank: int = 0) -> Rows[TransferRow]:
        """Copies by direction and kind of memory."""
        return Rows(transfers(self.ranks[rank], self.breakdown(rank)))

    def memory(self, rank: int = 0) -> tuple[MemoryUse, ...]:
        """Memory of each device and of the host, where it was recorded."""
        return tuple(memory(self.ranks[rank], self.breakdown(rank).steps))

    def input(self, rank: int = 0) -> InputPipeline:
        """What a step waits for before it has its batch."""
        return input_pipeline(self.ranks[rank], self.breakdown(rank), span_attributes)

    def attributes(self, row: int, rank: int = 0) -> dict[str, Attribute]:
        """Everything the file says of the span in that row."""
        return span_attributes(self.ranks[rank], row)


def load_profile(
    path: str | os.PathLike[str],
    *,
    steps_by: str | None = None,
    span_kinds: str | os.PathLike[str] | None = None,
    cache: bool = True,
) -> LoadedProfile:
    """Opens a profile: a file of a profiler, a session folder, or a log folder, of which the newest session is taken.

    `steps_by` names where steps come from, if not from the best source there is, and `span_kinds` a TOML file that says what spans of
    your own names are, in place of the one in Stepscope's data folder. Raises BadInput or NotThere with one sentence.
    """
    place = os.path.expanduser(str(path))
    reading = ProfileReading(cache, OwnKinds(None if span_kinds is None else str(span_kinds)))
    sessions = sessions_at(place)
    if sessions is None:
        profiles = [reading.read(place)]
    else:
        profiles = read_session(next((one for one in sessions if one.has_steps), sessions[0]), None, reading.read_session_file)
    return LoadedProfile(with_times(profiles, place), steps_by)


_Choice = TypeVar("_Choice", bound=Enum)


def _choice(among: type[_Choice], name: str) -> _Choice:
    found = next((one for one in among if one.value == name), None)
    if found is None:
        raise BadInput(f"by is {', '.join(repr(one.value) for one in among)}, not {name!r}.", "bad_grouping")
    return found


def _step_times(breakdown: Breakdown) -> Iterator[StepTime]:
    steps, typical = breakdown.steps, set(breakdown.typical)
    for place, number in enumerate(steps.number.tolist()):
        parts = {each.key: float(breakdown.parts[place, each]) for each in TimeClass}
        yield StepTime(number, int(steps.bounds[place]), int(steps.length[place]), place in typical, parts)


def _cells(name: str, value: object) -> Iterator[tuple[str, object]]:
    """The fields of a row as cells; those of fields that have fields themselves are joined by a line."""
    inner = f"{name}_" if name else ""
    if is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from _cells(f"{inner}{each.name}", getattr(value, each.name))
    elif isinstance(value, Mapping):
        yield from ((f"{inner}{key}", each) for key, each in cast("Mapping[str, object]", value).items())
    elif isinstance(value, tuple):
        yield name, list(cast("tuple[object, ...]", value))
    else:
        yield name, value.value if isinstance(value, Enum) else value
