"""Meshes and point clouds: vertices, and perhaps faces and colours, each a tensor with a tag of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping

from stepscope.writer.arrays import take
from stepscope.writer.message import Message
from stepscope.writer.summary import Deferred, Moment, checked_tag, float_tensor, metadata_of, value_of

_PARTS = {"VERTEX": 1, "FACE": 2, "COLOR": 3}


def mesh_work(
    tag: object, vertices: object, faces: object, colors: object, config: Mapping[str, object] | None, moment: Moment
) -> Deferred:
    """The event of a mesh; every part has the shape batch × number × 3."""
    name = checked_tag(tag)
    given = zip(_PARTS, (vertices, faces, colors), strict=True)
    arrays = {part: take(array, f"the mesh's {part.lower()} array") for part, array in given if array is not None}
    if "VERTEX" not in arrays:
        raise TypeError("Give the mesh its vertices.")
    for part, array in arrays.items():
        if array.ndim != 3 or array.shape[2] != 3:
            raise ValueError(f"Give the mesh's {part.lower()} array the shape (batch, number, 3), not {array.shape}.")
    camera = "{}" if config is None else json.dumps(config, sort_keys=True)
    components = sum(1 << _PARTS[part] for part in arrays)

    def make() -> bytes:
        values: list[Message] = []
        for part, array in arrays.items():
            content = Message("MeshPluginData").text("name", name).integer("content_type", _PARTS[part]).text("json_config", camera)
            content.integers("shape", array.shape).integer("components", components)
            value = value_of(f"{name}_{part}").message("metadata", metadata_of("mesh", content))
            values.append(value.message("tensor", float_tensor(array)))
        return moment.event(*values)

    return Deferred(make, sum(array.nbytes for array in arrays.values()))
