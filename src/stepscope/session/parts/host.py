"""The host: what it does around operations, functions that are compiled again, and Python functions by name."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct, structs

from stepscope.analyses.host.work import HostWork, host_work
from stepscope.analyses.work.aligned_operations import align
from stepscope.model import declared as d
from stepscope.model.declared import fill, fill_all
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Host, Limit, Rank, Worker, limited
from stepscope.session.part import Answer, Part, Wanted

_US = 1e3
_UNTRACED = "untraced"


class HostWanted(Wanted, frozen=True, kw_only=True):
    """How many compiled functions are listed."""

    limit: Limit = 0


class HostTime(Struct, frozen=True, kw_only=True):
    """Time of a typical step in which only the host works, by what it does."""

    part: Annotated[str, d.text("Key of the activity: python, waiting, compile, dispatch, framework, sync, alloc, io, gc or untraced.")]
    title: Annotated[str, d.text("Name of the activity for people.")]
    us: Annotated[float, d.us("Time that no other work hides.")]


class HostFunction(Struct, frozen=True, kw_only=True):
    """One compiled function, in all steps."""

    name: Annotated[str, d.text("Name of the function.")]
    compiler: Annotated[str, d.text("Compiler, such as jax.jit or tf.function.")]
    calls: Annotated[int, d.count("Number of calls.")]
    traces: Annotated[int, d.count("Number of calls in which it was traced or compiled.")]
    total_us: Annotated[float, d.us("Total duration of its calls, with tracing and compiling.")]
    traced_us: Annotated[float, d.us("Total duration of tracing and compiling.")]
    versions: Annotated[int | None, d.count("Number of compiled versions; null when not recorded.")]


class HostName(Struct, frozen=True, kw_only=True):
    """A Python function, in a typical step."""

    name: Annotated[str, d.text("Name and source line of the function.")]
    us: Annotated[float, d.us("Self time that no other work hides.")]
    calls: Annotated[float, d.number("Number of calls per step.", "calls/step")]


class HostGarbage(Struct, frozen=True, kw_only=True):
    """Garbage collections in all steps."""

    count: Annotated[int, d.count("Number of collections.")]
    total_us: Annotated[float, d.us("Total duration.")]
    longest_us: Annotated[float, d.us("Longest collection.")]


class HostOfWorker(Struct, frozen=True, kw_only=True):
    """The host of one worker. Times are of a typical step."""

    worker: Worker
    host: Host
    rank: Rank
    framework: Annotated[str, d.text("Framework that wrote the profile.")]
    step_us: Annotated[float, d.us("Typical step time.")]
    host_us: Annotated[float, d.us("Time in which only the host works.")]
    breakdown: Annotated[
        list[HostTime], d.nested("What the host does; all but `untraced` sum to `host_us`. No rows of Python where it is not recorded.")
    ]
    python_recorded: Annotated[bool, d.flag("Whether Python functions are recorded.")]
    calls_in_runs: Annotated[float, d.number("Number of short calls per step that directly follow one another.", "calls/step")]
    eager: Annotated[int, d.count("Number of operations in all steps that ran eagerly.")]
    compiled: Annotated[int, d.count("Number of operations in all steps that ran in a compiled function.")]
    eager_share: Annotated[float | None, d.fraction("Share of operations that ran eagerly; null without operations.")]
    functions: Annotated[list[HostFunction], d.nested("Compiled functions.")]
    functions_total: Annotated[int, d.count("Number of all functions; at most `limit` are listed.")]
    python: Annotated[list[HostName], d.nested("Python functions between operations, longest first.")]
    waits: Annotated[list[HostName], d.nested("Python functions that wait for a lock, a thread or the device, longest first.")]
    garbage: Annotated[HostGarbage, d.nested("Garbage collections.")]


class AlignedSide(Struct, frozen=True, kw_only=True):
    """An operation in one of two profiles, in a typical step."""

    calls: Annotated[float, d.number("Number of calls per step.", "calls/step")]
    us: Annotated[float, d.us("Self time.")]


class AlignedOperation(Struct, frozen=True, kw_only=True):
    """An operation in two profiles of the same code; null where one profile does not have it."""

    name: Annotated[str, d.text("Name of the operation.")]
    first: Annotated[AlignedSide | None, d.nested("In this profile.")]
    second: Annotated[AlignedSide | None, d.nested("In the other profile.")]
    difference_us: Annotated[float, d.us("How much longer the other profile takes.")]


class Hosts(Answer, frozen=True, kw_only=True):
    """What hosts do around operations."""

    hosts: Annotated[list[HostOfWorker], d.nested("The host of each worker.")]
    aligned: Annotated[
        list[AlignedOperation] | None,
        d.nested("Operations of the first worker in this and another profile, largest difference first; null without another one."),
    ] = None


def _make(session: AnalysedSession, wanted: HostWanted) -> Hosts:
    return Hosts(hosts=[_of_worker(session, place, wanted.limit) for place in session.places(wanted.worker)])


def beside(answer: Hosts, session: AnalysedSession, other: AnalysedSession) -> Hosts:
    """The answer with the operations of the first worker of both sessions, aligned by name."""
    sides = [(each.profiles[0], each.breakdown(0)) for each in (session, other)]
    return structs.replace(answer, aligned=fill_all(AlignedOperation, align(sides[0], sides[1])))


def _of_worker(session: AnalysedSession, place: int, limit: int) -> HostOfWorker:
    profile = session.profiles[place]
    found = host_work(profile, session.breakdown(place))
    return fill(
        HostOfWorker,
        found,
        **session.whose(place),
        framework=profile.framework,
        breakdown=_breakdown(found),
        functions=fill_all(HostFunction, limited(found.functions, limit)),
        functions_total=len(found.functions),
    )


def _breakdown(found: HostWork) -> list[HostTime]:
    lines = [*found.lines, (_UNTRACED, "Not traced", found.untraced_ns)]
    return [HostTime(part=part, title=title, us=ns / _US) for part, title, ns in lines]


HOST = Part("host", "Host", HostWanted, Hosts, _make)
