"""Bytes of single messages and numbers: `message`, `scalar`, `tensor`, `mesh` and `layout`, written out by hand."""

from __future__ import annotations

import json
import math
import struct

import numpy as np
import pytest

from event_bytes import integer, message
from stepscope._native import WIRE
from stepscope.model.protobuf_fields import fields
from stepscope.queries.tensor_arrays import tensor_array
from stepscope.writer.layout import layout_work
from stepscope.writer.mesh import mesh_work
from stepscope.writer.message import Message, utf8
from stepscope.writer.scalar import HIGHEST_STEP, as_float, as_step, as_time, scalar_entry
from stepscope.writer.summary import moment_of
from stepscope.writer.tensor import tensor_maker

IMAGE = WIRE["Image"]


def test_fields_are_written_by_their_numbers() -> None:
    made = Message("Image").integer("height", 300).data("encoded_image_string", b"png").encoded()
    assert made == integer(IMAGE["height"], 300) + message(IMAGE["encoded_image_string"], b"png")


def test_what_is_nothing_is_left_out_unless_it_is_a_choice() -> None:
    empty = Message("Image").integer("height", 0).data("encoded_image_string", b"")
    assert empty.encoded() == b""
    assert Message("Image").integer("height", 0, always=True).encoded() == integer(IMAGE["height"], 0)
    (inside,) = fields(Message("Summary").message("value", Message("Value")).encoded())
    assert inside.data == b"", "a message is written also when it is empty"


def test_negative_numbers_and_lone_surrogates() -> None:
    assert Message("Image").integer("height", -1).encoded() == integer(IMAGE["height"], -1)
    assert utf8("a\udcff") == b"a\\udcff"


class Held:
    """A number of some framework."""

    def item(self) -> float:
        return 2.5


@pytest.mark.parametrize(("given", "number"), [(1, 1.0), (True, 1.0), (np.float32(0.5), 0.5), (np.array([[3]]), 3.0), (Held(), 2.5)])
def test_numbers_of_any_kind(given: object, number: float) -> None:
    assert as_float(given) == number


@pytest.mark.parametrize("given", ["1", b"1", None, [1.0], np.array([1.0, 2.0]), object()])
def test_what_is_no_number_is_refused_at_the_call(given: object) -> None:
    with pytest.raises(TypeError):
        as_float(given)


def test_steps_and_times() -> None:
    assert [as_step(step) for step in (None, 7, np.int64(8), 9.9, HIGHEST_STEP)] == [0, 7, 8, 9, HIGHEST_STEP]
    with pytest.raises(ValueError, match="64"):
        as_step(HIGHEST_STEP + 1)
    for wrong in ("seven", math.nan, math.inf, []):
        with pytest.raises(TypeError):
            as_step(wrong)
    assert as_time(12) == 12.0
    with pytest.raises(TypeError):
        as_time("noon")


def test_an_entry_has_its_form_only_where_it_is_asked_for() -> None:
    assert scalar_entry("loss", 1, 2, 3.0, None) == (b"loss", 2, 3.0, 1.0)
    assert scalar_entry("\udcff", 1, None, 3.0, 2) == (b"\\udcff", 0, 3.0, 1.0, 2)
    with pytest.raises(TypeError):
        scalar_entry(7, 1, 2, 3.0, None)


@pytest.mark.parametrize("kind", ["float32", "float64", "int32", "int64", "uint8"])
def test_tensors_are_read_back_as_they_were(kind: str) -> None:
    array = np.arange(6, dtype=kind).reshape(2, 3)
    make, held = tensor_maker(array)
    assert (tensor_array(make().encoded(), most=6).tolist(), held) == (array.tolist(), array.nbytes)


def test_tensors_without_a_type_in_event_files_are_refused() -> None:
    with pytest.raises(TypeError):
        tensor_maker(np.array(["a"]))
    with pytest.raises(TypeError):
        tensor_maker(np.zeros(2, np.complex64))


def values_of(event: bytes) -> list[dict[int, bytes]]:
    """The fields of every summary value of an event."""
    (summary,) = [part.data for part in fields(event) if part.id == WIRE["Event"]["summary"]]
    return [{part.id: part.data for part in fields(value.data)} for value in fields(summary)]


def test_a_mesh_has_a_value_for_each_of_its_parts() -> None:
    made = mesh_work("m", np.zeros((1, 4, 3)), None, np.ones((1, 4, 3)), {"camera": 1}, moment_of(5, 1.0)).make()
    assert made is not None
    values = values_of(made)
    tags = [value[WIRE["Value"]["tag"]] for value in values]
    assert tags == [b"m_VERTEX", b"m_COLOR"]
    assert all(json.dumps({"camera": 1}).encode() in value[WIRE["Value"]["metadata"]] for value in values)
    with pytest.raises(ValueError, match="shape"):
        mesh_work("m", np.zeros((4, 3)), None, None, None, moment_of(5, 1.0))
    with pytest.raises(TypeError):
        mesh_work("m", None, None, None, None, moment_of(5, 1.0))


@pytest.mark.parametrize(
    "chart", [["Multiline"], ["Lines", ["a"]], ["Margin", ["a", "b"]], ["Multiline", "ab"]], ids=["no tags", "kind", "margins", "text"]
)
def test_a_layout_that_no_dashboard_reads_is_refused(chart: list[object]) -> None:
    with pytest.raises(ValueError, match="chart"):
        layout_work({"losses": {"train": chart}}, moment_of(0, 1.0))  # type: ignore[dict-item]


def test_a_layout_names_its_categories_charts_and_tags() -> None:
    made = layout_work(
        {"losses": {"all": ["Multiline", ["loss/.*"]], "range": ["Margin", ["v", "low", "high"]]}}, moment_of(0, 1.0)
    ).make()
    assert made is not None
    (value,) = values_of(made)
    tensor = value[WIRE["Value"]["tensor"]]
    assert all(text in tensor for text in (b"losses", b"all", b"loss/.*", b"range", b"low", b"high"))
    assert struct.pack("<d", 1.0) in made
