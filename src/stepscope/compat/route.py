"""What a route of TensorBoard's API is made of: a path, the role it needs, a question and an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from stepscope.compat.served import Served
from stepscope.model.errors import BadInput
from stepscope.model.user import Role

JSON = "application/json"
CSV = "text/csv"
TEXT = "text/plain"
BYTES = "application/octet-stream"

MAX_REQUESTS = 1_000
"""Series that one question may ask for."""


@dataclass(frozen=True, slots=True)
class Question:
    """One request: names with all values given for each, from the query and from a form, and the body when it is no form."""

    args: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])
    form: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])
    body: bytes = b""
    is_post: bool = False

    def arg(self, name: str) -> str | None:
        """The first value in the query; None when it is not there."""
        values = self.args.get(name)
        return values[0] if values else None

    def needed(self, name: str) -> str:
        """The same. Raises BadInput when it is not there."""
        value = self.arg(name)
        if value is None:
            raise BadInput(f"The query parameter {name} is missing.", "missing_parameter")
        return value

    def run_and_tag(self) -> tuple[str, str]:
        """The series that is asked for. Raises BadInput."""
        return self.needed("run"), self.needed("tag")

    def whole(self, name: str, otherwise: int) -> int:
        """A number from 0 on. Raises BadInput when something else is given."""
        text = self.arg(name)
        if text is None:
            return otherwise
        if not (text.isascii() and text.isdecimal()) or len(text) > 18:
            raise BadInput(f"The query parameter {name} must be a whole number, 0 or more.", "bad_parameter")
        return int(text)


@dataclass(frozen=True, slots=True)
class Body:
    """An answer that is in memory."""

    data: bytes
    content_type: str = JSON


@dataclass(frozen=True, slots=True)
class Pieces:
    """An answer that is made while it is sent, whatever its length."""

    pieces: Iterator[bytes]
    content_type: str = JSON


Answer = Body | Pieces
Handler = Callable[[Served, Question], Answer]


@dataclass(frozen=True, slots=True)
class CompatRoute:
    """One route; its path begins with /data."""

    path: str
    summary: str
    handler: Handler
    post_only: bool = False
    role: Role = Role.VIEWER


def plugin_route(plugin: str, name: str, summary: str, handler: Handler, *, post_only: bool = False) -> CompatRoute:
    """A route of one of TensorBoard's plugins."""
    return CompatRoute(f"/data/plugin/{plugin}/{name}", summary, handler, post_only)
