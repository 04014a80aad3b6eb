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


def typescript(schema: Schema) -> str:
    """A JSON schema as a TypeScript type."""
    if "$ref" in schema:
        return type_name(str(schema["$ref"]).rsplit("/", 1)[-1])
    if "enum" in schema:
        return " | ".join(_literal(value) for value in schema["enum"])
    if "const" in schema:
        return _literal(schema["const"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(typescript(each) for each in schema["anyOf"]))
    kind = schema.get("type")
    if kind == "array":
        return _array(schema)
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"Record<string, {typescript(inner)}>" if isinstance(inner, Mapping) else "Record<string, unknown>"
    return {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}.get(str(kind), "unknown")


def _array(schema: Schema) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(typescript(each) for each in schema['prefixItems'])}]"
    item = typescript(schema.get("items") or {})
    return f"({item})[]" if " | " in item else f"{item}[]"


def type_name(name: str) -> str:
    """A schema's name as TypeScript can have it; msgspec writes a generic one as `Answered_Ops_`."""
    return re.sub(r"\W", "_", name).strip("_")


def _literal(value: object) -> str:
    return "null" if value is None else f"'{value}'" if isinstance(value, str) else str(value).lower()


def _declaration(name: str, schema: Schema) -> Iterator[str]:
    yield from _comment(schema, "")
    if "properties" not in schema:
        yield f"export type {type_name(name)} = {typescript(schema)};"
        return
    required = set(schema.get("required", ()))
    yield f"export interface {type_name(name)} {{"
    for key, value in schema["properties"].items():
        yield from _comment(value, "  ")
        # What has a default may be left out of a question; answers always have it.
        yield f"  {key if _NAME.fullmatch(key) else repr(key)}{'' if key in required or not _asks(name) else '?'}: {typescript(value)};"
    yield "}"


def _asks(name: str) -> bool:
    return name.endswith(("Wanted", "Request"))


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

    schemas: dict[str, Schema] = openapi(all_routes(), "")["components"]["schemas"]
    lines = [_HEAD, ""]
    for name in sorted(schemas):
        lines += [*_declaration(name, schemas[name]), ""]
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
