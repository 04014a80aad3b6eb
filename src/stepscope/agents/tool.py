"""What a tool is: a name, what it does, declared arguments, and a bounded answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import Struct

from stepscope.model.errors import TooMuch
from stepscope.session.reads import Reads

LONGEST = 120_000
"""Characters of an answer: what an agent can still read."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `answer` gives plain values."""

    name: str
    meaning: str
    arguments: type[Struct]
    answer: Callable[[Reads, Any], object]

    def described(self) -> dict[str, Any]:
        """As the protocol lists it."""
        schema = msgspec.json.schema(self.arguments, ref_template="#/$defs/{name}")
        inner: dict[str, Any] = schema["$defs"][self.arguments.__name__]
        fields = {key: inner[key] for key in ("type", "properties", "required") if key in inner}
        return {
            "name": self.name,
            "description": self.meaning,
            "inputSchema": {**fields, "additionalProperties": False},
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
        }

    def call(self, reads: Reads, given: object) -> str:
        """The answer as JSON. Raises msgspec.ValidationError, TooMuch, or what the answer raises."""
        text = msgspec.json.encode(self.answer(reads, msgspec.convert(given, self.arguments))).decode()
        if len(text) > LONGEST:
            raise TooMuch(
                f"The answer has {len(text):,} characters; at most {LONGEST:,} are sent. Ask for fewer rows.", "answer_too_long"
            )
        return text
