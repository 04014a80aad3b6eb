"""Conversions of tensors from one layout or number format to another, with time of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.rank_spans import RankSpans
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.executions import host_operation_of
from stepscope.model.profile import NONE, Int64, Profile, SpanKind
from stepscope.model.span_names import NameRole

_ON_HOST = (SpanKind.OP, SpanKind.RUNTIME)
_MAY_CONVOLVE = (SpanKind.KERNEL, SpanKind.OP, SpanKind.RUNTIME)


@dataclass(frozen=True, slots=True)
class Conversions:
    """Of all compute with time of its own in typical steps."""

    rows: Int64
    count: int  # conversions, of which one may have several rows: a call, and the copy inside it
    casts: Int64  # those to a narrower format and back, where there are both
    compute_ns: float  # of all typical steps
    nameless_ns: float  # of that, in fused kernels whose names tell nothing
    one_way: bool  # only from channels first to last, or only back

    def convolutions(self, spans: RankSpans) -> bool:
        """Whether there are any, for which libraries have a layout that they like; conversions of images are a sign of them."""
        return bool(len(spans.named(self.rows, NameRole.IMAGE_LAYOUT)) or len(spans.find(NameRole.CONVOLUTION, *_MAY_CONVOLVE)))


def conversions(profile: Profile, breakdown: Breakdown, spans: RankSpans) -> Conversions:
    """Told by the names of kernels and operations."""
    computing = spans.labelled(TimeClass.COMPUTE)
    casts = _casts(profile, spans, computing)
    told, (copies, calls) = np.union1d(spans.named(computing, NameRole.TRANSPOSE), casts), _layout_copies(profile, spans, computing)
    rows = np.union1d(told, copies)
    last, first = spans.named(rows, NameRole.TO_CHANNELS_LAST), spans.named(rows, NameRole.TO_CHANNELS_FIRST)
    return Conversions(
        rows=rows,
        count=len(np.setdiff1d(told, copies)) + calls,
        casts=casts,
        compute_ns=float(breakdown.exposed[computing].sum()),
        nameless_ns=float(breakdown.exposed[spans.named(computing, NameRole.NAMELESS_FUSION)].sum()),
        one_way=len(rows) == len(last) + len(first) and not (len(last) and len(first)),
    )


def _layout_copies(profile: Profile, spans: RankSpans, computing: Int64) -> tuple[Int64, int]:
    """What computes inside calls that only bring values into another order, or was launched there, and the number of such calls."""
    calls = spans.find(NameRole.LAYOUT_CALL, SpanKind.OP)
    if not len(calls):
        return computing[:0], 0
    caller = np.where(np.isin(profile.spans.kind[computing], _ON_HOST), computing, host_operation_of(profile, computing))
    known = spans.within(calls, np.unique(caller[caller >= 0]).astype(np.int64))
    # Calls of one track do not overlap, so that each has the rows that begin after it and before the next.
    calls = calls[np.lexsort((profile.spans.start[calls], profile.spans.track[calls]))]
    place = _last_before(profile, calls, known)
    return computing[np.isin(caller, known)], len(np.unique(place))


def _last_before(profile: Profile, calls: Int64, rows: Int64) -> Int64:
    """For every row the place of the last call of its track that begins no later."""
    found = np.zeros(len(rows), np.int64)
    for track in np.unique(profile.spans.track[rows]).tolist():
        mine, here = np.flatnonzero(profile.spans.track[calls] == track), profile.spans.track[rows] == track
        at = np.searchsorted(profile.spans.start[calls[mine]], profile.spans.start[rows[here]], side="right") - 1
        found[here] = mine[at]
    return found


def _casts(profile: Profile, spans: RankSpans, computing: Int64) -> Int64:
    """Casts to a narrower format and back, where there are both; one way alone is what mixed precision is made of."""
    narrow, plain = spans.named(computing, NameRole.NARROWING_COPY), spans.named(computing, NameRole.WIDENING_COPY)
    caller = host_operation_of(profile, plain)
    above = np.where(caller >= 0, profile.spans.parent[np.maximum(caller, 0)], NONE)
    cast = spans.named(np.unique(above[above >= 0]).astype(np.int64), NameRole.CAST_CALL)
    wide = plain[np.isin(above, cast)]
    return np.union1d(narrow, wide) if len(narrow) and len(wide) else narrow[:0]
