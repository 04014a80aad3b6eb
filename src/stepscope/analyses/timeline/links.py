"""Spans that a span is tied to: what launched it and what it launches, its forward or backward pass, and who it waits for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.intervals import union
from stepscope.model.profile import NONE, FlowKind, Profile

_FROM_HERE = {FlowKind.PRODUCER: "consumer", FlowKind.BACKWARD: "forward_of", FlowKind.STREAM_WAIT: "stream_wait"}
"""What the other span is to one from which a flow begins."""
_TO_HERE = {FlowKind.PRODUCER: "producer", FlowKind.BACKWARD: "backward_of", FlowKind.STREAM_WAIT: "stream_wait"}


@dataclass(frozen=True, slots=True)
class Link:
    """Another span, and how this one is tied to it."""

    kind: str
    row: int


def links_of(profile: Profile, row: int) -> list[Link]:
    """Launches first, then flows in the order of the file."""
    spans, flows = profile.spans, profile.flows
    found: list[Link] = []
    if spans.cause[row] != NONE:
        found.append(Link("launched_by", int(spans.cause[row])))
    found += [Link("launches", each) for each in np.flatnonzero(spans.cause == row).tolist()]
    for place in np.flatnonzero((flows.source == row) | (flows.target == row)).tolist():
        kind, source, target = FlowKind(int(flows.kind[place])), int(flows.source[place]), int(flows.target[place])
        found.append(Link(_FROM_HERE[kind], target) if source == row else Link(_TO_HERE[kind], source))
    return found


def self_ns(profile: Profile, row: int) -> int:
    """The duration of a span without the time of spans inside it on its track."""
    spans = profile.spans
    start, end = int(spans.start[row]), int(spans.end[row])
    after = profile.tracks[int(spans.track[row])].last_row
    last = row + 1 + int(np.searchsorted(spans.start[row + 1 : after], end))
    inside = row + 1 + np.flatnonzero(spans.parent[row + 1 : last] == row)
    starts, ends = union(spans.start[inside], spans.end[inside])
    return end - start - int((ends - starts).sum())
