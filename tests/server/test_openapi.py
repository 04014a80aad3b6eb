"""The OpenAPI document describes what the server does: generated requests get only answers it declares."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, settings
from starlette.testclient import TestClient

from log_folder import LogFolder, decay
from stepscope.dashboards.context import Project
from stepscope.dashboards.frame import CONTENT_TYPE
from stepscope.ingest.loader import Root
from stepscope.server.app import Application, all_routes
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

_BASE = tempfile.TemporaryDirectory()


def _described() -> Any:
    """The served document of a server on a small folder, for schemathesis; made when the tests are collected."""
    base = Path(_BASE.name)
    folder = LogFolder(base)
    folder.write("a", {"loss": decay(500), "acc": [0.5, math.nan]})
    folder.write("a/loss_train", {"loss": [1.0]})
    folder.load()
    project = Project(Reads(folder.library), folder.loader, UserState(base / "data"), (Root("", str(base)),))
    # Over a stated limit the answer is 413, which schemathesis does not count as a refusal by itself.
    refusals = {"negative_data_rejection": {"expected-statuses": [400, 403, 404, 405, 413, 422]}}
    # Rules between fields (a range from low to high, an odd window) are not in the document.
    acceptances = {"positive_data_acceptance": {"expected-statuses": ["2xx", 400, 404, 413]}}
    config = schemathesis.Config.from_dict({"checks": refusals | acceptances})
    served = Application(project).asgi
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", served, config=config, headers={"host": "localhost"})


schema = _described()


@schema.parametrize()
@settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_generated_requests_get_declared_answers(case: Any) -> None:
    case.call_and_validate(headers={"host": "localhost"})


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
