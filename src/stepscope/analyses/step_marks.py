"""Marks of steps that no profiler wrote: annotations, step numbers on spans, and what a training loop does once a step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.rows import rows_of, rows_of_kinds
from stepscope.model.profile import Int64, MarkerFamily, Profile, SpanKind, TrackPurpose, TrackRole
from stepscope.model.span_names import NameRole

_MAY_MARK = (SpanKind.ANNOTATION, SpanKind.OTHER)
_LEAST_MARKS = 2
_ORDERED = 0.9  # of the numbered stretches must follow one another
_MERE_END = 0.05  # of a usual step: what comes after the loader's last call, when that call only found the end of the data


@dataclass(frozen=True, slots=True)
class Marks:
    """Stretches of one track that are steps, in time order; they may overlap."""

    family: MarkerFamily
    name: str
    track: int
    number: Int64 | None  # as the file counts; None when it does not
    start: Int64
    end: Int64


def find_marks(profile: Profile) -> Iterator[Marks]:
    """Everything of that kind, each track and name on its own."""
    yield from _annotated(profile)
    yield from _numbered(profile)
    yield from _optimizer_steps(profile)
    yield from _loader_calls(profile)


def _annotated(profile: Profile) -> Iterator[Marks]:
    """Annotations whose words mean a step; prefill and decode of a server are steps of one sequence."""
    spans, rules = profile.spans, profile.name_rules
    rows = _of_kinds(profile, _MAY_MARK)
    groups: dict[tuple[int, str], list[Int64]] = {}
    names: list[int] = np.unique(spans.name[rows]).tolist()
    for name in names:
        carried = rules.carried(NameRole.STEP, profile.names[name])
        if carried is None:
            continue
        stem = next(text for text in carried if text)
        mine = rows[spans.name[rows] == name]
        for track in np.unique(spans.track[mine]).tolist():
            groups.setdefault((track, stem), []).append(mine[spans.track[mine] == track])
    for (track, stem), found in groups.items():
        yield _marks(profile, MarkerFamily.STEP_ANNOTATION, stem, track, np.sort(np.concatenate(found)))


def _numbered(profile: Profile) -> Iterator[Marks]:
    """Spans that carry the number of their step, whether one is around the step or every one of them tells it."""
    spans = profile.spans
    if (profile.markers.family == MarkerFamily.STEP_NUM).any():
        return
    threads = np.array([track.role == TrackRole.THREAD for track in profile.tracks], bool)
    rows = np.flatnonzero((spans.step >= 0) & (spans.kind != SpanKind.MARKER))
    rows = rows[threads[spans.track[rows]]]
    tracks: list[int] = np.unique(spans.track[rows]).tolist()
    working = [track for track in tracks if profile.tracks[track].purpose != TrackPurpose.COMMUNICATION]
    for track in working or tracks:
        mine = rows[spans.track[rows] == track]
        numbers, place = np.unique(spans.step[mine], return_inverse=True)
        if len(numbers) < _LEAST_MARKS:
            continue
        start = np.full(len(numbers), np.iinfo(np.int64).max)
        end = np.full(len(numbers), np.iinfo(np.int64).min)
        np.minimum.at(start, place, spans.start[mine])
        np.maximum.at(end, place, spans.end[mine])
        if float((start[1:] >= end[:-1]).mean()) >= _ORDERED:
            yield Marks(MarkerFamily.STEP_NUM, "args.step", track, numbers.astype(np.int64), start, end)


def _optimizer_steps(profile: Profile) -> Iterator[Marks]:
    """A step of a training ends when its optimizer has; the first begins with the thread's first work."""
    spans = profile.spans
    for track, name, rows in _by_name(profile, NameRole.OPTIMIZER_STEP, _of_kinds(profile, (SpanKind.ANNOTATION, SpanKind.OP))):
        rows = rows[_apart(spans.start[rows], spans.end[rows])]
        if len(rows) >= _LEAST_MARKS:
            first = int(spans.start[profile.tracks[track].first_row])
            ends = spans.end[rows]
            yield Marks(MarkerFamily.LOOP_MARK, name, track, None, np.concatenate([[first], ends[:-1]]).astype(np.int64), ends)


def _loader_calls(profile: Profile) -> Iterator[Marks]:
    """A step begins when the loop asks for its batch; the last lasts as long as anything does."""
    spans = profile.spans
    for track, name, rows in _by_name(profile, NameRole.LOADER_CALL, _of_kinds(profile, (SpanKind.INPUT,))):
        rows = rows[_apart(spans.start[rows], spans.end[rows])]
        if len(rows) <= _LEAST_MARKS:
            continue
        start = spans.start[rows]
        owning = rows_of(each for each in profile.tracks if each.role in (TrackRole.THREAD, TrackRole.STREAM))
        last = int(spans.end[owning].max())
        if last - int(spans.end[rows[-1]]) < _MERE_END * float(np.median(np.diff(start))):
            last, start = int(start[-1]), start[:-1]
        yield Marks(MarkerFamily.LOOP_MARK, name, track, None, start, np.append(start[1:], last).astype(np.int64))


def _of_kinds(profile: Profile, kinds: tuple[SpanKind, ...]) -> Int64:
    wanted = np.zeros(len(SpanKind), bool)
    wanted[list(kinds)] = True
    rows = rows_of_kinds(profile, TrackRole.THREAD, wanted)
    return rows[profile.spans.end[rows] > profile.spans.start[rows]]


def _by_name(profile: Profile, role: NameRole, rows: Int64) -> Iterator[tuple[int, str, Int64]]:
    """Rows whose name has the role, by name and track."""
    spans = profile.spans
    names: list[int] = np.unique(spans.name[rows]).tolist()
    for name in names:
        text = profile.names[name]
        if profile.name_rules.fits(role, text):
            mine = rows[spans.name[rows] == name]
            for track in np.unique(spans.track[mine]).tolist():
                yield track, text, mine[spans.track[mine] == track]


def _apart(start: Int64, end: Int64) -> np.ndarray:
    """Rows, sorted by their start, that begin when those before have ended."""
    return np.concatenate([[True], start[1:] >= np.maximum.accumulate(end)[:-1]])[: len(start)]


def _marks(profile: Profile, family: MarkerFamily, name: str, track: int, rows: Int64) -> Marks:
    return Marks(family, name, track, None, profile.spans.start[rows], profile.spans.end[rows])
