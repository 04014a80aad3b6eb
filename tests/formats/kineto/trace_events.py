"""Events of small traces, and what profiles that were read from them hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stepscope.model.profile import Profile, SpanKind

Event = dict[str, Any]
ReadEvents = Callable[..., Profile]
ReadText = Callable[[str | bytes], Profile]


def span(category: str, name: str, ts: float = 0, dur: float = 1, pid: Any = 1, tid: Any = 1, **arguments: Any) -> Event:
    """A complete event; underscores in the names of arguments are blanks."""
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": pid,
        "tid": tid,
        "ts": ts,
        "dur": dur,
        "args": {key.replace("_", " "): value for key, value in arguments.items()},
    }


def names_of(profile: Profile, kind: SpanKind) -> list[str]:
    """Names of all spans of a kind, in row order."""
    return [profile.names[name] for name, one in zip(profile.spans.name, profile.spans.kind, strict=True) if one == kind]


def kind_of(profile: Profile, name: str) -> SpanKind:
    """The kind of the only span of that name."""
    (row,) = [row for row, one in enumerate(profile.spans.name) if profile.names[one] == name]
    return SpanKind(profile.spans.kind[row])


def row_of(profile: Profile, name: str) -> int:
    """The row of the only span of that name."""
    (row,) = [row for row, one in enumerate(profile.spans.name) if profile.names[one] == name]
    return row


def codes(profile: Profile) -> list[str]:
    """What the reader had to say."""
    return [note.code for note in profile.notes]
