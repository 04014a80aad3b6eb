"""The page's types follow from the document: questions, answers, frames and files of every route."""

from __future__ import annotations

import re

import pytest

import page_types
from page_types import typescript
from stepscope.server.app import all_routes

TYPES = page_types.page_types()


def members(name: str) -> dict[str, str]:
    """The members of one interface, with their types."""
    body = re.search(rf"^export interface {name} {{\n(.*?)^}}", TYPES, re.MULTILINE | re.DOTALL)
    assert body is not None, name
    return dict(re.findall(r"^  ([\w?]+): (.*);$", body[1], re.MULTILINE))


@pytest.mark.parametrize(
    ("schema", "asked", "written"),
    [
        ({"type": "integer"}, False, "number"),
        ({"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity"]}, {"type": "null"}]}, False, "number | 'NaN' | 'Infinity' | null"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/SeriesName"}}, True, "readonly SeriesName[]"),
        ({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}, True, "readonly (readonly string[])[]"),
        ({"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}], "items": False}, False, "[number, number]"),
        ({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}, False, "Record<string, string[]>"),
        ({"$ref": "#/components/schemas/ColumnPlace", "x-dtype": "i32"}, False, "ColumnPlace & { dtype: 'i32' }"),
    ],
)
def test_schemas_are_types(schema: page_types.Schema, asked: bool, written: str) -> None:
    assert typescript(schema, asked) == written


def test_questions_may_leave_out_what_has_a_default() -> None:
    asked = members("CurvesRequest")
    assert (asked["series"], asked["width?"]) == ("readonly SeriesName[]", "number")
    assert asked["x?"] == "'relative' | 'step' | 'tag' | 'wall'"
    assert {"display_name?", "hidden?"} < set(members("RunChanges"))


def test_answers_have_all_but_what_may_be_absent() -> None:
    assert members("Chart") == {"title": "string", "patterns": "string[]", "bands": "Band[]"}
    assert members("StepColumns") == {"step?": "ColumnPlace & { dtype: 'f64' }", "wall?": "ColumnPlace & { dtype: 'f64' }"}
    assert members("SeriesSteps")["columns"] == "StepColumns"


def test_every_route_is_typed_by_its_declaration() -> None:
    routes = dict(re.findall(r"^    '([^']+)': \{ asks: (.*) \};$", TYPES, re.MULTILINE))
    assert set(routes) == {route.path.lstrip("/") for route in all_routes()}
    assert routes["folder"] == "NoFields; json: Folder"
    assert routes["mesh/mesh"] == "SampleRequest; frame: MeshHeader"
    assert routes["images/image"] == "SampleRequest; file: 'x-logged-size' | 'x-samples'"
    assert routes["text/file"] == "ValueRequest; file: never"
    assert routes["profile/{session}/ops"] == "OpsWanted; json: Answered_Ops"
