"""The routes of meshes: which names and runs have them, at which steps, and one mesh as columns."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from stepscope.dashboards import frame
from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.frame import Column, FrameBuilder
from stepscope.dashboards.logged_values import (
    LoggedTagRow,
    SampleRequest,
    SeriesSteps,
    StepsHeader,
    StepsRequest,
    TagsAnswer,
    TagsRequest,
    check_series,
    tags_of_kind,
)
from stepscope.dashboards.route import Dashboard, Frame, Role, Route
from stepscope.model.errors import NotThere, TooMuch
from stepscope.model.kinds import Kind
from stepscope.queries.meshes import VERTEX


class MeshHeader(Struct, frozen=True):
    """The header of one mesh's frame; `fov` (degrees), `point_size` and `colour` are null where the log does not say."""

    samples: int
    fov: float | None
    point_size: float | None
    orthographic: bool
    colour: tuple[int, int, int] | None
    wireframe: bool
    lit: bool
    notices: list[str]
    columns: dict[str, Column]


def mesh_tags(context: RequestContext, request: TagsRequest, _: Mapping[str, str]) -> TagsAnswer:
    """Every mesh by the name that its parts share, and the runs that have it."""
    found = tags_of_kind(context, request, Kind.MESH)
    named = [LoggedTagRow(tag.name.removesuffix(VERTEX), tag.runs, tag.values) for tag in found.tags if tag.name.endswith(VERTEX)]
    return TagsAnswer(found.epoch, found.runs, named, sum(len(tag.runs) for tag in named))


def mesh_steps(context: RequestContext, request: StepsRequest, _: Mapping[str, str]) -> Frame:
    """Every step of the named meshes."""
    check_series(request)
    reads = context.reads
    view = reads.views.view(request.fold)
    builder = FrameBuilder()
    headers: list[SeriesSteps] = []
    for name in request.series:
        try:
            series = reads.meshes.open(view, name.run, name.tag)
        except NotThere:
            headers.append(SeriesSteps(name.run, name.tag, 0, 0.0, {}))
            continue
        try:
            samples = reads.meshes.samples(series)
        except (NotThere, TooMuch):  # its place says why it cannot be read
            samples = 1
        columns = builder.add({"step": series.step.astype(np.float64), "wall": series.wall})
        headers.append(SeriesSteps(name.run, name.tag, samples, view.origin(name.run), columns))
    return Frame(builder.finish(StepsHeader(view.snapshot.epoch, headers)))


def mesh(context: RequestContext, request: SampleRequest, _: Mapping[str, str]) -> Frame:
    """One mesh, read from its log file now."""
    reads = context.reads
    found = reads.meshes.read(reads.views.view(request.fold), request.run, request.tag, request.step, request.wall, request.sample)
    builder = FrameBuilder()
    columns = builder.add({"vertices": found.vertices, "faces": found.faces, "colours": found.colours})
    camera = found.camera
    header = MeshHeader(
        found.samples,
        camera.fov,
        camera.point_size,
        camera.orthographic,
        camera.colour,
        camera.wireframe,
        camera.lit,
        list(found.notices),
        columns,
    )
    return Frame(builder.finish(header))


MESH = Dashboard(
    id="mesh",
    label="Meshes",
    kinds=frozenset({Kind.MESH}),
    routes=(
        Route("GET", "/mesh/tags", Role.VIEWER, "Meshes", mesh_tags, TagsRequest, TagsAnswer),
        Route("POST", "/mesh/steps", Role.VIEWER, "Every step of meshes", mesh_steps, StepsRequest, (frame.CONTENT_TYPE,)),
        Route("GET", "/mesh/mesh", Role.VIEWER, "One mesh", mesh, SampleRequest, (frame.CONTENT_TYPE,)),
    ),
)
