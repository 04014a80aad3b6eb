"""The host on the Profile tab: what it does around operations, functions that are compiled again, and Python by name."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from stepscope.analyses.breakdown import break_down
from stepscope.analyses.host.work import HostWork, NamedTime, host_work
from stepscope.analyses.steps import find_steps
from stepscope.dashboards.profile.messages import RangeText, ReadingRow, SessionText, StepsText, WorkerText
from stepscope.queries.profiles import Opened

MOST_FUNCTIONS = 1_000
_US = 1e3


class HostRequest(Struct, frozen=True):
    """Which session and worker (none: the first)."""

    session: SessionText
    worker: WorkerText = ""
    steps: StepsText = ""
    range: RangeText = ""


class HostLine(Struct, frozen=True):
    """What nothing else hides in a typical step, by what it is; all but `untraced` sum to the host's part of the report."""

    part: str
    title: str
    us: float


class FunctionLine(Struct, frozen=True):
    """One compiled function; calls and times are of all steps."""

    name: str
    compiler: str
    calls: int
    traces: int
    total_us: float
    traced_us: float
    versions: int | None


class NamedLine(Struct, frozen=True):
    """A Python function with time of its own in a typical step."""

    name: str
    us: float
    calls: float


class HostFound(Struct, frozen=True):
    """`python_recorded` is false where Python functions are not in the recording; `eager_share` is null without operations."""

    step_us: float
    lines: list[HostLine]
    python_recorded: bool
    calls_in_runs: float
    eager: int
    compiled: int
    eager_share: float | None
    collections: int
    collected_us: float
    longest_collection_us: float
    functions: list[FunctionLine]
    functions_total: int
    python: list[NamedLine]
    waits: list[NamedLine]


class HostAnswer(Struct, frozen=True):
    """The host's work for one worker, or how far reading has come."""

    epoch: int
    reading: ReadingRow | None
    host: HostFound | None


def host_found(opened: Opened, steps: str) -> HostFound:
    """Of the first worker."""
    profile = opened.profiles[0]
    found = host_work(profile, break_down(profile, find_steps(profile, steps or None)))
    return HostFound(
        step_us=found.step_ns / _US,
        lines=_lines(found),
        python_recorded=found.python_recorded,
        calls_in_runs=found.calls_in_runs,
        eager=found.eager,
        compiled=found.compiled,
        eager_share=found.eager_share,
        collections=found.garbage.count,
        collected_us=found.garbage.total_ns / _US,
        longest_collection_us=found.garbage.longest_ns / _US,
        functions=[
            FunctionLine(
                each.name, each.compiler.value, each.calls, each.traces, each.total_ns / _US, each.traced_ns / _US, each.versions
            )
            for each in found.functions[:MOST_FUNCTIONS]
        ],
        functions_total=len(found.functions),
        python=_named(found.python),
        waits=_named(found.waits),
    )


def _lines(found: HostWork) -> list[HostLine]:
    lines = [HostLine(part, title, ns / _US) for part, title, ns in found.lines]
    return [*lines, HostLine("untraced", "Nothing that was traced", found.untraced_ns / _US)]


def _named(found: Sequence[NamedTime]) -> list[NamedLine]:
    return [NamedLine(each.name, each.ns / _US, each.calls) for each in found]
