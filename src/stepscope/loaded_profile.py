"""stepscope.load_profile: the analyses of a profile as Python objects and tables, for scripts and notebooks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from msgspec import Struct

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.session.summary import Summary
from stepscope.analyses.time_classes import Group
from stepscope.data_frames import arrow_table, pandas_frame, polars_frame
from stepscope.formats.span_attributes import span_attributes
from stepscope.ingest.own_kinds import OwnKinds
from stepscope.model.declared import cells
from stepscope.model.errors import BadInput
from stepscope.model.number_text import digits
from stepscope.model.profile import Attribute, Profile
from stepscope.session.analysed import AnalysedSession
from stepscope.session.at_path import Opening, ProfileAt, profile_at
from stepscope.session.part import A, Part, W, Wanted
from stepscope.session.parts.counters import COUNTERS, CounterRow
from stepscope.session.parts.coverage import COVERAGE, MissingRow
from stepscope.session.parts.hlo import HLO, HloBy, HloRow
from stepscope.session.parts.host import HOST, HostOfWorker
from stepscope.session.parts.inference import INFERENCE, Inference
from stepscope.session.parts.input import INPUT, InputOfWorker
from stepscope.session.parts.kernels import KERNELS, KernelRow, KernelsBy
from stepscope.session.parts.memory import MEMORY
from stepscope.session.parts.memory_devices import DeviceMemory
from stepscope.session.parts.memory_programs import ProgramMemoryRow
from stepscope.session.parts.modules import MODULES, ModuleRow
from stepscope.session.parts.ops import OPS, By, OperationRow
from stepscope.session.parts.report import REPORT, Report
from stepscope.session.parts.roofline import ROOFLINE, RooflinePoint
from stepscope.session.parts.steps import STEPS, StepRow
from stepscope.session.parts.throughput import THROUGHPUT, Throughput
from stepscope.session.parts.transfers import TRANSFERS, TransferRow, TransfersBy
from stepscope.session.report.columns import FindingRow

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


class LoadedProfile:
    """One recording: a process, or the ranks of a session. `rank` in its methods is a place in `ranks`."""

    def __init__(self, at: ProfileAt, profiles: Sequence[Profile], by: str | None) -> None:
        self._at = at
        self.ranks = tuple(profiles)
        """The tables of each rank as they were read: spans, tracks, names and what hangs on them."""
        self._by = by

    def __repr__(self) -> str:
        return f"<profile of {len(self.ranks)} rank{'s' if len(self.ranks) > 1 else ''}, median step {digits(self.step_ms, 4)} ms>"

    def report(
        self, *, cores: int | None = None, step_ms: float | None = None, batch: int | None = None, tokens: int | None = None
    ) -> Report:
        """Everything that `stepscope profile report --json` has, as objects.

        What the profile does not record may be given: CPU cores of the machine, the median step time in ms without the profiler,
        examples in one rank's step, and tokens in one example.
        """
        return self._answer(REPORT, None, cores=cores, step_ms=step_ms, batch=batch, tokens=tokens)

    @property
    def summary(self) -> Summary:
        """The typical step of all ranks, the breakdown of each, and what is to be said of the data."""
        return self._session.summary

    @property
    def sentence(self) -> str:
        """Step time, main loss and best change, as the report says them."""
        return self.report().summary

    @property
    def step_ms(self) -> float:
        """The typical step, mean over ranks."""
        return self.summary.typical_ns / 1e6

    @property
    def groups(self) -> dict[str, float]:
        """The six groups as fractions of a typical step; they sum to 1."""
        return {group.key: float(self.summary.groups[group]) for group in Group}

    @property
    def findings(self) -> Rows[FindingRow]:
        """What the rules say: those that fire first, by gain."""
        return Rows(self.report().findings)

    def breakdown(self, rank: int = 0) -> Breakdown:
        """The steps of a rank and where their time goes."""
        return self.summary.breakdowns[rank]

    def steps(self, rank: int | None = None) -> Rows[StepRow]:
        """Every step of all ranks, or of one."""
        rows = self._answer(STEPS, None).steps
        return Rows(rows if rank is None else [row for row in rows if row.worker == self._session.workers[rank]])

    def ops(self, by: str = "name", rank: int | None = None, *, calls: bool = False) -> Rows[OperationRow]:
        """Operations of host and devices, most exposed first. `by`: name, type, scope, module, program, shape or source."""
        return Rows(self._answer(OPS, rank, by=_choice(By, by), calls=calls).ops)

    def kernels(self, by: str = "name", rank: int | None = None) -> Rows[KernelRow]:
        """Kernels, longest total duration first. `by`: name, launch, family, op or stream."""
        return Rows(self._answer(KERNELS, rank, by=_choice(KernelsBy, by)).kernels)

    def hlo(self, by: str = "op", rank: int | None = None) -> Rows[HloRow]:
        """Operations of compiled XLA programs, longest self time first. `by`: op, category, program, framework or source."""
        return Rows(self._answer(HLO, rank, by=_choice(HloBy, by)).rows)

    def coverage(self, rank: int | None = None) -> Rows[MissingRow]:
        """Operations without time, then those without memory, with the reason of each."""
        return Rows(self._answer(COVERAGE, rank).missing)

    def modules(self, rank: int | None = None) -> Rows[ModuleRow]:
        """The tree of modules or name scopes, each before those below it."""
        return Rows(self._answer(MODULES, rank).modules)

    def transfers(self, by: str = "direction", rank: int | None = None) -> Rows[TransferRow]:
        """Memory copies, longest total duration first. `by`: direction, operation or stream."""
        return Rows(self._answer(TRANSFERS, rank, by=_choice(TransfersBy, by)).transfers)

    def inference(self, request: str = "", rank: int | None = None) -> Inference:
        """Latency of requests. `request`: the annotation around one, "*" for each step; without it the likeliest annotation."""
        return self._answer(INFERENCE, rank, request=request)

    def throughput(self, *, batch: int | None = None, tokens: int | None = None) -> Throughput:
        """Rates of all ranks together, and epochs. `batch`: examples in one rank's step; `tokens`: those in one example."""
        return self._answer(THROUGHPUT, None, batch=batch, tokens=tokens)

    def memory(self, rank: int | None = None) -> tuple[DeviceMemory, ...]:
        """Memory of each device and of the host, where it was recorded."""
        return tuple(self._answer(MEMORY, rank).devices)

    def program_memory(self, rank: int | None = None) -> tuple[ProgramMemoryRow, ...]:
        """Memory that XLA has planned for compiled programs, most first."""
        return tuple(self._answer(MEMORY, rank, programs=True).programs)

    def input(self, rank: int = 0) -> InputOfWorker:
        """What a step waits for before it has its batch."""
        return self._answer(INPUT, rank).inputs[0]

    def host(self, rank: int = 0) -> HostOfWorker:
        """What the host does around operations."""
        return self._answer(HOST, rank).hosts[0]

    def roofline(self, rank: int | None = None) -> Rows[RooflinePoint]:
        """Operations and kernels whose FLOPs or bytes are known, longest total duration first."""
        return Rows(self._answer(ROOFLINE, rank).points)

    def counters(self, rank: int | None = None, *, columns: int = 0) -> Rows[CounterRow]:
        """Sampled counters; `columns` asks for the course of each in that many columns."""
        return Rows(self._answer(COUNTERS, rank, columns=columns).counters)

    def _answer(self, part: Part[W, A], rank: int | None, **fields: Any) -> A:  # noqa: ANN401 - the fields of what the part takes
        worker = "" if rank is None else self._session.workers[rank]
        return self._at.answer(part, part.wanted(steps=self._by or "", worker=worker, **fields))

    @cached_property
    def _session(self) -> AnalysedSession:
        return self._at.analysed(Wanted(steps=self._by or ""))

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
    kinds = OwnKinds(None if span_kinds is None else str(span_kinds))
    at = profile_at(str(path), Opening(cache=cache, kinds=kinds))
    profiles = at.analysed(Wanted(steps=steps_by or "")).profiles
    return LoadedProfile(at, profiles, steps_by)


_Choice = TypeVar("_Choice", bound=Enum)


def _choice(among: type[_Choice], name: str) -> _Choice:
    found = next((one for one in among if one.value == name), None)
    if found is None:
        raise BadInput(f"by is {', '.join(repr(one.value) for one in among)}, not {name!r}.", "bad_grouping")
    return found


def _cells(name: str, value: object) -> Iterator[tuple[str, object]]:
    """The fields of a row as cells; those of fields that have fields themselves are joined by a line."""
    inner = f"{name}_" if name else ""
    if isinstance(value, Struct):
        yield from cells(value).items()
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from _cells(f"{inner}{each.name}", getattr(value, each.name))
    elif isinstance(value, Mapping):
        yield from ((f"{inner}{key}", each) for key, each in cast("Mapping[str, object]", value).items())
    elif isinstance(value, tuple):
        yield name, list(cast("tuple[object, ...]", value))
    else:
        yield name, value.value if isinstance(value, Enum) else value
