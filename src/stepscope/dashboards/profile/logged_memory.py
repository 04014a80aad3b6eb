"""Routes of memory that runs have logged, which needs no profile, and of the series that users mark as memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.route import Role, Route
from stepscope.model import declared as d
from stepscope.model.shared_columns import Epoch, RunKey, TagName
from stepscope.queries.memory_levels import check_marked, runs_of_memory
from stepscope.queries.memory_tags import UNITS, unit_of_mark
from stepscope.queries.names import path_text
from stepscope.session.logged_memory import LoggedMemory, logged_memory

_MOST_RUNS = 1_000


class LoggedMemoryRequest(Struct, frozen=True):
    """Which run."""

    run: Annotated[str, Meta(max_length=64, description="Id of a run; empty, or one without such series: the last to log memory.")] = ""


class LoggedRunRow(Struct, frozen=True):
    """A run that has logged memory."""

    id: RunKey
    name: Annotated[str, d.text("Name of the run.")]
    series: Annotated[int, d.count("Number of its series of memory.")]


class LoggedMemoryAnswer(LoggedMemory, frozen=True, kw_only=True):
    """The memory that one run has logged."""

    epoch: Epoch
    runs: Annotated[list[LoggedRunRow], d.nested("All runs that have logged memory; of very many the newest.")]
    run: Annotated[str | None, d.text("Id of the run that is answered; null when no run has logged memory.")]
    units: Annotated[list[str], d.nested("Units that a series can be marked with.")]


class MarkRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A series to mark as memory, or to unmark."""

    run: Annotated[str, Meta(max_length=64, description="Id of a run in the log folder.")]
    tag: TagName
    unit: Annotated[str | None, d.text("Its unit; empty: the one in its name; null: remove the mark.")]


class MarkRow(Struct, frozen=True):
    """A series that is marked as memory."""

    tag: TagName
    unit: Annotated[str, d.text("Its unit.")]


class MarksAnswer(Struct, frozen=True):
    """All marked series of the folder."""

    marks: Annotated[list[MarkRow], d.nested("The series.")]


def profile_logged_memory(context: RequestContext, request: LoggedMemoryRequest, _: Mapping[str, str]) -> LoggedMemoryAnswer:
    """What a run has logged about memory."""
    reads = context.reads
    marks = {root.name: context.notes.memory_marks(root.path) for root in context.roots}
    found = runs_of_memory(reads.views, reads.tags, marks)
    chosen = next((each.run for each in found if each.run.id == request.run), found[0].run if found else None)
    logged = logged_memory(reads.library, [], {}) if chosen is None else logged_memory(reads.library, [chosen], marks.get(chosen.root))
    return LoggedMemoryAnswer(
        sentence=logged.sentence,
        series=logged.series,
        advice=logged.advice,
        epoch=reads.library.snapshot.epoch,
        runs=[LoggedRunRow(str(each.run.id), path_text(each.run.name), each.series) for each in found[:_MOST_RUNS]],
        run=None if chosen is None else str(chosen.id),
        units=list(UNITS),
    )


def profile_mark_memory(context: RequestContext, request: MarkRequest, _: Mapping[str, str]) -> MarksAnswer:
    """Marks a series of a run's log folder as memory, or takes the mark away."""
    folder = context.root_path(context.reads.views.view(folded=False).run(request.run).record.root)
    if request.unit is not None:
        check_marked(context.reads.library, [request.tag])
    context.notes.mark_memory(folder, request.tag, None if request.unit is None else unit_of_mark(request.tag, request.unit))
    return MarksAnswer([MarkRow(tag, unit) for tag, unit in context.notes.memory_marks(folder).items()])


LOGGED_MEMORY_ROUTES = (
    Route(
        "GET",
        "/profile/memory/logged",
        Role.VIEWER,
        "Memory as runs have logged it",
        profile_logged_memory,
        LoggedMemoryRequest,
        LoggedMemoryAnswer,
    ),
    Route("PATCH", "/profile/memory/marks", Role.EDITOR, "Mark a series as memory", profile_mark_memory, MarkRequest, MarksAnswer),
)
