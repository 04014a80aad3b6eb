"""A chosen range: the part of a session's recordings that belongs to the steps it means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stepscope.analyses.breakdown import typical_steps
from stepscope.analyses.ranges.part import part_of
from stepscope.analyses.ranges.text import LAST, Range, RangeKind, parse_range
from stepscope.analyses.steps import find_steps
from stepscope.model.errors import BadInput
from stepscope.model.number_text import digits
from stepscope.model.profile import NONE, Int64, MarkerFamily, Profile
from stepscope.model.steps import CHOSEN_TIME, Steps, StepSource


def choose(profiles: Sequence[Profile], text: str, by: str | None = None) -> list[Profile]:
    """What belongs to the range on every rank; all of it when no step is left out. Raises BadInput.

    `by` names the steps' source. Recordings without times, such as memory snapshots, belong to no range.
    """
    if not text.strip():
        return list(profiles)
    wanted = parse_range(text)
    profiles = [profile for profile in profiles if len(profile.spans)]
    if not profiles:
        raise BadInput("This profile has no times, so no steps can be selected; omit the range.", "no_steps")
    steps = [find_steps(profile, by) for profile in profiles]
    places = [_places(profile, found, wanted) for profile, found in zip(profiles, steps, strict=True)]
    if wanted.kind is RangeKind.TIME and any(last <= first for first, last in places):
        return [_stretch(profile, found, wanted) for profile, found in zip(profiles, steps, strict=True)]
    low = max(_number(found, first) for found, (first, _) in zip(steps, places, strict=True))
    high = min(_number(found, last - 1) if last > first else NONE for found, (first, last) in zip(steps, places, strict=True))
    return [_cut(profile, found, low, high, text) for profile, found in zip(profiles, steps, strict=True)]


def _places(profile: Profile, steps: Steps, wanted: Range) -> tuple[int, int]:
    """Which steps are meant: the first and the one after the last."""
    if wanted.kind is RangeKind.STEPS:
        first, last = np.searchsorted(steps.number, [wanted.low, wanted.high]).tolist()
        return first, last
    if wanted.kind is RangeKind.TIME:
        low, high = _since_start(profile, wanted)
        return int(np.searchsorted(steps.bounds[:-1], low)), int(np.searchsorted(steps.bounds[1:], high, side="right"))
    if wanted.kind is RangeKind.SKIP_WARMUP:
        return typical_steps(steps.length, first_of_all=not steps.before)[0], len(steps)
    if wanted.kind is RangeKind.TYPICAL:
        return _longest_run(typical_steps(steps.length, first_of_all=not steps.before))
    epochs = find_epochs(profile, steps)
    if epochs is None:
        raise BadInput("This profile has no epoch markers; select steps or a time instead.", "no_epochs")
    first, last = np.searchsorted(epochs.number, [wanted.low, wanted.high]).tolist()
    begins = np.append(epochs.marker, max(epochs.last_end, int(epochs.marker[-1])))
    return int(np.searchsorted(steps.marker, begins[first])), int(np.searchsorted(steps.marker, begins[last]))


def find_epochs(profile: Profile, steps: Steps) -> Steps | None:
    """Markers that are called epochs and hold the steps, if the recording has them."""
    for source in steps.alternatives:
        if "epoch" in source.name.lower() and source.family != MarkerFamily.WINDOW:
            return find_steps(profile, source.text)
    return None


def _longest_run(places: tuple[int, ...]) -> tuple[int, int]:
    """Steps of a range are neighbours: the longest stretch of typical ones."""
    ends: Int64 = np.flatnonzero(np.diff(np.array(places)) > 1)
    starts = [0, *(ends + 1).tolist()]
    stops = [*(ends + 1).tolist(), len(places)]
    first, last = max(zip(starts, stops, strict=True), key=lambda run: run[1] - run[0])
    return places[first], places[last - 1] + 1


def _number(steps: Steps, place: int) -> int:
    return int(steps.number[place]) if place < len(steps) else LAST


def _cut(profile: Profile, steps: Steps, low: int, high: int, text: str) -> Profile:
    first, last = np.searchsorted(steps.number, [low, high + 1]).tolist()
    if first >= last:
        there = f"{int(steps.number[0])} to {int(steps.number[-1])}" if len(steps) > 1 else f"only {int(steps.number[0])}"
        raise BadInput(f"No step is in the range {text.strip()!r}; the profile has steps {there}.", "empty_range")
    if last - first == len(steps):
        return profile
    return part_of(profile, steps, (first, last), steps, _words(steps, first, last))


def _words(steps: Steps, first: int, last: int) -> str:
    """ "steps 7 to 10, 4 of 8", and of one step which of them it is: "step 5 of 12", "step 105 (5 of 12)"."""
    numbers, count = steps.number[first:last].tolist(), len(steps)
    if len(numbers) > 1:
        return f"steps {numbers[0]} to {numbers[-1]}, {len(numbers)} of {count}"
    return f"step {numbers[0]} of {count}" if numbers[0] == first + 1 else f"step {numbers[0]} ({first + 1} of {count})"


def _since_start(profile: Profile, wanted: Range) -> tuple[int, int]:
    start, end = profile.window
    return start + min(wanted.low, end - start + 1), start + min(wanted.high, end - start + 1)


def _stretch(profile: Profile, all_steps: Steps, wanted: Range) -> Profile:
    """The time itself as one step: no step lies in it wholly."""
    low, high = _since_start(profile, wanted)
    high = min(high, profile.window[1])
    if high <= low:
        length = (profile.window[1] - profile.window[0]) / 1e6
        raise BadInput(
            f"The profile lasts {digits(length, 4)} ms and has no events in that range; select an earlier one.", "empty_range"
        )
    source = StepSource(MarkerFamily.WINDOW, CHOSEN_TIME, NONE, 1)
    edges = np.array([low, high], np.int64)
    steps = Steps(source, (), np.zeros(1, np.int64), edges[:1], high, edges, before=1)
    first, last = ((at - profile.window[0]) / 1e6 for at in (low, high))
    return part_of(profile, steps, (0, 1), all_steps, f"{digits(first, 4)} to {digits(last, 4)} ms")
