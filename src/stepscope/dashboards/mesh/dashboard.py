"""The routes of meshes: which names and runs have them, at which steps, and one mesh as columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import UNSET, Struct
from msgspec.structs import replace

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.frame import FrameBuilder, Placed
from stepscope.dashboards.logged_values import (
    SampleRequest,
    SeriesSteps,
    StepsHeader,
    StepsRequest,
    TagsAnswer,
    check_series,
    step_columns,
    tags_of_kind,
)
from stepscope.dashboards.questions import FoldRequest
from stepscope.dashboards.route import Dashboard, Frame, FrameOf, Role, Route
from stepscope.model import declared as d
from stepscope.model.errors import NotThere, TooMuch
from stepscope.model.kinds import Kind
from stepscope.model.shared_columns import Notices
from stepscope.queries.meshes import VERTEX


class MeshColumns(Struct, frozen=True):
    """The mesh itself; without faces it is a point cloud."""

    vertices: Annotated[Placed, d.binary("f32", "Coordinates, three for each vertex.", "as logged")] = UNSET
    faces: Annotated[Placed, d.binary("i32", "Vertices of each face, three for each; empty for a point cloud.", "index")] = UNSET
    colours: Annotated[Placed, d.binary("u8", "Red, green and blue of each vertex, from 0 to 255; empty without colours.", "1")] = UNSET


class MeshHeader(Struct, frozen=True):
    """Header of the frame of one mesh, with what the log says about how to show it."""

    samples: Annotated[int, d.count("Number of meshes in the value.")]
    fov: Annotated[float | None, d.number("Field of view of the camera; null when not logged.", "°")]
    point_size: Annotated[float | None, d.as_logged("Size of a point; null when not logged.")]
    orthographic: Annotated[bool, d.flag("Whether the camera has no perspective.")]
    colour: Annotated[
        tuple[int, int, int] | None,
        d.unitless("Red, green and blue (0 to 255) where vertices have no colours; null when not logged."),
    ]
    wireframe: Annotated[bool, d.flag("Whether only edges are drawn.")]
    lit: Annotated[bool, d.flag("Whether light falls on the faces.")]
    notices: Notices
    columns: Annotated[MeshColumns, d.nested("Its columns.")]


def mesh_tags(context: RequestContext, request: FoldRequest, _: Mapping[str, str]) -> TagsAnswer:
    """Every mesh by the name that its parts share, and the runs that have it."""
    found = tags_of_kind(context, request, Kind.MESH)
    named = [replace(tag, name=tag.name.removesuffix(VERTEX)) for tag in found.tags if tag.name.endswith(VERTEX)]
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
            headers.append(SeriesSteps(name.run, name.tag))
            continue
        try:
            samples = reads.meshes.samples(series)
        except (NotThere, TooMuch):  # its place says why it cannot be read
            samples = 1
        headers.append(SeriesSteps(name.run, name.tag, samples, view.origin(name.run), step_columns(builder, series)))
    return Frame(builder.finish(StepsHeader(view.snapshot.epoch, headers)))


def mesh(context: RequestContext, request: SampleRequest, _: Mapping[str, str]) -> Frame:
    """One mesh, read from its log file now."""
    reads = context.reads
    found = reads.meshes.read(reads.views.view(request.fold), request.run, request.tag, request.step, request.wall, request.sample)
    builder = FrameBuilder()
    columns = builder.add(MeshColumns, {"vertices": found.vertices, "faces": found.faces, "colours": found.colours})
    header = d.fill(MeshHeader, found.camera, samples=found.samples, notices=list(found.notices), columns=columns)
    return Frame(builder.finish(header))


MESH = Dashboard(
    id="mesh",
    label="Meshes",
    kinds=frozenset({Kind.MESH}),
    routes=(
        Route("GET", "/mesh/tags", Role.VIEWER, "Meshes", mesh_tags, FoldRequest, TagsAnswer),
        Route("POST", "/mesh/steps", Role.VIEWER, "Every step of meshes", mesh_steps, StepsRequest, FrameOf(StepsHeader)),
        Route("GET", "/mesh/mesh", Role.VIEWER, "One mesh", mesh, SampleRequest, FrameOf(MeshHeader)),
    ),
)
