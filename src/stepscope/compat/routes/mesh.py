"""TensorBoard's mesh plugin: vertices, faces and colours of every step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from stepscope._native import WIRE
from stepscope.compat.json_text import answer
from stepscope.compat.logged import Logged, listed
from stepscope.compat.route import Answer, Body, Question, plugin_route
from stepscope.compat.served import Served
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.protobuf_fields import BadMessage, fields, numbers
from stepscope.queries.blobs import BlobSeries
from stepscope.queries.meshes import MOST_NUMBERS
from stepscope.queries.tensor_arrays import tensor_array

PLUGIN = "mesh"
_CONTENT = {"VERTEX": (1, "<f4"), "FACE": (2, "<i4"), "COLOR": (3, "u1")}
"""The number of each kind of content, and how its numbers are sent."""


@dataclass(frozen=True, slots=True)
class Part:
    """What the writer said about one part of a mesh."""

    name: str
    content_type: int
    components: int
    config: str
    shape: list[int]


def part_of(content: bytes) -> Part:
    """The plugin's content; what is missing is empty."""
    known = WIRE["MeshPluginData"]
    name, config, content_type, components = "", "", 0, 0
    shape: list[int] = []
    try:
        for field in fields(content):
            if field.id == known["name"]:
                name = field.text
            elif field.id == known["json_config"]:
                config = field.text
            elif field.id == known["content_type"]:
                content_type = field.number
            elif field.id == known["components"]:
                components = field.number
            elif field.id == known["shape"]:
                shape += numbers(field)
    except BadMessage:
        pass  # what came before is good
    return Part(name, content_type, components, config, shape)


def _tags(served: Served, _: Question) -> Answer:
    found: dict[str, dict[str, dict[str, int]]] = {}
    for run, tags in listed(served, PLUGIN).items():
        parts = [part_of(one.content) for one in tags.values()]
        found[run] = {part.name: {"samples": part.shape[0] if part.shape else 0} for part in parts}
    return answer(found)


def _parts(served: Served, question: Question) -> Iterator[tuple[Part, BlobSeries]]:
    """The parts of a mesh with their steps; none when it is not there."""
    run, tag = question.run_and_tag()
    for one in _of_run(served, run):
        part = part_of(one.content)
        if part.name == tag:
            yield part, served.blobs.open(served.view(), one.run_id, one.name, one.kind)


def _of_run(served: Served, run: str) -> list[Logged]:
    return list(listed(served, PLUGIN, {run}).get(run, {}).values())


def _meshes(served: Served, question: Question) -> Answer:
    found: list[dict[str, Any]] = []
    for part, series in _parts(served, question):
        about = {
            "content_type": part.content_type,
            "components": part.components,
            "config": part.config,
            "data_shape": part.shape,
        }
        found += [
            {"wall_time": wall, "step": step, **about} for step, wall in zip(series.step.tolist(), series.wall.tolist(), strict=True)
        ]
    return answer(sorted(found, key=lambda one: one["step"]))


def _data(served: Served, question: Question) -> Answer:
    kind = _CONTENT.get(question.arg("content_type") or "")
    if kind is None:
        raise BadInput("The content type must be VERTEX, FACE or COLOR.", "bad_content_type")
    sample = question.whole("sample", 0)
    try:
        step = float(question.arg("step") or 0.0)
    except ValueError:
        raise BadInput("The query parameter step must be a number.", "bad_parameter") from None
    pieces = [
        _sample(served, series, place, sample, kind[1])
        for part, series in _parts(served, question)
        if part.content_type == kind[0]
        for place in np.flatnonzero(series.step == step).tolist()
    ]
    return Body(b"".join(pieces), "arraybuffer")


def _sample(served: Served, series: BlobSeries, place: int, sample: int, layout: str) -> bytes:
    data = served.blobs.read_value(series, place)
    try:
        tensor = next(field.data for field in fields(data) if field.id == WIRE["Value"]["tensor"])
        found = tensor_array(tensor, MOST_NUMBERS)
    except (BadMessage, StopIteration) as problem:
        raise NotThere("This value is not a mesh: its tensor cannot be read.", "bad_mesh") from problem
    if found.ndim == 0 or sample >= len(found):
        raise NotThere(f"This value has no mesh number {sample}.", "unknown_sample")
    limits = np.iinfo(layout) if layout != "<f4" else None
    numbers_of = found[sample] if limits is None else np.clip(np.nan_to_num(found[sample]), limits.min, limits.max)
    return numbers_of.astype(layout).tobytes()


ROUTES = (
    plugin_route(PLUGIN, "tags", "Meshes of every run, and how many each step has.", _tags),
    plugin_route(PLUGIN, "meshes", "Steps of the parts of a mesh.", _meshes),
    plugin_route(PLUGIN, "data", "Numbers of one part at one step as bytes.", _data),
)
