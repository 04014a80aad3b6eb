"""What dashboards of images, sound and text share: which tags and runs have a kind of value, at which steps, and naming one value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
from msgspec import UNSET, Meta, Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.frame import FrameBuilder, Placed
from stepscope.dashboards.questions import Fold, FoldRequest, RunText, SeriesName, TagText, most
from stepscope.dashboards.route import Frame
from stepscope.model import declared as d
from stepscope.model.errors import NotThere, TooMuch
from stepscope.model.kinds import Kind
from stepscope.model.shared_columns import Epoch, RunKey, TagName
from stepscope.queries.blobs import BlobSeries, LoggedTagRow, Outline, Payload

MAX_SERIES = 500
MAX_STEPS = 4_000_000
"""Steps over all series of one answer."""


class TagsAnswer(Struct, frozen=True):
    """Every tag with values of the kind."""

    epoch: Epoch
    runs: Annotated[list[str], d.nested("Ids of all runs.")]
    tags: Annotated[list[LoggedTagRow], d.nested("The tags by name; at most 200,000 series are listed.")]
    total: Annotated[int, d.count("Number of series, also of those that are not listed.")]


class StepsRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which series."""

    series: Annotated[list[SeriesName], most(MAX_SERIES), d.nested("The series; at most 500.")]
    fold: Fold = True


class StepColumns(Struct, frozen=True):
    """One entry for each step; of several values at one step the last counts."""

    step: Annotated[Placed, d.binary("f64", "Step of each value.", "step")] = UNSET
    wall: Annotated[Placed, d.binary("f64", "Wall time of each value.", "s since 1970")] = UNSET


class SeriesSteps(Struct, frozen=True):
    """One series; one that does not exist has no columns."""

    run: RunKey
    tag: TagName
    samples: Annotated[int, d.count("Samples in its last value; 0 when the series does not exist.")] = 0
    origin: Annotated[float, d.wall_time("Where relative time starts.")] = 0.0
    columns: Annotated[StepColumns, d.nested("Its columns.")] = StepColumns()


class StepsHeader(Struct, frozen=True):
    """Header of a frame of steps."""

    epoch: Epoch
    series: Annotated[list[SeriesSteps], d.nested("The series in the order asked for.")]


class ValueRequest(Struct, frozen=True):
    """One value."""

    run: RunText
    tag: TagText
    step: Annotated[float, d.step("Step of the value.")]
    wall: Annotated[float | None, d.wall_time("Wall time of the value, as in the steps; null: the last value at that step.")] = None
    fold: Fold = True


class SampleRequest(ValueRequest, frozen=True):
    """One of the samples of a value."""

    sample: Annotated[int, Meta(ge=0, le=1_000_000), d.number("Which sample of the value, counted from 0.", "index")] = 0


def tags_of_kind(context: RequestContext, request: FoldRequest, kind: Kind) -> TagsAnswer:
    """Every tag with such values and the runs that have it; no file is opened for it."""
    view = context.reads.views.view(request.fold)
    tags, total = context.reads.blobs.list_tags(view, kind)
    runs = [str(run.record.id) for run in view.runs]
    return TagsAnswer(view.snapshot.epoch, runs, tags, total)


def steps_of_series(
    context: RequestContext, request: StepsRequest, kind: Kind, samples: Callable[[Outline], int] | None = None
) -> Frame:
    """Every step of the named series; nothing is sampled. `samples` counts what one value has; without it every value has one."""
    check_series(request)
    reads = context.reads
    view = reads.views.view(request.fold)
    builder = FrameBuilder()
    headers: list[SeriesSteps] = []
    steps = 0
    for name in request.series:
        try:
            series = reads.blobs.open(view, name.run, name.tag, kind)
        except NotThere:
            headers.append(SeriesSteps(name.run, name.tag))
            continue
        steps += len(series)
        if steps > MAX_STEPS:
            raise TooMuch(f"A response can have at most {MAX_STEPS:,} steps; ask for fewer series at once.", "too_many_steps")
        count = 1 if samples is None else _samples(context, series, samples)
        headers.append(SeriesSteps(name.run, name.tag, count, view.origin(name.run), step_columns(builder, series)))
    return Frame(builder.finish(StepsHeader(view.snapshot.epoch, headers)))


def step_columns(builder: FrameBuilder, series: BlobSeries) -> StepColumns:
    """Puts the steps of a series into the frame."""
    return builder.add(StepColumns, {"step": series.step.astype(np.float64), "wall": series.wall})


def check_series(request: StepsRequest) -> None:
    """Raises TooMuch for more series than one answer may have."""
    if len(request.series) > MAX_SERIES:
        raise TooMuch(f"At most {MAX_SERIES} series can be requested at once; request fewer.", "too_many_series")


def read_payload(context: RequestContext, request: ValueRequest, kind: Kind) -> Payload:
    """What the named value carries, read from its log file now. Raises NotThere or TooMuch."""
    reads = context.reads
    series = reads.blobs.open(reads.views.view(request.fold), request.run, request.tag, kind)
    return reads.blobs.read(series, series.find(request.step, request.wall))


def _samples(context: RequestContext, series: BlobSeries, samples: Callable[[Outline], int]) -> int:
    """How many the last value has; 1 when it cannot be read, so that its place says why."""
    try:
        return max(1, samples(context.reads.blobs.outline(series, len(series) - 1)))
    except (NotThere, TooMuch):
        return 1
