"""Meshes and point clouds out of summary values: vertices, and faces and colours logged with them, checked before they are drawn."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from stepscope._native import WIRE
from stepscope.model.errors import NotThere
from stepscope.model.kinds import Kind
from stepscope.model.protobuf_fields import BadMessage, fields
from stepscope.queries.blobs import BlobReader, BlobSeries
from stepscope.queries.tensor_arrays import tensor_array
from stepscope.queries.view import View

VERTEX, FACE, COLOUR = "_VERTEX", "_FACE", "_COLOR"
MOST_NUMBERS = 30_000_000
_LONGEST_CONFIG = 64 << 10
_AXES = 3
_FOV = (1.0, 170.0)
_POINT_SIZE = (0.0001, 1000.0)
_HEX = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class Camera:
    """What the log says of how to look at it; None where it says nothing that makes sense."""

    fov: float | None = None  # degrees
    point_size: float | None = None
    orthographic: bool = False
    colour: tuple[int, int, int] | None = None  # of what has no colours of its own
    wireframe: bool = False
    lit: bool = True  # False for materials that no light falls on


@dataclass(frozen=True, slots=True)
class Mesh:
    """One sample; `faces` is empty for a point cloud and `colours` when there are none. All are flat, three numbers an entry."""

    vertices: NDArray[np.float32]
    faces: NDArray[np.int32]
    colours: NDArray[np.uint8]
    samples: int
    camera: Camera
    notices: tuple[str, ...]


class MeshReader:
    """Reads meshes by the name that their parts share."""

    def __init__(self, blobs: BlobReader) -> None:
        self._blobs = blobs

    def open(self, view: View, run: str, name: str) -> BlobSeries:
        """The steps of a mesh: those of its vertices. Raises NotThere."""
        return self._blobs.open(view, run, name + VERTEX, Kind.MESH)

    def samples(self, series: BlobSeries) -> int:
        """How many meshes the last value has; 1 when its shape is that of no mesh. Raises NotThere."""
        outline = self._blobs.outline(series, len(series) - 1)
        shape = outline.shape
        # A number takes at least a byte, so that a shape cannot claim more than is there.
        is_mesh = len(shape) == _AXES and shape[2] == _AXES and min(shape) >= 0 and math.prod(shape) <= outline.length
        return shape[0] if is_mesh else 1

    def read(self, view: View, run: str, name: str, step: float, wall: float | None, sample: int) -> Mesh:
        """One mesh. Raises NotThere when there is none or its vertices cannot be drawn."""
        series = self.open(view, run, name)
        place = series.find(step, wall)
        vertices = self._array(series, place)
        if sample >= len(vertices):
            raise NotThere(f"This value has {len(vertices)} meshes; number {sample} does not exist.", "unknown_sample")
        notices: list[str] = []
        mine = vertices[sample].astype(np.float32)
        bad = ~np.isfinite(mine).all(axis=1)
        if bad.any():
            notices.append(f"{int(bad.sum()):,} vertices are not finite and are left out.")
        colours = self._colours(view, run, name, step, sample, mine, notices)
        faces = self._faces(view, run, name, step, sample, bad, notices)
        if bad.any() and not len(faces):
            mine, colours = mine[~bad], colours[~bad] if len(colours) else colours
        mine[~np.isfinite(mine)] = 0
        return Mesh(mine.ravel(), faces.ravel(), colours.ravel(), len(vertices), self._camera(series), tuple(notices))

    def _faces(
        self, view: View, run: str, name: str, step: float, sample: int, bad: NDArray[np.bool_], notices: list[str]
    ) -> NDArray[np.int32]:
        found = self._part(view, run, name + FACE, step, sample, notices)
        if found is None:
            return np.zeros((0, _AXES), np.int32)
        inside = ((found >= 0) & (found < len(bad))).all(axis=1) if len(found) else np.zeros(0, np.bool_)
        if not inside.all():
            notices.append(f"{int((~inside).sum()):,} faces refer to vertices that do not exist and are left out.")
        kept = found[inside].astype(np.int32)
        return kept[~bad[kept].any(axis=1)] if bad.any() else kept

    def _colours(
        self, view: View, run: str, name: str, step: float, sample: int, vertices: NDArray[np.float32], notices: list[str]
    ) -> NDArray[np.uint8]:
        found = self._part(view, run, name + COLOUR, step, sample, notices)
        if found is None:
            return np.zeros((0, _AXES), np.uint8)
        if len(found) != len(vertices):
            notices.append(f"There are {len(found):,} colours for {len(vertices):,} vertices, so colours are not used.")
            return np.zeros((0, _AXES), np.uint8)
        return np.clip(np.nan_to_num(found), 0, 255).astype(np.uint8)

    def _part(self, view: View, run: str, tag: str, step: float, sample: int, notices: list[str]) -> NDArray[Any] | None:
        """Faces or colours at the step of the vertices; none when they were not logged or cannot be read, which is then noticed."""
        try:
            series = self._blobs.open(view, run, tag, Kind.MESH)
            found = self._array(series, series.find(step, None))
        except NotThere as problem:
            if problem.code not in ("unknown_tag", "unknown_step"):
                notices.append(str(problem))
            return None
        return found[sample] if sample < len(found) else None

    def _array(self, series: BlobSeries, place: int) -> NDArray[Any]:
        value = WIRE["Value"]
        data = self._blobs.read_value(series, place)
        try:
            tensor = next(field.data for field in fields(data) if field.id == value["tensor"])
            found = tensor_array(tensor, MOST_NUMBERS)
        except (BadMessage, StopIteration) as problem:
            raise NotThere("This value is not a mesh: its tensor cannot be read.", "bad_mesh") from problem
        if found.ndim != _AXES or found.shape[2] != _AXES:
            raise NotThere(f"This value is not a mesh: its shape is {found.shape}, not (number, points, 3).", "bad_mesh")
        return found

    def _camera(self, series: BlobSeries) -> Camera:
        """What the first value says; writers say it once."""
        try:
            return _camera_of(_config(self._blobs.read_value(series, 0)))
        except (NotThere, BadMessage, ValueError, RecursionError):
            return Camera()


def _config(data: bytes) -> dict[str, Any]:
    value, about, plugin, mesh = WIRE["Value"], WIRE["SummaryMetadata"], WIRE["PluginData"], WIRE["MeshPluginData"]
    path = (value["metadata"], about["plugin_data"], plugin["content"], mesh["json_config"])
    for wanted in path:
        data = next((field.data for field in fields(data) if field.id == wanted), b"")
    if not data or len(data) > _LONGEST_CONFIG:
        return {}
    found = json.loads(data)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _camera_of(config: dict[str, Any]) -> Camera:
    camera, material = _part(config, "camera"), _part(config, "material")
    return Camera(
        fov=_number(camera, "fov", _FOV),
        point_size=_number(material, "size", _POINT_SIZE),
        orthographic=camera.get("cls") == "OrthographicCamera",
        colour=_colour(material.get("color")),
        wireframe=material.get("wireframe") is True,
        lit=material.get("cls") != "MeshBasicMaterial",
    )


def _part(config: dict[str, Any], name: str) -> dict[str, Any]:
    found = config.get(name)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _colour(found: object) -> tuple[int, int, int] | None:
    """As three.js takes it: a number of three bytes, or `#rrggbb`."""
    if isinstance(found, str) and _HEX.fullmatch(found):
        found = int(found[1:], 16)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < 1 << 24:
        return None
    return found >> 16, found >> 8 & 255, found & 255


def _number(holder: dict[str, Any], key: str, limits: tuple[float, float]) -> float | None:
    found = holder.get(key)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if limits[0] <= found <= limits[1] else None
