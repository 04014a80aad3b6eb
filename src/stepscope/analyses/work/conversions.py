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

_MAY_CONVOLVE = (SpanKind.KERNEL, SpanKind.OP, SpanKind.RUNTIME)


@dataclass(frozen=True, slots=True)
class Conversions:
    """Of all compute with time of its own in typical steps."""

    rows: Int64
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
    rows = np.union1d(spans.named(computing, NameRole.TRANSPOSE), casts)
    last, first = spans.named(rows, NameRole.TO_CHANNELS_LAST), spans.named(rows, NameRole.TO_CHANNELS_FIRST)
    return Conversions(
        rows=rows,
        casts=casts,
        compute_ns=float(breakdown.exposed[computing].sum()),
        nameless_ns=float(breakdown.exposed[spans.named(computing, NameRole.NAMELESS_FUSION)].sum()),
        one_way=len(rows) == len(last) + len(first) and not (len(last) and len(first)),
    )


def _casts(profile: Profile, spans: RankSpans, computing: Int64) -> Int64:
    """Casts to a narrower format and back, where there are both; one way alone is what mixed precision is made of."""
    narrow, plain = spans.named(computing, NameRole.NARROWING_COPY), spans.named(computing, NameRole.WIDENING_COPY)
    caller = host_operation_of(profile, plain)
    above = np.where(caller >= 0, profile.spans.parent[np.maximum(caller, 0)], NONE)
    cast = spans.named(np.unique(above[above >= 0]).astype(np.int64), NameRole.CAST_CALL)
    wide = plain[np.isin(above, cast)]
    return np.union1d(narrow, wide) if len(narrow) and len(wide) else narrow[:0]
