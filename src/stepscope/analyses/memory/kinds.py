"""What memory was for, where the file does not tell: by the pass in which it was taken, and by what it outlived.

What is taken on the way forward and still there when the pass back begins are activations; what the pass back takes and leaves are
gradients; what an optimizer takes and leaves is its state. What was given back sooner was temporary. Of what outlives a second pass
nothing is said: it may be anything that somebody keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.memory.lives import Lives
from stepscope.analyses.memory.owners import owner_rows
from stepscope.analyses.rows import rows_named, rows_of
from stepscope.analyses.work.module_calls import Flags
from stepscope.model.profile import NONE, FlowKind, Int32, Int64, Profile, SpanKind, TrackPurpose, TrackRole
from stepscope.model.span_names import NameRole

KINDS = ("", "activation", "gradient", "optimizer state", "input", "temporary")
_UNKNOWN, _ACTIVATION, _GRADIENT, _OPTIMIZER_STATE, _INPUT, _TEMPORARY = range(len(KINDS))
_NEVER = np.iinfo(np.int64).max
"""How PyTorch annotates the step of any optimizer."""


@dataclass(frozen=True, slots=True)
class _Passes:
    """The passes back, in order."""

    start: Int64
    end: Int64


def kinds_of(profile: Profile, places: Int64, lives: Lives) -> Int64 | None:
    """A place in KINDS for every life, 0 where it cannot be told; None for a recording without a pass back that can be told apart."""
    is_backward = _backward(profile)
    if not is_backward.any():
        return None
    passes = _passes(profile, is_backward)
    times = np.append(profile.allocations.time[places], _NEVER)
    begun = np.flatnonzero(lives.first != NONE)
    taken, given = times[lives.first[begun]], times[lives.last[begun]]
    rows = profile.allocations.row[places][lives.first[begun]]
    in_backward = _inside(profile, rows, is_backward)
    in_optimizer = _inside(profile, rows, _optimizers(profile)) & ~in_backward
    is_input = _inside(profile, rows, profile.spans.kind == SpanKind.INPUT)
    kinds = np.full(len(lives), _UNKNOWN, np.int64)
    kinds[begun] = _of_forward(passes, taken, given, is_input)
    kinds[begun[in_backward]] = _of_backward(passes, taken[in_backward], given[in_backward])
    kinds[begun[in_optimizer]] = _of_optimizer(passes, taken[in_optimizer], given[in_optimizer])
    return kinds


def _backward(profile: Profile) -> Flags:
    """Spans that are work of a pass back: tied to a forward operation, the calls around these, and all on a thread of such work."""
    flows = profile.flows
    tied = flows.kind == FlowKind.BACKWARD
    found = np.zeros(len(profile.spans), bool)
    found[_calls_around(profile, flows.target[tied])] = True
    # A call around both ways, such as a step that was compiled into one, is none of the two.
    found[_calls_around(profile, flows.source[tied])] = False
    found[flows.target[tied]] = True
    rows = rows_of(track for track in profile.tracks if track.role == TrackRole.THREAD and track.purpose == TrackPurpose.BACKWARD)
    found[rows[profile.spans.kind[rows] == SpanKind.OP]] = True
    return found


def _calls_around(profile: Profile, rows: Int32) -> Int64:
    """What releases what an operation was given is the call around it."""
    return owner_rows(profile, rows[rows >= 0])


def _optimizers(profile: Profile) -> Flags:
    found = np.zeros(len(profile.spans), bool)
    marked = np.flatnonzero(profile.spans.kind == SpanKind.ANNOTATION)
    found[rows_named(profile, marked, NameRole.OPTIMIZER_STEP)] = True
    return found


def _passes(profile: Profile, is_backward: Flags) -> _Passes:
    """Stretches of work back without a forward operation between them, nor a step's end where these are not known."""
    spans, flows = profile.spans, profile.flows
    rows = np.flatnonzero(is_backward)
    begin, end = spans.start[rows], spans.end[rows]
    order = np.argsort(begin, kind="stable")
    begin, end = begin[order], np.maximum.accumulate(end[order])
    tied = flows.source[flows.kind == FlowKind.BACKWARD]
    turns = np.sort(spans.start[tied] if len(tied) else spans.start[spans.kind == SpanKind.MARKER])
    before = np.searchsorted(turns, begin, side="right")
    first = np.flatnonzero(np.diff(before, prepend=-1))
    last = np.append(first[1:], len(begin)) - 1
    return _Passes(begin[first], end[last])


def _inside(profile: Profile, rows: Int32, wanted: Flags) -> Flags:
    """Whether a wanted span is at or around each row."""
    at = rows.astype(np.int64)
    found = np.zeros(len(rows), bool)
    open_ = np.flatnonzero(at >= 0)
    while len(open_):
        found[open_] = wanted[at[open_]]
        open_ = open_[~found[open_]]
        at[open_] = profile.spans.parent[at[open_]]
        open_ = open_[at[open_] >= 0]
    return found


def _of_backward(passes: _Passes, taken: Int64, given: Int64) -> Int64:
    its_pass = np.maximum(np.searchsorted(passes.start, taken, side="right") - 1, 0)
    return np.where(given > passes.end[its_pass], _GRADIENT, _TEMPORARY)


def _of_optimizer(passes: _Passes, taken: Int64, given: Int64) -> Int64:
    met = np.append(passes.start, _NEVER)[np.searchsorted(passes.start, taken, side="right")]
    return np.where(given >= met, _OPTIMIZER_STATE, _TEMPORARY)


def _of_forward(passes: _Passes, taken: Int64, given: Int64, is_input: Flags) -> Int64:
    """What no later pass meets was for none: it is temporary if it was given back."""
    starts = np.append(passes.start, [_NEVER, _NEVER])
    following = np.searchsorted(passes.start, taken, side="right")
    met, met_next = starts[following], starts[following + 1]
    kept = np.where(given <= met_next, np.where(is_input, _INPUT, _ACTIVATION), _UNKNOWN)
    return np.where(given > met, kept, np.where(given < _NEVER, _TEMPORARY, _UNKNOWN))
