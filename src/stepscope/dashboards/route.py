"""What a dashboard is made of: a tab, and routes, each with the role it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Literal

from msgspec import Struct

from stepscope.dashboards.context import FolderContext
from stepscope.model.kinds import Kind


class Role(IntEnum):
    """What a caller may do; a higher role may do all that a lower one may."""

    VIEWER = 1
    """Sees everything that is served."""
    EDITOR = 2
    """Also changes notes, names and colours, and asks for a reload."""


class NoFields(Struct, frozen=True):
    """The request of a route that takes nothing."""


@dataclass(frozen=True, slots=True)
class Frame:
    """An answer of binary columns."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Download:
    """An answer that is streamed as a file."""

    pieces: Iterator[bytes]
    content_type: str
    file_name: str


@dataclass(frozen=True, slots=True)
class Media:
    """Bytes from a log file as an answer; whatever they are, no browser runs them."""

    data: bytes
    content_type: str
    """One that cannot run: of images, or application/octet-stream, which browsers save under `file_name`."""
    file_name: str
    forever: bool = False
    """Whether the address always gives the same bytes."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


Answer = Struct | Frame | Download | Media
Handler = Callable[[FolderContext, Any, Mapping[str, str]], Answer]
"""Takes the folder's context, the decoded request, and the path's parameters."""


@dataclass(frozen=True, slots=True)
class Route:
    """One route. `request` is decoded from the query of a GET and from the JSON body otherwise."""

    method: Literal["GET", "POST", "PATCH"]
    path: str
    role: Role
    summary: str
    handler: Handler
    request: type[Struct] = NoFields
    response: type[Struct] | tuple[str, ...] | None = None
    """The answer's type, or the content types of an answer that is not JSON."""
    waits: bool = False
    """Whether the handler may wait long for something else; such handlers run one at a time, beside the reads."""


@dataclass(frozen=True, slots=True)
class Dashboard:
    """One tab: its place in the page, the kinds of series it shows (or that it shows profiles), and its routes."""

    id: str
    label: str
    kinds: frozenset[Kind]
    routes: tuple[Route, ...] = ()
    shows_profiles: bool = False
    has_own: Callable[[FolderContext], bool] | None = None
    """Whether it has something to show that no run logged, such as what was made on the page."""
