"""Writes the page's TypeScript types from the OpenAPI document, so that no answer is described twice.

They are types alone, which the build of the page drops: only checking needs them, so they are made before it and not kept in the
repository. `import type { Ops } from '$api'` finds them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "build" / "types" / "api.d.ts"

_HEAD = "// Made by tools/page_types.py from the routes' declarations; do not edit."
_NAME = re.compile(r"[A-Za-z_]\w*")

Schema = Mapping[str, Any]


def typescript(schema: Schema, asked: bool = False) -> str:
    """A JSON schema as a TypeScript type; what is asked may be given as lists that cannot be changed."""
    if "$ref" in schema:
        name = type_name(str(schema["$ref"]).rsplit("/", 1)[-1])
        return f"{name} & {{ dtype: '{schema['x-dtype']}' }}" if "x-dtype" in schema else name
    if "enum" in schema:
        return " | ".join(_literal(value) for value in schema["enum"])
    if "const" in schema:
        return _literal(schema["const"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(typescript(each, asked) for each in schema["anyOf"]))
    kind = schema.get("type")
    if kind == "array":
        return ("readonly " if asked else "") + _array(schema, asked)
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"Record<string, {typescript(inner, asked)}>" if isinstance(inner, Mapping) else "Record<string, unknown>"
    return {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}.get(str(kind), "unknown")


def _array(schema: Schema, asked: bool) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(typescript(each, asked) for each in schema['prefixItems'])}]"
    item = typescript(schema.get("items") or {}, asked)
    return f"({item})[]" if " " in item else f"{item}[]"


def type_name(name: str) -> str:
    """A schema's name as TypeScript can have it; msgspec writes a generic one as `Answered_Ops_`."""
    return re.sub(r"\W", "_", name).strip("_")


def _literal(value: object) -> str:
    return "null" if value is None else f"'{value}'" if isinstance(value, str) else str(value).lower()


def _declaration(name: str, schema: Schema, asked: bool) -> Iterator[str]:
    yield from _comment(schema, "")
    if "properties" not in schema:
        yield f"export type {type_name(name)} = {typescript(schema)};"
        return
    required = set(schema.get("required", ()))
    yield f"export interface {type_name(name)} {{"
    for key, value in schema["properties"].items():
        yield from _comment(value, "  ")
        # What has a default may be left out of a question. Answers always have it; what has none may be absent.
        optional = key not in required and (asked or "default" not in value)
        yield f"  {key if _NAME.fullmatch(key) else repr(key)}{'?' if optional else ''}: {typescript(value, asked)};"
    yield "}"


def _names_in(schema: object, schemas: Mapping[str, Schema], found: set[str]) -> None:
    """Adds the names of all schemas that one refers to, directly or not."""
    if isinstance(schema, Mapping):
        name = str(schema.get("$ref", "")).rsplit("/", 1)[-1]
        if name and name not in found:
            found.add(name)
            _names_in(schemas[name], schemas, found)
        for inner in schema.values():
            _names_in(inner, schemas, found)
    elif isinstance(schema, list):
        for inner in schema:
            _names_in(inner, schemas, found)


def _asked_only(document: Mapping[str, Any]) -> set[str]:
    """Schemas that are of questions alone."""
    from stepscope.server.openapi import ASKS, LIVE

    schemas = document["components"]["schemas"]
    asked: set[str] = set()
    answered: set[str] = set()
    for operations in document["paths"].values():
        for operation in operations.values():
            _names_in(operation[ASKS], schemas, asked)
            _names_in(operation["responses"], schemas, answered)
    _names_in(document[LIVE], schemas, answered)
    return asked - answered


def _routes(document: Mapping[str, Any]) -> Iterator[str]:
    """Every route by its method and path, so that nothing but the declared answer can be expected of it."""
    from stepscope.server.openapi import ASKS

    yield "/** What each route takes, and what it answers: JSON, a binary frame with a header, or a file with facts in HTTP headers. */"
    yield "export interface Routes {"
    for method in ("get", "post", "patch"):
        yield f"  {method.upper()}: {{"
        for path, operations in document["paths"].items():
            if method in operations:
                yield f"    '{path.lstrip('/')}': {{ asks: {typescript(operations[method][ASKS])}; {_answer(operations[method])} }};"
        yield "  };"
    yield "}"


def _answer(operation: Mapping[str, Any]) -> str:
    from stepscope.server.openapi import HEADER

    answer = operation["responses"]["200"]
    content = answer["content"]
    for kind in content.values():
        if HEADER in kind:
            return f"frame: {typescript(kind[HEADER])}"
        if "schema" in kind:
            return f"json: {typescript(kind['schema'])}"
    facts = " | ".join(f"'{name}'" for name in answer.get("headers", {}))
    return f"file: {facts or 'never'}"


def _comment(schema: Schema, indent: str) -> Iterator[str]:
    if text := str(schema.get("description", "")).strip():
        unit = f" [{schema['x-unit']}]" if "x-unit" in schema else ""
        first = " ".join(text.split()).replace("*/", "* /")
        yield f"{indent}/** {first}{unit} */"


def page_types() -> str:
    """The whole file."""
    from stepscope.server.app import all_routes
    from stepscope.server.openapi import openapi
    from stepscope.session.all_parts import ALL_PARTS

    document = openapi(all_routes(), "")
    schemas: dict[str, Schema] = document["components"]["schemas"]
    asked = _asked_only(document)
    lines = [_HEAD, ""]
    for name in sorted(schemas):
        lines += [*_declaration(name, schemas[name], name in asked), ""]
    lines += [*_routes(document), ""]
    lines += ["/** What each part of a session takes and answers. */", "export interface Parts {"]
    lines += [f"  {part.id}: {{ wanted: {part.wanted.__name__}; answer: {part.answer.__name__} }};" for part in ALL_PARTS]
    return "\n".join([*lines, "}", ""])


def write() -> None:
    """Writes the file when it differs, so that a check which looks at times has nothing to do."""
    text = page_types()
    if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
        TARGET.parent.mkdir(parents=True, exist_ok=True)
        TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    write()
