"""The OpenAPI document, made from the same routes and types that answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from stepscope import __version__
from stepscope.dashboards import frame
from stepscope.dashboards.live_events import LiveEvents
from stepscope.dashboards.route import FileOf, FrameOf, Route
from stepscope.server.errors import ErrorAnswer

HEADER = "x-frame-header"
"""Where a frame's content has the schema of its JSON header."""
ASKS = "x-asks"
"""Where an operation has the schema of all that it takes; a GET takes each of its properties in the query."""
LIVE = "x-live-events"
"""Where the document has the schema of all live events, by their names."""

_REFERENCE = "#/components/schemas/{name}"
_ERRORS = {
    "400": "The request is not valid",
    "403": "The request is not allowed",
    "404": "Not found",
    "405": "This address needs another method",
    "409": "The job was cancelled",
    "413": "The request is too large",
    "422": "An optional package is missing",
    "500": "Our mistake",
}


def openapi(routes: Iterable[Route], prefix: str) -> dict[str, Any]:
    """The document for routes that live below prefix."""
    routes = tuple(routes)
    types = {route.request for route in routes} | {ErrorAnswer, LiveEvents}
    types |= {_struct(route) for route in routes} - {None}
    ordered = sorted(types, key=str)
    schemas, components = msgspec.json.schema_components(ordered, ref_template=_REFERENCE)
    by_type = dict(zip(ordered, schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(prefix + route.path, {})[route.method.lower()] = _operation(route, by_type, components)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Stepscope", "version": __version__, "description": "The API of the page, for use in scripts."},
        "paths": paths,
        "components": {"schemas": components},
        LIVE: by_type[LiveEvents],
    }


def _operation(route: Route, schemas: dict[Any, dict[str, Any]], components: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.handler.__name__,
        "summary": route.summary,
        "description": (route.handler.__doc__ or "").strip(),
        "x-role": route.role.name.lower(),
        ASKS: schemas[route.request],
        "parameters": _path_parameters(route.path),
        "responses": {"200": _success(route, schemas, components)} | _failures(schemas),
    }
    own = components[route.request.__name__]
    if route.method == "GET":
        for name, schema in own.get("properties", {}).items():
            required = name in own.get("required", [])
            operation["parameters"].append({"name": name, "in": "query", "required": required, "schema": schema})
    elif own.get("properties"):
        content = {"application/json": {"schema": schemas[route.request]}}
        operation["requestBody"] = {"required": bool(own.get("required")), "content": content}
    return operation


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in re.findall(r"{(\w+)}", path)]


def _success(route: Route, schemas: dict[Any, dict[str, Any]], components: dict[str, Any]) -> dict[str, Any]:
    match route.response:
        case FrameOf(header):
            return {"description": "Done", "content": {frame.CONTENT_TYPE: {HEADER: schemas[header]}}}
        case FileOf(types, facts):
            said = components[facts.__name__].get("properties", {})
            headers = {name: {"description": schema["description"], "schema": schema} for name, schema in said.items()}
            return {"description": "Done", "headers": headers, "content": {kind: {} for kind in types}}
        case tuple() | None as types:
            return {"description": "Done", "content": {kind: {} for kind in types or ()}}
        case answer:
            return {"description": "Done", "content": {"application/json": {"schema": schemas[answer]}}}


def _struct(route: Route) -> Any:  # noqa: ANN401 - a struct, which may be a generic one
    """What the route declares of its answer: JSON, the header of a frame, or what is said about a file."""
    match route.response:
        case FrameOf(header):
            return header
        case FileOf(_, facts):
            return facts
        case tuple():
            return None
        case answer:
            return answer


def _failures(schemas: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    content = {"application/json": {"schema": schemas[ErrorAnswer]}}
    return {status: {"description": text, "content": content} for status, text in _ERRORS.items()}
