"""The OpenAPI document, made from the same routes and types that answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from stepscope import __version__
from stepscope.dashboards.delta import Delta
from stepscope.dashboards.route import Route
from stepscope.server.errors import ErrorAnswer

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
    types = {route.request for route in routes} | {ErrorAnswer, Delta}
    types |= {route.response for route in routes if _is_json(route)}
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
    }


def _operation(route: Route, schemas: dict[Any, dict[str, Any]], components: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.handler.__name__,
        "summary": route.summary,
        "description": (route.handler.__doc__ or "").strip(),
        "x-role": route.role.name.lower(),
        "parameters": _path_parameters(route.path),
        "responses": {"200": _success(route, schemas)} | _failures(schemas),
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


def _success(route: Route, schemas: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    if _is_json(route):
        return {"description": "Done", "content": {"application/json": {"schema": schemas[route.response]}}}
    kinds = route.response if isinstance(route.response, tuple) else ()
    return {"description": "Done", "content": {kind: {} for kind in kinds}}


def _is_json(route: Route) -> bool:
    """Whether the answer is a struct, which may be a generic one, and no file."""
    return route.response is not None and not isinstance(route.response, tuple)


def _failures(schemas: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    content = {"application/json": {"schema": schemas[ErrorAnswer]}}
    return {status: {"description": text, "content": content} for status, text in _ERRORS.items()}
