"""The replay of a what-if in a window of one worker's trace: when everything would happen after the changes."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.timeline.replay import HOST, ReplayedItems, ReplayEntry, entries_in, replayed_items, tracks_of
from stepscope.analyses.timeline.tiles import shortened
from stepscope.analyses.what_if.prediction import Context, predict, scales_with
from stepscope.analyses.what_if.replay import Replayed, replayed
from stepscope.model import declared as d
from stepscope.model.errors import BadInput
from stepscope.model.profile import NONE
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Cores, StepMs, Worker
from stepscope.session.part import Answer, Part, Wanted
from stepscope.session.trace_window import EndUs, StartUs, window_ns
from stepscope.session.what_if import levers_of, what_if_context

MOST_COLUMNS = 4_096
_MOST_ENTRIES = 20_000
_MOST_TRACKS = 64
_MOST_STEPS = 2_000
_US = 1e3
_MS = 1e6


class ReplayWanted(Wanted, frozen=True, kw_only=True):
    """The changes and the window. All workers are replayed, and one of them is shown."""

    changes: Annotated[str, Meta(max_length=2_000, description="Changes, separated by commas, such as `input=0,kernels=2x`.")]
    follow: Annotated[str, Meta(max_length=1_000, description="Worker to show; empty: the first one.")] = ""
    align: Annotated[int | None, Meta(description="Step that begins where it was recorded; null: the first one.")] = None
    cores: Cores = None
    step_ms: StepMs = None
    start_us: StartUs
    end_us: EndUs
    columns: Annotated[int, Meta(ge=1, le=MOST_COLUMNS, description="Columns of the picture: narrower items are joined.")] = 1_024


class ReplayStep(Struct, frozen=True, kw_only=True):
    """A step of the window."""

    step: Annotated[int, d.number("Number of the step.", "step")]
    start_us: Annotated[float, d.us("Start in the replay, since the start of the profile.")]
    end_us: Annotated[float, d.us("End in the replay.")]
    recorded_start_us: Annotated[float, d.us("Start as recorded.")]
    recorded_end_us: Annotated[float, d.us("End as recorded.")]


class ReplayItem(Struct, frozen=True, kw_only=True):
    """A span of a device, or time of the host that a span owns; or several in one column."""

    track: Annotated[int, d.number("Place in `tracks`.", "index")]
    row: Annotated[int, d.number("Row of the span; of several, of the longest.", "row")]
    recorded_track: Annotated[int, d.number("Number of the span's track in the trace.", "index")]
    line: Annotated[int, d.number("Line of that track that it is drawn on, from 0.", "index")]
    name: Annotated[str, d.text("Its name, at most 300 characters.")]
    part: Annotated[str, d.text("Part of the step breakdown.")]
    count: Annotated[int, d.count("Number of items that it stands for.")]
    gone: Annotated[bool, d.flag("Whether the changes take it away.")]
    start_us: Annotated[float, d.us("Start in the replay, since the start of the profile.")]
    end_us: Annotated[float, d.us("End in the replay.")]
    recorded_start_us: Annotated[float, d.us("Start as recorded; of several, of the longest.")]
    recorded_end_us: Annotated[float, d.us("End as recorded; of several, of the longest.")]


class Replay(Answer, frozen=True, kw_only=True):
    """The replay of one worker in the window."""

    worker: Worker
    refused: Annotated[str | None, d.text("Why there is no replay; null when there is one.")]
    recorded_ms: Annotated[float | None, d.ms("Median of the typical steps as recorded; null without a replay.")]
    replay_ms: Annotated[float | None, d.ms("Median of the same steps in this replay; null without a replay.")]
    predicted_ms: Annotated[float | None, d.ms("Estimated step time of what-if with these changes; null when it refuses.")]
    aligned: Annotated[int | None, d.number("Step that begins where it was recorded; null without a replay.", "step")]
    tracks: Annotated[list[str], d.nested("Names of the rows: the host, and every stream.")]
    steps: Annotated[list[ReplayStep], d.nested("Steps of the window, as recorded or in the replay; at most 2,000.")]
    items: Annotated[list[ReplayItem], d.nested("What happens in the window, by row and time.")]


def _make(session: AnalysedSession, wanted: ReplayWanted) -> Replay:
    place = session.place(wanted.follow) if wanted.follow else 0
    levers = levers_of(session, wanted.changes)
    context = what_if_context(session, wanted.cores, wanted.step_ms)
    predicted = predict(context, levers)
    refused = context.refused or predicted.refused or (None if context.replay is not None else _NO_DEVICE)
    if refused is not None or context.replay is None:
        return _refused(session.workers[place], refused or _NO_DEVICE, predicted.mid_ms)
    key = ("replayed", place, wanted.cores, wanted.step_ms, wanted.changes)
    times = session.once(key, lambda: _times(context, place, session, wanted.changes))
    number, shift = _aligned(times, wanted.align)
    items = session.once((*key, number), lambda: replayed_items(times, shift))
    profile, breakdown = session.profiles[place], session.breakdown(place)
    window = window_ns(profile.whole, wanted.start_us, wanted.end_us)
    tracks = tracks_of(items)[:_MOST_TRACKS]
    found = entries_in(items, tracks, window, wanted.columns, _MOST_ENTRIES)
    typical = list(breakdown.typical)
    return Replay(
        worker=session.workers[place],
        refused=None,
        recorded_ms=float(np.median(breakdown.steps.length[typical])) / _MS,
        replay_ms=float(np.median(np.diff(times.bounds)[typical])) / _MS,
        predicted_ms=predicted.mid_ms,
        aligned=number,
        tracks=["Host" if track == HOST else profile.tracks[track].name for track in tracks],
        steps=_steps(times, shift, window),
        items=[_item(session, place, items, track, entry) for track, entries in enumerate(found) for entry in entries],
    )


_NO_DEVICE = "Without a device there is no replay: estimates use a serial model of the host."


def _refused(worker: str, reason: str, mid_ms: float | None) -> Replay:
    return Replay(
        worker=worker,
        refused=reason,
        recorded_ms=None,
        replay_ms=None,
        predicted_ms=mid_ms,
        aligned=None,
        tracks=[],
        steps=[],
        items=[],
    )


def _times(context: Context, place: int, session: AnalysedSession, changes: str) -> Replayed:
    assert context.replay is not None
    return replayed(context.replay, scales_with(context.replay, levers_of(session, changes)), place)


def _aligned(times: Replayed, asked: int | None) -> tuple[int, float]:
    """The step that begins where it was recorded, and by how much the replay is moved for that. Raises BadInput."""
    steps = times.rank.breakdown.steps
    numbers = _numbers(times)
    if asked is not None and asked not in numbers:
        raise BadInput(f"There is no step {asked}; steps are {numbers[0]} to {numbers[-1]}.", "no_such_step")
    at = 0 if asked is None else numbers.index(asked)
    return numbers[at], float(steps.bounds[at]) - float(times.bounds[at])


def _numbers(times: Replayed) -> list[int]:
    return [at if number == NONE else number for at, number in enumerate(times.rank.breakdown.steps.number.tolist())]


def _steps(times: Replayed, shift: float, window: tuple[int, int]) -> list[ReplayStep]:
    origin, recorded, moved = times.rank.profile.whole.window[0], times.rank.breakdown.steps.bounds, times.bounds + shift
    first, last = np.minimum(recorded[:-1], moved[:-1]), np.maximum(recorded[1:], moved[1:])
    numbers = _numbers(times)
    return [
        ReplayStep(
            step=numbers[at],
            start_us=(float(moved[at]) - origin) / _US,
            end_us=(float(moved[at + 1]) - origin) / _US,
            recorded_start_us=(int(recorded[at]) - origin) / _US,
            recorded_end_us=(int(recorded[at + 1]) - origin) / _US,
        )
        for at in np.flatnonzero((first < window[1]) & (last > window[0])).tolist()[:_MOST_STEPS]
    ]


def _item(session: AnalysedSession, place: int, items: ReplayedItems, track: int, entry: ReplayEntry) -> ReplayItem:
    profile, at = session.profiles[place], entry.item
    origin, row = profile.whole.window[0], int(items.row[at])
    return ReplayItem(
        track=track,
        row=profile.row_in_file(row),
        recorded_track=int(profile.spans.track[row]),
        line=int(profile.spans.depth[row]),
        name=shortened(profile.names[int(profile.spans.name[row])]),
        part=TimeClass(int(items.label[at])).key,
        count=entry.count,
        gone=bool(items.end[at] == items.start[at] and items.recorded_end[at] > items.recorded_start[at]),
        start_us=(entry.start - origin) / _US,
        end_us=(entry.end - origin) / _US,
        recorded_start_us=(int(items.recorded_start[at]) - origin) / _US,
        recorded_end_us=(int(items.recorded_end[at]) - origin) / _US,
    )


REPLAY = Part("replay", "Replay of a what-if in the trace", ReplayWanted, Replay, _make, table="items", passing=True)
