"""A piece of the trace: kept on disk when the profile had to be read for it, so that the next visit begins at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from stepscope.session.part import Answer, Files, Part, Wanted

if TYPE_CHECKING:
    from stepscope.session.analysed import AnalysedSession

_US = 1e3
_SPANS = {"start": "<f8", "end": "<f8", "row": "<i4", "name": "<i4", "line": "<u1", "group": "<u1", "count": "<i4"}
_COUNTER = {"start": "<f8", "low": "<f8", "high": "<f8", "last": "<f8"}

Columns = dict[str, NDArray[Any]]


class TileWanted(Wanted, frozen=True, kw_only=True):
    """The window in µs since the start of the profile, how finely it is drawn, and the tracks by their numbers."""

    start_us: float
    end_us: float
    columns: int
    tracks: str
    lines: int


class TrackEntries(Struct, frozen=True):
    """One track: spans that are hidden, and its columns by name, as bytes."""

    track: int
    hidden: int
    columns: dict[str, bytes]

    def of_spans(self) -> Columns:
        """Entries of a track of spans."""
        return _read(self.columns, _SPANS)

    def of_counter(self) -> Columns:
        """Values of a counter."""
        return _read(self.columns, _COUNTER)


class Tile(Answer, frozen=True, kw_only=True):
    """One piece of the trace."""

    columns: int
    names: list[str]
    tracks: list[TrackEntries]
    counters: list[TrackEntries]


def make_tile(session: AnalysedSession, wanted: TileWanted) -> Tile:
    """The tracks of the window, from the whole profile. Raises BadInput for what is no window or no track."""
    from stepscope.analyses.timeline.tiles import tiles
    from stepscope.session.trace_window import trace_groups, track_numbers, window_ns

    profile = session.profiles[0]
    window, numbers = window_ns(profile, wanted.start_us, wanted.end_us), track_numbers(profile, wanted.tracks)
    made = tiles(profile, trace_groups(session), numbers, window, wanted.columns, wanted.lines)
    sampled = session.once("sampled tracks", lambda: frozenset[int](np.unique(profile.counters.track).tolist()))
    return Tile(
        columns=made.columns,
        names=made.names,
        tracks=[
            TrackEntries(each.track, each.hidden, _written({name: getattr(each, name) for name in _SPANS}, _SPANS))
            for each in made.tracks
            if each.track not in sampled or len(each.start)
        ],
        counters=[_counter(session, track, window, wanted.columns) for track in numbers if track in sampled],
    )


def _counter(session: AnalysedSession, track: int, window: tuple[int, int], columns: int) -> TrackEntries:
    from stepscope.analyses.counters import counter_course

    profile = session.profiles[0]
    course = counter_course(profile, track, window, columns)
    start = (course.time - profile.window[0]) / _US
    return TrackEntries(track, 0, _written({"start": start, "low": course.least, "high": course.most, "last": course.last}, _COUNTER))


def _written(columns: Columns, kinds: dict[str, str]) -> dict[str, bytes]:
    return {name: columns[name].astype(kind, copy=False).tobytes() for name, kind in kinds.items()}


def _read(columns: dict[str, bytes], kinds: dict[str, str]) -> Columns:
    return {name: np.frombuffer(columns[name], kind) for name, kind in kinds.items()}


TILE = Part("tile", "Piece of the trace", TileWanted, Tile, make_tile, files=Files.ONE, kept=True, passing=True)
"""Not a part with a verb or a table: the route of the trace asks for it."""
