"""What dashboards of images, sound and text share: which tags and runs have a kind of value, at which steps, and naming one value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.frame import Column, FrameBuilder
from stepscope.dashboards.route import Frame
from stepscope.model.errors import NotThere, TooMuch
from stepscope.model.kinds import Kind
from stepscope.queries.blobs import BlobSeries, Payload

MAX_SERIES = 500
MAX_STEPS = 4_000_000
"""Steps over all series of one answer."""

RunText = Annotated[str, Meta(max_length=64)]
TagText = Annotated[str, Meta(max_length=10_000)]
_LIMITED: dict[str, Any] = {"maxItems": MAX_SERIES}


class TagsRequest(Struct, frozen=True):
    """Whether torch's sub-folders are shown inside their parent."""

    fold: bool = True


class LoggedTagRow(Struct, frozen=True):
    """A tag: places in the answer's list of runs, and how many steps each of those runs has."""

    name: str
    runs: list[int]
    values: list[int]


class TagsAnswer(Struct, frozen=True):
    """Every tag with values of the kind; `total` counts series, also those that are not listed."""

    epoch: int
    runs: list[str]
    tags: list[LoggedTagRow]
    total: int


class SeriesName(Struct, frozen=True, forbid_unknown_fields=True):
    """A run's id and a tag's name."""

    run: RunText
    tag: TagText


class StepsRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which series."""

    series: Annotated[list[SeriesName], Meta(extra_json_schema=_LIMITED)]
    fold: bool = True


class SeriesSteps(Struct, frozen=True):
    """One series in the frame's header. `samples` is of its last value, `origin` is where relative time begins."""

    run: str
    tag: str
    samples: int
    origin: float
    columns: dict[str, Column]


class StepsHeader(Struct, frozen=True):
    """The frame's header."""

    epoch: int
    series: list[SeriesSteps]


class ValueRequest(Struct, frozen=True):
    """One value: at a step, logged at a wall time (none: the last at that step)."""

    run: RunText
    tag: TagText
    step: float
    wall: float | None = None
    fold: bool = True


class SampleRequest(ValueRequest, frozen=True):
    """One of the samples of a value."""

    sample: Annotated[int, Meta(ge=0, le=1_000_000)] = 0


def tags_of_kind(context: RequestContext, request: TagsRequest, kind: Kind) -> TagsAnswer:
    """Every tag with such values and the runs that have it; no file is opened for it."""
    view = context.reads.views.view(request.fold)
    tags, total = context.reads.blobs.list_tags(view, kind)
    runs = [str(run.record.id) for run in view.runs]
    return TagsAnswer(view.snapshot.epoch, runs, [LoggedTagRow(tag.name, tag.runs, tag.values) for tag in tags], total)


def steps_of_series(context: RequestContext, request: StepsRequest, kind: Kind, samples: Callable[[Payload], int]) -> Frame:
    """Every step of the named series; nothing is sampled. `samples` counts what one value holds."""
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
            headers.append(SeriesSteps(name.run, name.tag, 0, 0.0, {}))
            continue
        steps += len(series)
        if steps > MAX_STEPS:
            raise TooMuch(f"A response can have at most {MAX_STEPS:,} steps; ask for fewer series at once.", "too_many_steps")
        columns = builder.add({"step": series.step.astype(np.float64), "wall": series.wall})
        headers.append(SeriesSteps(name.run, name.tag, _samples(context, series, samples), view.origin(name.run), columns))
    return Frame(builder.finish(StepsHeader(view.snapshot.epoch, headers)))


def check_series(request: StepsRequest) -> None:
    """Raises TooMuch for more series than one answer may have."""
    if len(request.series) > MAX_SERIES:
        raise TooMuch(f"At most {MAX_SERIES} series can be asked for at once; ask for fewer.", "too_many_series")


def read_payload(context: RequestContext, request: ValueRequest, kind: Kind) -> Payload:
    """What the named value carries, read from its log file now. Raises NotThere or TooMuch."""
    reads = context.reads
    series = reads.blobs.open(reads.views.view(request.fold), request.run, request.tag, kind)
    return reads.blobs.read(series, series.find(request.step, request.wall))


def _samples(context: RequestContext, series: BlobSeries, samples: Callable[[Payload], int]) -> int:
    """How many the last value has; 1 when it cannot be read, so that its place says why."""
    try:
        return max(1, samples(context.reads.blobs.read(series, len(series) - 1)))
    except (NotThere, TooMuch):
        return 1
