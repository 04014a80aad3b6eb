"""Routes of the parts of a session: each is declared by the part itself, and answers what the terminal and scripts get."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta, Struct

from stepscope.analyses.memory.timeline import StackedBy
from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.route import Role, Route
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.model.errors import BadInput
from stepscope.model.shared_columns import Epoch
from stepscope.session.all_parts import ALL_PARTS
from stepscope.session.limits import Limit
from stepscope.session.part import AnyPart, Wanted
from stepscope.session.parts.compare import COMPARE, CompareWanted, Comparison
from stepscope.session.parts.memory_compare import MEMORY_COMPARE, MemoryCompared, MemoryCompareWanted
from stepscope.session.parts.trend import TREND, Trend, TrendWanted
from stepscope.session.reader import Reading, SessionOfRun

WAIT_SECONDS = 1.0
"""How long an answer may wait for reading before it says how far that has come."""

MOST_COMPARED = 12
"""How many sessions of a run have their memory compared."""

T = TypeVar("T")


class ReadingRow(Struct, frozen=True):
    """How far reading has come; ask again to go on waiting."""

    files_done: Annotated[int, d.count("Files that have been read.")]
    files: Annotated[int, d.count("Files to read.")]
    bytes_done: Annotated[int, d.size("Size of the files that have been read.")]
    bytes: Annotated[int, d.size("Size of all files.")]
    analysing: Annotated[bool, d.flag("Whether every file has been read, and the answer is being computed.")]
    seconds: Annotated[float, d.seconds("Time since reading began.")]


class Answered(Struct, Generic[T], frozen=True):
    """What a part answers, or how far reading has come; one of the two is null."""

    epoch: Epoch
    reading: Annotated[ReadingRow | None, d.nested("How far reading has come; null when there is an answer.")]
    answer: Annotated[T | None, d.nested("The answer; null while files are read.")]


def part_route(part: AnyPart) -> Route:
    """The route of one part."""

    def answer(context: RequestContext, wanted: Wanted, path: Mapping[str, str]) -> Answered[Any]:
        reader = context.reads.sessions
        return _answered(context, reader.ask(part, reader.find(path["session"]), wanted, WAIT_SECONDS))

    answer.__name__ = f"profile_{part.id}"
    answer.__doc__ = part.answer.__doc__
    return Route("GET", f"/profile/{{session}}/{part.id}", Role.VIEWER, part.title, answer, part.wanted, Answered[part.answer])


SessionText = Annotated[str, Meta(max_length=64, description="Id of a session.")]


class CompareRequest(CompareWanted, frozen=True, kw_only=True):
    """The session before, with which the one in the path is compared."""

    against: SessionText


class TrendRequest(Wanted, frozen=True, kw_only=True):
    """The sessions, and the hyperparameter to order them by."""

    sessions: Annotated[str, Meta(max_length=4_000, description="Ids of sessions, separated by commas.")]
    by: Annotated[str, Meta(max_length=1_000, description="Logged hyperparameter to order by; empty: what differs.")] = ""


class MemoryCompareRequest(Struct, frozen=True, kw_only=True):
    """The sessions, and what makes a row."""

    sessions: Annotated[str, Meta(max_length=2_000, description="Ids of sessions, separated by commas; empty: newest of the run.")] = ""
    by: Annotated[StackedBy, Meta(description="What makes one row.")] = StackedBy.OP
    limit: Limit = 0


def profile_compare(context: RequestContext, request: CompareRequest, path: Mapping[str, str]) -> Answered[Comparison]:
    """What got slower and faster from one session to another."""
    reader = context.reads.sessions
    if request.against == path["session"] and request.range == request.against_range:
        raise BadInput("Choose another profile to compare with, or another range of this one.", "same_profile")
    sessions = [reader.find(request.against), reader.find(path["session"])]
    return _answered(context, reader.ask_several(COMPARE, sessions, request, WAIT_SECONDS))


def profile_trend(context: RequestContext, request: TrendRequest, _: Mapping[str, str]) -> Answered[Trend]:
    """Several sessions along a hyperparameter or along the run."""
    reader = context.reads.sessions
    ids = dict.fromkeys(part for part in request.sessions.split(",") if part)
    wanted = TrendWanted(steps=request.steps, range=request.range, by=request.by)
    TREND.choices(wanted, len(ids))
    return _answered(context, reader.ask_several(TREND, [reader.find(each) for each in ids], wanted, WAIT_SECONDS))


def profile_memory_compare(context: RequestContext, request: MemoryCompareRequest, path: Mapping[str, str]) -> Answered[MemoryCompared]:
    """Memory of several sessions: those that are named, or else the newest of the run."""
    reader = context.reads.sessions
    found = reader.find(path["session"])
    named = [reader.find(each) for each in dict.fromkeys(part for part in request.sessions.split(",") if part)]
    of_run = [SessionOfRun(found.run, session) for session in found.run.profiles]
    newest = sorted(named or of_run, key=lambda one: one.session.time)[-MOST_COMPARED:]
    wanted = MemoryCompareWanted(by=request.by, limit=request.limit)
    return _answered(context, reader.ask_several(MEMORY_COMPARE, newest, wanted, WAIT_SECONDS))


def _answered(context: RequestContext, found: T | Reading) -> Answered[T]:
    epoch = context.reads.library.snapshot.epoch
    return Answered(epoch, fill(ReadingRow, found), None) if isinstance(found, Reading) else Answered(epoch, None, found)


PART_ROUTES = (
    *(part_route(part) for part in ALL_PARTS),
    Route("GET", "/profile/{session}/compare", Role.VIEWER, COMPARE.title, profile_compare, CompareRequest, Answered[Comparison]),
    Route(
        "GET",
        "/profile/{session}/memory_compare",
        Role.VIEWER,
        MEMORY_COMPARE.title,
        profile_memory_compare,
        MemoryCompareRequest,
        Answered[MemoryCompared],
    ),
    Route("GET", "/profile/trend", Role.VIEWER, TREND.title, profile_trend, TrendRequest, Answered[Trend]),
)
