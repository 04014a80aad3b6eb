"""Asks every part of the analysis about a file, as the page does; only an error that is a sentence for the user may come back."""

from __future__ import annotations

from pathlib import Path

import msgspec

from stepscope.analyses.timeline.tiles import tiles
from stepscope.model.errors import StepscopeError
from stepscope.session.all_parts import ALL_PARTS
from stepscope.session.at_path import Opening, ProfileAt, profile_at
from stepscope.session.part import AnyPart, Files, Wanted
from stepscope.session.parts.area import AREA, AreaWanted
from stepscope.session.parts.calls import CALLS, CallsWanted
from stepscope.session.parts.gaps import GAPS, GapsWanted
from stepscope.session.parts.instances import INSTANCES, InstancesOf, InstancesWanted
from stepscope.session.parts.path_trace import PATH_TRACE, PathTraceWanted
from stepscope.session.parts.search import SEARCH, SearchWanted
from stepscope.session.parts.span import SPAN, SpanWanted
from stepscope.session.parts.tracks import TRACKS, TracksWanted
from stepscope.session.trace_window import MOST_TRACKS, trace_groups, window_ns

ASKED = [part for part in ALL_PARTS if not any(field.required for field in msgspec.structs.fields(part.wanted))]
"""Parts that answer without a choice."""

FAR_US = 1e300
TRACE: list[tuple[AnyPart, Wanted]] = [
    (TRACKS, TracksWanted(limit=1_000)),
    (SEARCH, SearchWanted(text="a")),
    (SEARCH, SearchWanted(text=".*o.*|^.", regex=True)),
    (AREA, AreaWanted(start_us=-FAR_US, end_us=FAR_US)),
    (AREA, AreaWanted(start_us=0, end_us=0)),
    (GAPS, GapsWanted(start_us=-FAR_US, end_us=FAR_US, limit=100)),
    (PATH_TRACE, PathTraceWanted(start_us=-FAR_US, end_us=FAR_US, limit=100)),
    *((CALLS, CallsWanted(start_us=-FAR_US, end_us=FAR_US, bottom_up=bottom_up)) for bottom_up in (False, True)),
    *((SPAN, SpanWanted(row=row)) for row in (0, 1, 5)),
    *((INSTANCES, InstancesWanted(of=InstancesOf.SPAN, like=row, row=row, limit=100)) for row in (0, 1, 5)),
]
"""What the trace asks beside its tiles."""


def ask_everything(path: Path) -> list[str]:
    """The ids of the parts that answered; the others refused with a sentence. Any other error is raised."""
    answered: list[str] = []
    for timed in (True, False):
        try:
            found = profile_at(str(path), Opening(cache=False), timed=timed)
        except StepscopeError:
            continue
        asked = [(part, part.wanted()) for part in ASKED if (part.files is not Files.MEMORY) == timed]
        answered += [part.id for part, wanted in [*asked, *(TRACE if timed else ())] if _answers(found, part, wanted)]
        if timed:
            _draw(found)
    return answered


def _answers(found: ProfileAt, part: AnyPart, wanted: Wanted) -> bool:
    try:
        msgspec.json.encode(found.answer(part, wanted))
    except StepscopeError:
        return False
    return True


def _draw(found: ProfileAt) -> None:
    """The trace as a whole and its last microsecond; what is drawn and what is hidden are all spans of the tracks."""
    try:
        session = found.analysed(Wanted())
        groups = trace_groups(session)
    except StepscopeError:
        return
    profile = session.profiles[0]
    tracks = range(min(MOST_TRACKS, len(profile.tracks)))
    whole = tiles(profile, groups, tracks, window_ns(profile, -FAR_US, FAR_US), 300, 4)
    for tile in whole.tracks:
        track = profile.tracks[tile.track]
        assert int(tile.count.sum()) + tile.hidden == track.last_row - track.first_row
    end_us = (profile.window[1] - profile.window[0]) / 1e3
    tiles(profile, groups, tracks, window_ns(profile, end_us - 1, end_us), 8_000, 255)
