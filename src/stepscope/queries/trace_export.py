"""A profile, or a window of it, as other viewers read it: Perfetto's .pftrace, Chrome's trace JSON and speedscope's JSON, in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from stepscope._native import TraceExport
from stepscope.model.profile import Profile

ExportFormat = Literal["pftrace", "json", "speedscope"]
PIECE_BYTES = 1 << 20
_FIRST, _LAST = -(1 << 63), (1 << 63) - 1


def trace_pieces(profile: Profile, format: ExportFormat, low: int | None = None, high: int | None = None) -> Iterator[bytes]:
    """The file's bytes; times are ns since the profile's base.

    Only spans that overlap [low, high) are written: whole, but for those that only mark what is recorded, which are cut to it.
    """
    spans, counters = profile.spans, profile.counters
    export = TraceExport(
        format=format,
        track=spans.track,
        name=spans.name,
        cause=spans.cause,
        start=spans.start,
        end=spans.end,
        kind=spans.kind,
        counter_track=counters.track,
        counter_time=counters.time,
        counter_value=counters.value,
        marker_row=profile.markers.row,
        marker_number=profile.markers.number,
        marker_family=profile.markers.family,
        copy_row=profile.copies.row,
        copy_direction=profile.copies.direction,
        names=profile.names,
        tracks=[(track.name, track.process, int(track.role), int(track.purpose)) for track in profile.tracks],
        base_ns=profile.base_ns,
        low=_FIRST if low is None else low,
        high=_LAST if high is None else high,
    )
    while piece := export.next(PIECE_BYTES):
        yield piece
