"""docs/http-api.md and the OpenAPI document name the same routes and the same query parameters."""

from __future__ import annotations

import re
from pathlib import Path

from stepscope.dashboards import drawing
from stepscope.server.app import API, all_routes
from stepscope.server.openapi import openapi
from stepscope.session.all_parts import ALL_PARTS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "http-api.md").read_text()
HEADING = re.compile(rf"^## `(GET|POST|PUT|PATCH|DELETE) ({API}/[^`?]*)(?:\?([^`]*))?`", re.MULTILINE)
BESIDE_THE_TABLE = {("GET", f"{API}/live"), ("GET", f"{API}/openapi.json")}
"""Routes that the server answers without declaring a request type: a stream, and the document itself."""
PARTS = {("GET", f"{API}/profile/{{session}}/{part.id}") for part in ALL_PARTS}
"""Described by their own declarations in docs/profiles/answers.md."""


def described() -> dict[tuple[str, str], set[str]]:
    """Method and path of each heading, and the parameters that stand in it."""
    return {(method, path): set(re.findall(r"(\w+)=", parameters or "")) for method, path, parameters in HEADING.findall(PAGE)}


def declared() -> dict[tuple[str, str], set[str]]:
    """Method and path of each operation, and its query parameters."""
    return {
        (method.upper(), path): {parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "query"}
        for path, operations in openapi(all_routes(), API)["paths"].items()
        for method, operation in operations.items()
        if (method.upper(), path) not in PARTS
    }


def test_every_route_is_described_and_every_description_is_of_a_route() -> None:
    assert described().keys() - BESIDE_THE_TABLE == declared().keys() - BESIDE_THE_TABLE


def test_the_parts_are_described_as_one() -> None:
    assert f"GET {API}/profile/{{session}}/PART" in PAGE


def test_the_routes_beside_the_table_are_described() -> None:
    for _, path in BESIDE_THE_TABLE:
        assert path in PAGE


def test_every_query_parameter_is_named_on_the_page() -> None:
    sections = dict(zip(described(), HEADING.split(PAGE)[4::4], strict=True))
    for route, parameters in declared().items():
        text = " ".join(described()[route]) + sections[route]
        assert {name for name in parameters if not re.search(rf"\b{name}\b", text)} == set(), route


def test_how_soon_a_drawing_has_to_be_asked_for_again() -> None:
    assert {float(seconds) for seconds in re.findall(r"repeat the request within (\d+) s", PAGE)} == {drawing.LEASE}
