"""What a dashboard is made of: a tab, and routes, each with the role it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from msgspec import Struct

from stepscope.dashboards.context import RequestContext
from stepscope.jobs.job import Job
from stepscope.model.kinds import Kind
from stepscope.model.user import Role


class NoFields(Struct, frozen=True):
    """The request of a route that takes nothing."""


@dataclass(frozen=True, slots=True)
class Frame:
    """An answer of binary columns."""

    data: bytes
    tile: bool = False
    """Whether it is one of many pieces of a picture that is panned: the browser keeps it and asks whether it changed, and no cache of
    results on the server does (work for it is submitted with `keep=False`), where tiles would push everything else out."""
    forever: bool = False
    """Of a tile: whether its address always gives the same bytes, so that the browser need not ask."""


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
    facts: Struct = field(default_factory=NoFields)
    """What is said about the bytes in the answer's headers, by their names; the route declares it."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An answer that waits for a job, at most some seconds, and takes no thread for that."""

    job: Job[Any]
    seconds: float
    answer: Callable[[], Struct | Frame | Download | Media]
    """Called when the job has finished or the time is over."""


Answer = Struct | Frame | Download | Media | Waiting
Handler = Callable[[RequestContext, Any, Mapping[str, str]], Answer]
"""Takes the request's context, the decoded request, and the path's parameters."""


@dataclass(frozen=True, slots=True)
class FrameOf:
    """The declaration of an answer of binary columns: what the header of the frame is."""

    header: type[Struct]


@dataclass(frozen=True, slots=True)
class FileOf:
    """The declaration of an answer of bytes: their content types, and what the answer's HTTP headers say about them."""

    types: tuple[str, ...]
    facts: type[Struct] = NoFields


@dataclass(frozen=True, slots=True)
class Route:
    """One route. `request` is decoded from the query of a GET and from the JSON body otherwise."""

    method: Literal["GET", "POST", "PATCH"]
    path: str
    role: Role
    summary: str
    handler: Handler
    request: type[Struct] = NoFields
    response: type[Struct] | FrameOf | FileOf | tuple[str, ...] | None = None
    """The answer's type; a tuple has the content types of a file about which no header says anything."""


@dataclass(frozen=True, slots=True)
class Dashboard:
    """One tab: its place in the page, the kinds of series it shows (or that it shows profiles), and its routes."""

    id: str
    label: str
    kinds: frozenset[Kind]
    routes: tuple[Route, ...] = ()
    shows_profiles: bool = False
    has_own: Callable[[RequestContext], bool] | None = None
    """Whether it has something to show that no run logged, such as what was made on the page."""
