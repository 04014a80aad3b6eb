"""How long a step takes without the profiler: as the run's own logs have it, with where that comes from."""

from __future__ import annotations

from msgspec import Struct

from stepscope.queries.profiles import Opened


class LoggedStep(Struct, frozen=True):
    """The median of the steps that a run has logged outside of the recording, and the series that has them."""

    ms: float
    tag: str
    steps: int


def logged_step(opened: Opened) -> LoggedStep | None:
    """None when the run has logged no times of steps, or nobody knows when it was recorded."""
    known = [profile for profile in opened.profiles if profile.base_ns > 0]
    if opened.step_times is None or not known:
        return None
    start = min(profile.base_ns + profile.window[0] for profile in known) / 1e9
    end = max(profile.base_ns + profile.window[1] for profile in known) / 1e9
    found = opened.step_times.outside(start, end)
    return None if found is None else LoggedStep(1e3 * found.seconds, opened.step_times.tag, found.steps)
