"""The stack above one span of the host: operations and Python functions around it, or lines that the profiler wrote beside it."""

from __future__ import annotations

import re

from stepscope.analyses.attributes import ReadAttributes
from stepscope.model.errors import StepscopeError
from stepscope.model.profile import NONE, Profile, SpanKind

MOST_FRAMES = 6
_AROUND = (SpanKind.OP, SpanKind.PYTHON, SpanKind.FRAMEWORK)
_WRITTEN = ("Call stack", "call_stack")
_PACKAGES = re.compile(r"^.*[/\\](?:site|dist)-packages[/\\]")


def stack_of(profile: Profile, row: int, attributes: ReadAttributes | None = None, most: int = MOST_FRAMES) -> tuple[str, ...]:
    """Names of what is around a span, the innermost first; `attributes` reads lines kept beside spans. Empty when none are known."""
    if row == NONE:
        return ()
    above = _around(profile, row)
    python = [each for each in above if profile.spans.kind[each] == SpanKind.PYTHON]
    if not python and attributes is not None:
        for each in (row, *above):
            written = _written(profile, each, attributes)
            if written:
                return written[:most]
    names = [_PACKAGES.sub("", profile.names[int(profile.spans.name[each])]) for each in above]
    return tuple(name for name, inner in zip(names, ["", *names], strict=False) if name != inner)[:most]


def _around(profile: Profile, row: int) -> list[int]:
    spans = profile.spans
    found: list[int] = []
    above = int(spans.parent[row])
    while above != NONE:
        if spans.kind[above] in _AROUND:
            found.append(above)
        above = int(spans.parent[above])
    return found


def _written(profile: Profile, row: int, attributes: ReadAttributes) -> tuple[str, ...]:
    try:
        said = attributes(profile, row)
    except StepscopeError:  # the file was moved or cut since
        return ()
    lines = next((text for key in _WRITTEN if isinstance(text := said.get(key), str)), "")
    return tuple(_PACKAGES.sub("", line.strip()) for line in lines.split(";") if line.strip())
