"""The call tree of a selected area of the trace, from the outermost call inwards or from the innermost outwards."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from stepscope.analyses.timeline.calls import CallNode, call_tree
from stepscope.analyses.timeline.cut import owning_tracks
from stepscope.analyses.timeline.tiles import shortened
from stepscope.model import declared as d
from stepscope.model.profile import NONE, Profile
from stepscope.session.analysed import AnalysedSession
from stepscope.session.part import Answer, Files, Part, Wanted
from stepscope.session.trace_window import EndUs, StartUs, TracksText, trace_groups, track_numbers, window_ns

_US = 1e3


class CallsWanted(Wanted, frozen=True, kw_only=True):
    """The window, the tracks (empty: all threads and streams), and the direction."""

    start_us: StartUs
    end_us: EndUs
    tracks: TracksText = ""
    bottom_up: Annotated[bool, d.flag("Whether the tree begins with the innermost calls and goes on with their callers.")] = False


class CallRow(Struct, frozen=True, kw_only=True):
    """Calls of one name under the same callers; bottom up, callers of one name of the same calls."""

    name: Annotated[str, d.text("Name of the spans, at most 300 characters.")]
    parent: Annotated[int | None, d.number("Place of the row above it in the tree; null at the top.", "index")]
    level: Annotated[int, d.number("How deep it is in the tree, from 0.", "index")]
    group: Annotated[int, d.number("Group of a span of it, as in tiles: 0 to 5, and 6 for none.", "index")]
    count: Annotated[int, d.count("Number of spans.")]
    wall_us: Annotated[float, d.us("Time of its spans inside the area; bottom up, the self time of the innermost calls.")]
    self_us: Annotated[float, d.us("Time of its spans without spans inside them; bottom up the same as `wall_us`.")]
    share: Annotated[float, d.fraction("`wall_us` as part of the total.")]


class CallsFound(Answer, frozen=True, kw_only=True):
    """The tree. Rows with less than 1/5,000 of the total are left out."""

    total_us: Annotated[float, d.us("Time of all outermost spans, added up over tracks; bottom up, all self time.")]
    rows: Annotated[list[CallRow], d.nested("Rows level by level, in each by time.")]


def _make(session: AnalysedSession, wanted: CallsWanted) -> CallsFound:
    profile = session.profiles[0].whole
    window = window_ns(profile, wanted.start_us, wanted.end_us)
    tracks = track_numbers(profile, wanted.tracks) or owning_tracks(profile)
    tree = call_tree(profile, trace_groups(session), tracks, window, bottom_up=wanted.bottom_up)
    return CallsFound(total_us=tree.total_ns / _US, rows=[_row(profile, each, tree.total_ns) for each in tree.nodes])


def _row(profile: Profile, node: CallNode, total_ns: int) -> CallRow:
    parent = None if node.parent == NONE else node.parent
    return d.fill(CallRow, node, name=shortened(profile.names[node.name]), parent=parent, share=node.wall_ns / max(1, total_ns))


CALLS = Part("calls", "Call tree", CallsWanted, CallsFound, _make, table="rows", files=Files.ONE, passing=True)
