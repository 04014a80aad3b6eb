"""The critical path: the chain of work and waiting that makes a step as long as it is, and the slack of everything off it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.model.errors import BadInput
from stepscope.session.limits import Limit, Worker, limited
from stepscope.session.part import Answer, Part, Wanted

if TYPE_CHECKING:
    from stepscope.analyses.what_if.critical_path import CriticalPath, PathSegment
    from stepscope.session.analysed import AnalysedSession


class PathWanted(Wanted, frozen=True, kw_only=True):
    """Whose steps to follow. The path may lead through all workers, so all of them are read."""

    follow: Annotated[str, Meta(max_length=1_000, description="Worker whose steps to follow; empty: the slowest one.")] = ""
    step: Annotated[int | None, Meta(description="Also answer the path of the step with this number, segment by segment.")] = None
    limit: Limit = 0


class PathPart(Struct, frozen=True):
    """A part of the step breakdown on the path; the parts sum to the step."""

    part: Annotated[str, d.text("Part of the step breakdown, or what lies between operations.")]
    ms: Annotated[float, d.ms("Time on the path of a typical step.")]
    share: Annotated[float, d.fraction("Share of the step.")]


class PathSaving(Struct, frozen=True):
    """What a step would gain without some parts of its path."""

    change: Annotated[str, d.text("Change to try with what-if, such as `kernels=0`.")]
    parts: Annotated[list[str], d.nested("Parts of the path that it removes.")]
    path: Annotated[float, d.fraction("Share of the step that they have on the path.")]
    saves: Annotated[float, d.fraction("Estimated saving by a replay of the step without them, as a share of the step.")]


class PathRow(Struct, frozen=True, kw_only=True):
    """One operation on the path of typical steps and off it."""

    name: Annotated[str, d.text("Name of the operation.")]
    part: Annotated[str, d.text("Part of the step breakdown.")]
    worker: Worker
    steps: Annotated[int, d.count("Typical steps whose path it is on.")]
    count: Annotated[int, d.count("Segments on the paths of these steps.")]
    path_ms: Annotated[float, d.ms("Time on the path per step.")]
    share: Annotated[float, d.fraction("Share of the step.")]
    off_path_ms: Annotated[float, d.ms("Time off the path per step.")]
    slack_ms: Annotated[float | None, d.ms("Median slack: how much later it may end without a longer step; null when on the path.")]


class PathSegmentRow(Struct, frozen=True):
    """A segment of one step's path, from the start of the step to its end."""

    name: Annotated[str, d.text("Name of the span, or of the gap.")]
    part: Annotated[str, d.text("Part of the step breakdown.")]
    worker: Worker
    span: Annotated[int | None, d.number("Row of the span in the profile; null where no span has the time.", "row")]
    start_us: Annotated[float, d.us("Start on the worker's clock.")]
    us: Annotated[float, d.us("Duration.")]


class CriticalPathAnswer(Answer, frozen=True, kw_only=True):
    """The critical path of a worker's typical step."""

    model: Annotated[str, d.text("`dependencies`, or `exclusive time` where the profile records no dependencies.")]
    note: Annotated[str, d.text("What limits the result; empty when nothing does.")]
    worker: Worker
    workers: Annotated[int, d.count("Number of workers that the path may lead through.")]
    typical_ms: Annotated[float, d.ms("Typical step time of the worker, as the report has it.")]
    step_ms: Annotated[float, d.ms("Mean time of the steps on the path: all typical steps but those that `note` excludes.")]
    parts: Annotated[list[PathPart], d.nested("What the path consists of, longest first.")]
    savings: Annotated[list[PathSaving], d.nested("What a step would gain without parts of the path.")]
    operations: Annotated[list[PathRow], d.nested("Operations, longest on the path first.")]
    total: Annotated[int, d.count("Number of all operations; at most `limit` are listed.")]
    segments: Annotated[list[PathSegmentRow] | None, d.nested("The path of the step asked for; null when none was.")]


def _make(session: AnalysedSession, wanted: PathWanted) -> CriticalPathAnswer:
    from stepscope.analyses.what_if.path_savings import path_savings
    from stepscope.analyses.what_if.prediction import replay_context

    breakdowns = [session.breakdown(place) for place in range(len(session.profiles))]
    slowest = max(range(len(breakdowns)), key=lambda place: (breakdowns[place].typical_ns, -place))
    place = session.place(wanted.follow) if wanted.follow else slowest
    path = path_of(session, place)
    whole = path.step_ns or 1.0
    savings = path_savings(session.once("replay", lambda: replay_context(session.profiles, breakdowns)), path)
    return CriticalPathAnswer(
        model=path.model,
        note=path.note,
        worker=session.workers[place],
        workers=len(session.workers),
        typical_ms=breakdowns[place].typical_ns / 1e6,
        step_ms=path.step_ns / 1e6,
        parts=[PathPart(part, ns / 1e6, ns / whole) for part, ns in path.parts],
        savings=[PathSaving(f"{one.lever}=0", list(one.parts), one.path, one.saves) for one in savings],
        operations=[
            fill(PathRow, row, worker=session.workers[row.rank], off_path_ms=row.beside_ns / 1e6)
            for row in limited(path.rows, wanted.limit)
        ],
        total=len(path.rows),
        segments=None if wanted.step is None else _segments(session, path, place, wanted.step),
    )


def path_of(session: AnalysedSession, place: int) -> CriticalPath:
    """The path of a worker's steps, which the table sums up and the trace draws."""
    from stepscope.analyses.what_if.critical_path import critical_path

    def make() -> CriticalPath:
        return critical_path(session.profiles, [session.breakdown(each) for each in range(len(session.profiles))], place)

    return session.once(("path", place), make)


def _segments(session: AnalysedSession, path: CriticalPath, place: int, number: int) -> list[PathSegmentRow]:
    steps = session.breakdown(place).steps
    if not path.segments:
        raise BadInput(path.note, "no_path")
    numbers: list[int] = steps.number.tolist()
    if number not in numbers:
        raise BadInput(f"There is no step {number}; steps are {numbers[0]} to {numbers[-1]}.", "no_such_step")
    return _rows(session, path.segments[numbers.index(number)])


def _rows(session: AnalysedSession, segments: Sequence[PathSegment]) -> list[PathSegmentRow]:
    return [
        PathSegmentRow(
            name=each.name,
            part=each.part,
            worker=session.workers[each.rank],
            span=session.profiles[each.rank].row_in_file(each.row) if each.row >= 0 else None,
            start_us=each.start / 1e3,
            us=(each.end - each.start) / 1e3,
        )
        for each in segments
    ]


PATH = Part("path", "Critical path", PathWanted, CriticalPathAnswer, _make, table="operations", kept=True)
