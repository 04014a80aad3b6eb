"""The OpenAPI document describes every route, its headers and the live events."""

from __future__ import annotations

from starlette.testclient import TestClient

from stepscope.dashboards.frame import CONTENT_TYPE
from stepscope.server.app import all_routes


def test_the_document_lists_every_route(client: TestClient) -> None:
    document = client.get("/api/v1/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    listed = {(method.upper(), path) for path, operations in document["paths"].items() for method in operations}
    assert listed == {(route.method, "/api/v1" + route.path) for route in all_routes()}
    for operations in document["paths"].values():
        for operation in operations.values():
            assert operation["x-role"] in {"viewer", "editor"}
            assert operation["responses"]["400"]["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorAnswer")


def test_headers_of_frames_and_of_files_are_described(client: TestClient) -> None:
    document = client.get("/api/v1/openapi.json").json()
    curves = document["paths"]["/api/v1/scalars/series"]["post"]["responses"]["200"]["content"][CONTENT_TYPE]
    assert curves["x-frame-header"] == {"$ref": "#/components/schemas/CurvesHeader"}
    column = document["components"]["schemas"]["CurveColumns"]["properties"]["segment"]
    assert (column["$ref"], column["x-dtype"], column["x-unit"]) == ("#/components/schemas/ColumnPlace", "i32", "index")
    image = document["paths"]["/api/v1/images/image"]["get"]["responses"]["200"]["headers"]
    assert set(image) == {"x-logged-size", "x-samples"}
    assert image["x-samples"]["schema"]["type"] == "integer"


def test_live_events_are_described(client: TestClient) -> None:
    document = client.get("/api/v1/openapi.json").json()
    assert document["x-live-events"] == {"$ref": "#/components/schemas/LiveEvents"}
    events = document["components"]["schemas"]["LiveEvents"]["properties"]
    assert {name: event["$ref"].rsplit("/", 1)[-1] for name, event in events.items()} == {
        "hello": "Folder",
        "delta": "Delta",
        "jobs": "JobsAnswer",
        "ping": "NoFields",
    }
