"""The routes of images: which tags and runs have them, at which steps, and one image as a browser may show it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from stepscope.dashboards import frame
from stepscope.dashboards.context import FolderContext
from stepscope.dashboards.frame import FrameBuilder
from stepscope.dashboards.images import messages as m
from stepscope.dashboards.images.encoding import TYPES, check_image, content_type
from stepscope.dashboards.route import Dashboard, Frame, Media, Role, Route
from stepscope.model.errors import NotThere, TooMuch
from stepscope.model.kinds import Kind
from stepscope.queries.blobs import BlobReader, BlobSeries
from stepscope.queries.image_values import image_value


def image_tags(context: FolderContext, request: m.ImageTagsRequest, _: Mapping[str, str]) -> m.ImageTagsAnswer:
    """Every tag with images and the runs that have it; no file is opened for it."""
    view = context.reads.views.view(request.fold)
    tags, total = context.reads.blobs.list_tags(view, Kind.IMAGE)
    runs = [str(run.record.id) for run in view.runs]
    return m.ImageTagsAnswer(view.snapshot.epoch, runs, [m.ImageTag(tag.name, tag.runs, tag.values) for tag in tags], total)


def image_steps(context: FolderContext, request: m.ImageStepsRequest, _: Mapping[str, str]) -> Frame:
    """Every step of the named series; nothing is sampled."""
    reads = context.reads
    if len(request.series) > m.MAX_SERIES:
        raise TooMuch(f"At most {m.MAX_SERIES} series can be asked for at once; ask for fewer.", "too_many_series")
    view = reads.views.view(request.fold)
    builder = FrameBuilder()
    headers: list[m.ImageSteps] = []
    steps = 0
    for name in request.series:
        try:
            series = reads.blobs.open(view, name.run, name.tag, Kind.IMAGE)
        except NotThere:
            headers.append(m.ImageSteps(name.run, name.tag, 0, 0.0, {}))
            continue
        steps += len(series)
        if steps > m.MAX_STEPS:
            raise TooMuch(f"An answer holds at most {m.MAX_STEPS:,} steps; ask for fewer series at once.", "too_many_steps")
        columns = builder.add({"step": series.step.astype(np.float64), "wall": series.wall})
        headers.append(m.ImageSteps(name.run, name.tag, _samples(reads.blobs, series), view.origin(name.run), columns))
    return Frame(builder.finish(m.ImageStepsHeader(view.snapshot.epoch, headers)))


def image(context: FolderContext, request: m.ImageRequest, _: Mapping[str, str]) -> Media:
    """One image, read from its log file now; what is no image of a known type is answered as a file to save."""
    reads = context.reads
    series = reads.blobs.open(reads.views.view(request.fold), request.run, request.tag, Kind.IMAGE)
    value = image_value(reads.blobs.read(series, series.find(request.step, request.wall)))
    data = value.sample(request.sample)
    kind = content_type(data)
    check_image(data, kind)
    facts = {"x-logged-size": f"{value.width}x{value.height}", "x-samples": str(len(value.samples))}
    ending = kind.removeprefix("image/") if kind.startswith("image/") else "bin"
    return Media(data, kind, f"image.{ending}", request.wall is not None, facts)


def _samples(blobs: BlobReader, series: BlobSeries) -> int:
    """How many images the last value has; 1 when it cannot be read, so that its place says why."""
    try:
        return max(1, len(image_value(blobs.read(series, len(series) - 1)).samples))
    except (NotThere, TooMuch):
        return 1


IMAGES = Dashboard(
    id="images",
    label="Images",
    kinds=frozenset({Kind.IMAGE}),
    routes=(
        Route("GET", "/images/tags", Role.VIEWER, "Tags with images", image_tags, m.ImageTagsRequest, m.ImageTagsAnswer),
        Route("POST", "/images/steps", Role.VIEWER, "Every step of series", image_steps, m.ImageStepsRequest, (frame.CONTENT_TYPE,)),
        Route("GET", "/images/image", Role.VIEWER, "One image", image, m.ImageRequest, TYPES),
    ),
)
