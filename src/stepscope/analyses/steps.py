"""The steps of a profile: the first family of markers that is there, the boundaries between steps, and the step of every span."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from stepscope.analyses.kernel_period import find_kernel_period
from stepscope.analyses.root_calls import LEAST_REPEATS, find_root_calls
from stepscope.analyses.rows import rows_of_role
from stepscope.analyses.step_marks import find_marks
from stepscope.model.errors import BadInput
from stepscope.model.profile import NONE, Int32, Int64, MarkerFamily, Profile, TrackRole
from stepscope.model.steps import Steps, StepSource

_DIGITS = "0123456789"
_LEAST_AHEAD = 4
_FEW_WORKED = 0.1


@dataclass(frozen=True, slots=True)
class _Candidate:
    source: StepSource
    number: Int64
    start: Int64
    end: Int64
    last_resort: bool = False  # offered, but never chosen while anything else is there

    @property
    def total(self) -> int:
        """Nanoseconds of all markers."""
        return int((self.end - self.start).sum())


def find_steps(profile: Profile, by: str | None = None) -> Steps:
    """The steps by the best family there is, or by the source whose text or name is `by`. Never empty. Raises BadInput.

    Of a part of a recording, the steps that were chosen for it, whatever `by` is.
    """
    if profile.part is not None:
        return profile.part.steps
    candidates = _candidates(profile)
    chosen, problem = _first_possible(profile, candidates)
    if by is not None:
        named = [place for place, candidate in enumerate(candidates) if by in (candidate.source.text, candidate.source.name)]
        if not named:
            known = ", ".join(candidate.source.text for candidate in candidates[:8])
            raise BadInput(f"Steps cannot be found by {by!r} here; choose one of: {known}.", "no_such_steps")
        chosen, problem = named[0], ""
    best = candidates[chosen]
    others = tuple(candidate.source for place, candidate in enumerate(candidates) if place != chosen)
    return Steps(best.source, others, best.number, best.start, int(best.end[-1]), _bounds(profile, best), problem)


def step_of_spans(profile: Profile, steps: Steps, rows: Int64 | None = None) -> Int32:
    """The place of each span's step, NONE outside: host work by its start, device work by the start of what launched it.

    Device work whose launch is not in the file belongs to the step in whose time it starts, and so does all device work where the
    device's own times bound the steps. With `rows`, of these spans alone.
    """
    spans = profile.spans
    which = slice(None) if rows is None else rows
    start, cause, track = spans.start[which], spans.cause[which], spans.track[which]
    linked = cause >= 0
    launched = start.copy()
    launched[linked] = spans.start[cause[linked]]
    places = _place(steps.marker, max(steps.last_end, int(steps.bounds[-1])), launched)
    streams = np.array([each.role == TrackRole.STREAM for each in profile.tracks], bool)
    unlinked = np.flatnonzero(streams[track] & (~linked | steps.source.by_device))
    places[unlinked] = _place(steps.bounds[:-1], int(steps.bounds[-1]), start[unlinked])
    return places


def step_of_work(profile: Profile, steps: Steps, row: int, start: int, end: int) -> int:
    """The place of the step that a span belongs to, or without a row (NONE) the step with most of the time; NONE outside of steps.

    A span belongs to the step that started it, wherever its time lies: the next batch is fetched while the device ends the last step.
    """
    if row != NONE:
        return int(step_of_spans(profile, steps, np.array([row], np.int64))[0])
    inside = np.minimum(end, steps.bounds[1:]) - np.maximum(start, steps.bounds[:-1])
    place = int(np.argmax(inside))
    return place if inside[place] > 0 else NONE


def _first_possible(profile: Profile, candidates: list[_Candidate]) -> tuple[int, str]:
    """The first candidate whose steps can have been, and why those before it were not taken."""
    problem = ""
    for place, candidate in enumerate(candidates):
        wrong = "" if candidate.source.family == MarkerFamily.WINDOW else _impossible(profile, candidate)
        if not wrong:
            return place, problem
        problem = problem or wrong
    raise AssertionError("the whole recording is always possible")


def _impossible(profile: Profile, candidate: _Candidate) -> str:
    """What cannot be about these steps; "" when they are possible."""
    bounds = _bounds(profile, candidate)
    if len(candidate.start) > 1 and float(np.median(np.diff(bounds))) <= 0:
        return f"Steps by {candidate.source.text} have no duration, so they are not used."
    if len(candidate.start) >= _LEAST_AHEAD and not candidate.source.by_device and _ran_ahead(profile, candidate.start):
        return (
            f"Steps by {candidate.source.text} are marked before the device runs them, and its work is not tied to them, "
            "so they are not used."
        )
    return ""


def _ran_ahead(profile: Profile, markers: Int64) -> bool:
    """Whether the host marked all steps before the device worked them off: nearly none but the last has any work of the device."""
    spans = profile.spans
    rows = rows_of_role(profile, TrackRole.STREAM)
    rows = rows[spans.end[rows] > spans.start[rows]]
    cause = spans.cause[rows]
    begins = np.where(cause >= 0, spans.start[np.maximum(cause, 0)], spans.start[rows])
    place = np.searchsorted(markers, begins, side="right") - 1
    worked = len(np.unique(place[(place >= 0) & (place < len(markers) - 1)]))
    return bool((place == len(markers) - 1).any()) and worked <= _FEW_WORKED * (len(markers) - 1)


def _place(starts: Int64, end: int, times: Int64) -> Int32:
    places = np.searchsorted(starts, times, side="right").astype(np.int32) - 1
    places[times >= end] = NONE
    return places


def _candidates(profile: Profile) -> list[_Candidate]:
    """Everything that could mark steps, in order of choice; the last is the whole recording and is always there."""
    found = _marked(profile) + _found_marks(profile)
    families = {candidate.source.family for candidate in found}
    if MarkerFamily.ROOT_CALL not in families:
        calls = find_root_calls(profile)
        if calls is not None:
            rows = calls.rows
            source = StepSource(MarkerFamily.ROOT_CALL, calls.name, calls.track, len(rows))
            spans = profile.spans
            found.append(_Candidate(source, np.arange(len(rows), dtype=np.int64), spans.start[rows], spans.end[rows]))
    if MarkerFamily.KERNEL_PERIOD not in families:
        period = find_kernel_period(profile)
        if period is not None:
            source = StepSource(MarkerFamily.KERNEL_PERIOD, period.name, period.track, len(period.start))
            found.append(_Candidate(source, np.arange(len(period.start), dtype=np.int64), period.start, period.end))
    found.append(_whole_window(profile))
    return sorted(found, key=lambda candidate: (candidate.last_resort, candidate.source.family))


def _whole_window(profile: Profile) -> _Candidate:
    """The threads' and streams' own first start and last end: other tracks may begin long before the work."""
    tracks = [
        track for track in profile.tracks if track.role in (TrackRole.THREAD, TrackRole.STREAM) and track.last_row > track.first_row
    ]
    start, end = profile.window
    if tracks:  # a track's first row starts first
        start = min(int(profile.spans.start[track.first_row]) for track in tracks)
        end = max(int(profile.spans.end[track.first_row : track.last_row].max()) for track in tracks)
    source = StepSource(MarkerFamily.WINDOW, "", NONE, 1)
    return _Candidate(source, np.zeros(1, np.int64), np.array([start], np.int64), np.array([max(start, end)], np.int64))


def _marked(profile: Profile) -> list[_Candidate]:
    """The candidates that the file itself marks, each on one track and under one name, none overlapping another."""
    markers, spans = profile.markers, profile.spans
    found: list[_Candidate] = []
    there: set[int] = set(np.unique(markers.family).tolist())
    for family in MarkerFamily:
        if family not in there:  # thousands of ranks have one family each
            continue
        in_family: list[_Candidate] = []
        for track, name, members in _by_track_and_name(profile, np.flatnonzero(markers.family == family)):
            chosen = members[_non_overlapping(spans.start[markers.row[members]], spans.end[markers.row[members]])]
            rows = markers.row[chosen]
            source = StepSource(family, name, track, len(chosen))
            in_family.append(_Candidate(source, _numbers(markers.number[chosen]), spans.start[rows], spans.end[rows]))
        found += _loops(in_family) if family == MarkerFamily.ROOT_CALL else _by_merit(in_family)
    return found


def _by_track_and_name(profile: Profile, places: Int64) -> Iterator[tuple[int, str, Int64]]:
    """Markers of one track and of one name but for its number, in the order in which the first of each comes."""
    rows = profile.markers.row[places]
    names, name_of = np.unique(profile.spans.name[rows], return_inverse=True)
    stems = [_without_number(profile.names[int(name)]) for name in names]
    stem_of = {stem: place for place, stem in enumerate(dict.fromkeys(stems))}
    codes = np.array([stem_of[stem] for stem in stems], np.int64)
    keys = profile.spans.track[rows].astype(np.int64) * max(1, len(stem_of)) + codes[name_of]
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    members = np.split(places[np.argsort(group, kind="stable")], np.cumsum(np.bincount(group))[:-1]) if len(places) else []
    for one in np.argsort(first).tolist():
        place = int(first[one])
        yield int(profile.spans.track[rows[place]]), stems[int(name_of[place])], members[one]


def _found_marks(profile: Profile) -> list[_Candidate]:
    """What marks steps without being a marker of the format, best first within its family."""
    found: dict[MarkerFamily, list[_Candidate]] = {}
    for marks in find_marks(profile):
        chosen = _non_overlapping(marks.start, marks.end)
        number = np.arange(len(chosen), dtype=np.int64) if marks.number is None else _numbers(marks.number[chosen])
        source = StepSource(marks.family, marks.name, marks.track, len(chosen))
        found.setdefault(marks.family, []).append(_Candidate(source, number, marks.start[chosen], marks.end[chosen]))
    # An optimizer's steps come before the loader's batches, of which a step may take several.
    return [each for family, some in found.items() for each in (some if family == MarkerFamily.LOOP_MARK else _by_merit(some))]


def _loops(candidates: list[_Candidate]) -> list[_Candidate]:
    """Calls that come at least three times, longest in sum first; beside a call that takes far longer they are no steps."""
    longest = max((candidate.total for candidate in candidates), default=0)
    repeated = [each for each in candidates if each.source.count >= LEAST_REPEATS]
    judged = [replace(each, last_resort=2 * each.total < longest) for each in repeated]
    return sorted(judged, key=lambda each: (-each.total, each.source.track))


def _by_merit(candidates: list[_Candidate]) -> list[_Candidate]:
    """Longest in sum first, but what is marked far less often (epochs around steps) comes after what is marked often."""
    most = max((candidate.source.count for candidate in candidates), default=0)
    return sorted(candidates, key=lambda each: (2 * each.source.count < most, -each.total, each.source.track))


def _non_overlapping(start: Int64, end: Int64) -> Int64:
    """The places of markers in time order, without those that begin inside an earlier one."""
    order = np.lexsort((-end, start))
    if bool((start[order][1:] >= end[order][:-1]).all()):
        return order
    kept: list[int] = []
    free_from = np.iinfo(np.int64).min
    for place in order.tolist():
        if start[place] >= free_from:
            kept.append(place)
            free_from = end[place]
    return np.array(kept, np.int64)


def _numbers(numbers: Int64) -> Int64:
    """The format's own numbers, unless it has none or they do not count up."""
    if len(numbers) and int(numbers.min()) >= 0 and bool((np.diff(numbers) > 0).all()):
        return numbers.astype(np.int64)
    return np.arange(len(numbers), dtype=np.int64)


def _without_number(name: str) -> str:
    """`ProfilerStep#12` and `Profiled batch 7` without what differs from step to step."""
    return name.rstrip(_DIGITS).rstrip()


def _bounds(profile: Profile, candidate: _Candidate) -> Int64:
    """A step ends where the next marker starts, or later: when the last device work launched before that has ended."""
    spans, markers, last_end = profile.spans, candidate.start, int(candidate.end[-1])
    if candidate.source.by_device:
        return np.maximum.accumulate(np.append(markers, max(last_end, int(markers[-1])))).astype(np.int64)
    rows = rows_of_role(profile, TrackRole.STREAM)
    rows = rows[spans.cause[rows] >= 0]
    launched = spans.start[spans.cause[rows]]
    until = np.append(markers[1:], max(last_end, int(markers[-1])))
    inside = (launched >= markers[0]) & (launched < until[-1]) & (spans.end[rows] > spans.start[rows])
    order = np.argsort(launched[inside], kind="stable")
    latest = np.maximum.accumulate(spans.end[rows][inside][order]) if len(order) else np.zeros(0, np.int64)
    before = np.searchsorted(launched[inside][order], until, side="left")
    device = np.where(before > 0, latest[np.maximum(before, 1) - 1] if len(latest) else until, until)
    return np.maximum.accumulate(np.concatenate([markers[:1], np.maximum(until, device)])).astype(np.int64)
