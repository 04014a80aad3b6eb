"""The range that a request chooses of a session: every route answers for it as if nothing else had been recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from stepscope.analyses.ranges.chosen import choose, parse_range
from stepscope.queries.profiles import Choice, Opened, SessionOfRun


class Ranged(Protocol):
    """A request with a range and the source of steps that it counts by."""

    @property
    def range(self) -> str: ...

    @property
    def steps(self) -> str: ...


def in_range(found: SessionOfRun, request: Ranged) -> SessionOfRun:
    """The session with the request's choice; all of it when the request names no range. Raises BadInput."""
    if not request.range:
        return found
    parse_range(request.range)  # a wrong one is refused before anything is read

    def take(opened: Opened) -> Opened:
        timed = [place for place, profile in enumerate(opened.profiles) if len(profile.spans)] or range(len(opened.profiles))
        profiles = choose([opened.profiles[place] for place in timed], request.range, request.steps or None)
        return replace(opened, files=tuple(opened.files[place] for place in timed), profiles=tuple(profiles))

    return replace(found, choice=Choice(f"{request.range} by {request.steps}", take))
