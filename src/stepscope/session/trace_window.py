"""What the parts of the trace are asked: a window of the whole profile in microseconds, and tracks by their numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from stepscope.model.errors import BadInput
from stepscope.session.parts.tracks import trace_steps

if TYPE_CHECKING:
    from stepscope.analyses.timeline.groups import Uint8
    from stepscope.model.profile import Profile
    from stepscope.session.analysed import AnalysedSession

MOST_TRACKS = 500
_LONGEST_TRACKS = 6_000
_MOST_DIGITS = 10

StartUs = Annotated[float, Meta(description="Start of the window in µs since the start of the profile.")]
EndUs = Annotated[float, Meta(description="End of the window in µs since the start of the profile.")]
TracksText = Annotated[str, Meta(max_length=_LONGEST_TRACKS, description=f"Numbers of tracks, such as `0,3,7`; at most {MOST_TRACKS}.")]

_US = 1e3
_FARTHEST = 1 << 61
"""Nanoseconds, so that differences of times fit into 64 bits."""


def check_window(start_us: float, end_us: float) -> None:
    """Raises BadInput for what is no window."""
    if not (math.isfinite(start_us) and math.isfinite(end_us)):
        raise BadInput("start_us and end_us must be finite numbers.", "bad_window")
    if end_us < start_us:
        raise BadInput(f"The window ends ({end_us:g} µs) before it starts ({start_us:g} µs); swap start_us and end_us.", "bad_window")


def exact_window_ns(profile: Profile, start_us: float, end_us: float) -> tuple[int, int]:
    """The window in nanoseconds of the profile, however far it reaches beyond: its columns are where they were asked for."""
    check_window(start_us, end_us)
    first, last = (profile.window[0] + round(max(-_FARTHEST, min(_FARTHEST, time * _US))) for time in (start_us, end_us))
    return max(-_FARTHEST, first), min(_FARTHEST, last)


def window_ns(profile: Profile, start_us: float, end_us: float) -> tuple[int, int]:
    """The window in nanoseconds of the profile, which may reach beyond its spans on both sides. Raises BadInput."""
    check_window(start_us, end_us)
    origin, end = profile.window
    longest = max(1, end - origin)
    # A window far outside shows the same nothing as one that is less far.
    first, last = (max(-longest, min(2 * longest, time)) for time in (start_us * _US, end_us * _US))
    return origin + math.floor(first), origin + math.ceil(last)


def track_numbers(profile: Profile, text: str) -> list[int]:
    """Tracks of the profile, each once, in the order of the text. Raises BadInput."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if any(len(part) > _MOST_DIGITS or not (part.isascii() and part.isdigit()) for part in parts):
        raise BadInput("tracks must be numbers of tracks, separated by commas, such as 0,3,7.", "bad_tracks")
    numbers = list(dict.fromkeys(map(int, parts)))
    unknown = [number for number in numbers if number >= len(profile.tracks)]
    if unknown:
        raise BadInput(f"There is no track {unknown[0]}; this profile has tracks 0 to {len(profile.tracks) - 1}.", "bad_tracks")
    if len(numbers) > MOST_TRACKS:
        raise BadInput(f"{len(numbers)} tracks are too many; ask for at most {MOST_TRACKS} at once.", "bad_tracks")
    return numbers


def trace_groups(session: AnalysedSession) -> Uint8:
    """The group of every span of the whole profile, found once a session."""
    from stepscope.analyses.timeline.groups import span_groups

    return session.once("trace groups", lambda: span_groups(session.profiles[0].whole, trace_steps(session)))
