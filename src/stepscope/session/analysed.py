"""One analysed session: profiles with what several parts need of them, each made once, when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from stepscope.analyses.breakdown import Breakdown, break_down
from stepscope.analyses.devices.table import DeviceTable
from stepscope.analyses.programs.costs import operation_costs
from stepscope.analyses.session.summary import Summary, summarise
from stepscope.analyses.statistics.from_graph import variable_parameters
from stepscope.analyses.steps import find_steps
from stepscope.analyses.work.operation_costs import OperationCosts
from stepscope.model.errors import BadInput
from stepscope.model.executed import ExecutedStep
from stepscope.model.graph import Graph, GraphSet, NodeAttribute
from stepscope.model.hlo import HloProgram
from stepscope.model.node_costs import CostNode
from stepscope.model.profile import NONE, Attribute, Note, Profile
from stepscope.model.program_buffers import ProgramBuffers
from stepscope.model.session import is_rank_of
from stepscope.queries.run_logs import RunLogs
from stepscope.rules.judge import Judgement, judge
from stepscope.session.device_table import device_table
from stepscope.session.near_graphs import client_graph, executed_step, recorded_costs
from stepscope.session.opened import BrokenFile, OpenedSession
from stepscope.store.kept import Kept

_MS = 1e6
_MOST_MADE = 64
_MADE_PER_WORKER = 4
"""How many intermediate results one session keeps: of all workers together, and of each, so that hundreds of ranks are divided once."""

_NAMED = 8
"""How many workers an error names."""

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class LoggedStep:
    """The median of the steps that a run has logged outside of the profile, and the series that has them."""

    ms: float
    tag: str
    steps: int


class AnalysedSession:
    """What all parts are made from. `place` in its methods is the place of a worker in `workers`. Safe from any thread."""

    def __init__(self, opened: OpenedSession, steps: str = "", chosen: str = "") -> None:
        self._opened = opened.in_range(chosen, steps)
        self.steps_by = steps or None
        self._made: Kept[Any] = Kept(_MOST_MADE + _MADE_PER_WORKER * len(self._opened.profiles))

    @property
    def id(self) -> str:
        """The session's id, as links and the HTTP API use it."""
        return self._opened.id

    @property
    def name(self) -> str:
        """What the session is called in its run."""
        return self._opened.name

    @property
    def time(self) -> float:
        """When it was recorded, in seconds since 1970."""
        return self._opened.time

    @property
    def read_seconds(self) -> float:
        """How long its files took to read."""
        return self._opened.seconds

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The profile of each worker, by rank."""
        return self._opened.profiles

    @cached_property
    def workers(self) -> tuple[str, ...]:
        """The name of each worker."""
        return self._opened.workers

    @property
    def broken(self) -> tuple[BrokenFile, ...]:
        """Workers whose files could not be read."""
        return self._opened.broken

    @property
    def logs(self) -> RunLogs:
        """What the run has logged beside the profile."""
        return self._opened.logs()

    @property
    def range_text(self) -> str | None:
        """The chosen range in words; None when nothing was left out."""
        part = self.profiles[0].part
        return None if part is None else part.text

    def client_graph(self) -> Graph | None:
        """The graph of operations that the run has logged, as the user's program made it; None when it has none."""
        found = self._client_graph()
        return None if found is None else found[0]

    def client_attributes(self, row: int) -> tuple[NodeAttribute, ...]:
        """The attributes of a node of that graph. Raises OSError."""
        found = self._client_graph()
        return () if found is None else found[1].attributes(found[0], row)

    def variable_parameters(self) -> dict[str, int]:
        """How many parameters each variable of that graph has, by name. Raises OSError."""
        graph = self.client_graph()
        return {} if graph is None else variable_parameters(graph, self.client_attributes)

    def _client_graph(self) -> tuple[Graph, GraphSet] | None:
        return self.once("client_graph", lambda: client_graph(self.logs))

    def executed_step(self, place: int = 0) -> ExecutedStep | None:
        """What a worker's file records of the graph that was executed; None when it records nothing."""
        return self.once(("executed", place), lambda: executed_step(self._opened.files[place]))

    def recorded_costs(self, place: int = 0) -> dict[str, CostNode] | None:
        """What nodes cost as a worker's file records it; None where it does not, or only a range of it is chosen."""
        return None if self.range_text is not None else recorded_costs(self._opened.files[place])

    def attributes(self, profile: Profile, row: int) -> dict[str, Attribute]:
        """Everything that a profile's file says of one span."""
        return self._opened.attributes(profile, row)

    def check_unchanged(self, place: int = 0) -> None:
        """Raises NotThere when a worker's file changed since it was read."""
        self._opened.check(self._opened.files[place])

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` makes, made once; two threads that ask at the same time share it."""
        return self._made.get(key, lambda: (make(), 1))

    def breakdown(self, place: int = 0) -> Breakdown:
        """A worker's steps and where their time goes."""
        profile = self.profiles[place]
        return self.once(("breakdown", place), lambda: break_down(profile, find_steps(profile, self.steps_by)))

    @property
    def summary(self) -> Summary:
        """The typical step of all workers and the breakdown of each."""

        def make() -> Summary:
            return summarise(self.profiles, self.steps_by, [self.breakdown(place) for place in range(len(self.profiles))])

        return self.once("summary", make)

    def programs(self, place: int = 0) -> tuple[list[HloProgram], list[Note]]:
        """A worker's compiled programs, and notes on those that cannot be read."""
        if not self.profiles[place].programs:
            return [], []
        return self.once(("programs", place), lambda: self._opened.read_programs(self._opened.files[place]))

    def plans(self, place: int = 0) -> tuple[list[ProgramBuffers], list[Note]]:
        """The memory that compilers planned for a worker's programs."""
        return self._opened.read_plans(self._opened.files[place])

    def costs(self, place: int = 0) -> OperationCosts:
        """FLOPs and bytes of a worker's operations: recorded, and of its compiled programs."""
        return self.once(("costs", place), lambda: operation_costs(self.profiles[place], self.programs(place)[0]))

    @property
    def devices(self) -> DeviceTable:
        """What is known of devices, with the user's own rows. Raises BadInput when the user's file cannot be used."""
        return self.once("devices", device_table)

    def judged(self, cores: int | None = None, step_ms: float | None = None) -> Judgement:
        """What all rules say. `cores` is how many the machine has, `step_ms` a step without the profiler, where the user knows it."""
        known_ms = self.unprofiled_ms(step_ms)
        unprofiled_ns = None if known_ms is None else known_ms * _MS
        return self.once(
            ("judged", cores, unprofiled_ns),
            lambda: judge(
                self.summary,
                self._opened.attributes,
                cores,
                unprofiled_ns=unprofiled_ns,
                programs=lambda place: self.programs(place)[0],
                devices=lambda: self.devices,
            ),
        )

    def unprofiled_ms(self, given: float | None = None) -> float | None:
        """A step without the profiler: as the user has given it or the run has logged it; None when unknown or not to be believed."""
        logged = self.logged_step
        known = given if given is not None else None if logged is None else logged.ms
        believed = self.summary.believed(None if known is None else known * _MS)
        return None if believed is None else believed / _MS

    @property
    def logged_step(self) -> LoggedStep | None:
        """A step without the profiler, as the run has logged it; None when it has not, or when the time of the profile is unknown."""
        known = [profile for profile in self.profiles if profile.base_ns > 0]
        times = self.logs.step_times() if known else None
        if times is None:
            return None
        start = min(profile.base_ns + profile.window[0] for profile in known) / 1e9
        end = max(profile.base_ns + profile.window[1] for profile in known) / 1e9
        found = times.outside(start, end)
        return None if found is None else LoggedStep(1e3 * found.seconds, times.tag, found.steps)

    def places(self, worker: str = "") -> Sequence[int]:
        """The places of the named worker, or of all when none is named, or when the name is that of a file with several ranks."""
        return [place for place, name in enumerate(self.workers) if not worker or name == worker or is_rank_of(name, worker)]

    def place(self, name: str) -> int:
        """The place of a worker by its name, or by its rank as `3` or `rank 3`. Raises BadInput."""
        ranks = [str(profile.rank) if profile.rank != NONE else None for profile in self.profiles]
        for place, worker in enumerate(self.workers):
            if name == worker or name.removeprefix("rank ") == ranks[place]:
                return place
        listed = ", ".join(f"rank {rank}" if rank else worker for rank, worker in zip(ranks[:_NAMED], self.workers, strict=False))
        raise BadInput(f"There is no rank {name}; there are {listed}.", "no_such_rank")

    def whose(self, place: int) -> dict[str, object]:
        """The columns that say which worker a row belongs to."""
        profile = self.profiles[place]
        return {"worker": self.workers[place], "host": profile.host, "rank": None if profile.rank == NONE else profile.rank}
