"""Calls that run one operation, or one compiled function, each: how many there are in a step, and the framework's calls around them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.host.dispatch import LEAST_CALLS
from stepscope.analyses.host.saving import saving_stretches
from stepscope.analyses.intervals import lengths_inside
from stepscope.analyses.rank_spans import RankSpans
from stepscope.analyses.rows import are_named
from stepscope.model.profile import NONE, Int64, Profile, SpanKind
from stepscope.model.span_names import NameRole


@dataclass(frozen=True, slots=True)
class SingleCalls:
    """On control threads."""

    calls: Int64  # those inside no other one
    per_step: Int64  # in every typical step
    outermost: Int64  # the framework's calls around them: what prepares an operation belongs to it too


def single_calls(profile: Profile, breakdown: Breakdown, found: RankSpans) -> SingleCalls:
    """Of operations outside of functions in TensorFlow, and of compiled functions in JAX."""
    spans, steps = profile.spans, breakdown.steps
    calls = found.find(NameRole.SINGLE_CALL, SpanKind.FRAMEWORK, SpanKind.COMPILE)
    calls = calls[np.isin(spans.track[calls], breakdown.classified.control)]
    calls = calls[~np.isin(spans.parent[calls], calls)]
    calls = calls[~_whole_functions(profile, breakdown, calls)]
    calls = calls[lengths_inside(saving_stretches(profile, breakdown), spans.start[calls], spans.end[calls]) == 0]
    place = np.clip(np.searchsorted(steps.bounds, spans.start[calls], side="right") - 1, 0, len(steps) - 1)
    per_step = np.bincount(place, minlength=len(steps))[list(breakdown.typical)]
    return SingleCalls(calls, per_step, _outermost(profile, calls))


def _whole_functions(profile: Profile, breakdown: Breakdown, calls: Int64) -> NDArray[np.bool_]:
    """Whether each call is of a compiled function that a step calls a few times, as Keras does: that is what is asked for."""
    above = profile.spans.parent[calls]
    compiled = (above != NONE) & are_named(profile, np.maximum(above, 0), NameRole.COMPILED_CALL)
    name = profile.spans.name[np.maximum(above, 0)]
    often = np.bincount(name[compiled], minlength=len(profile.names)) >= LEAST_CALLS * len(breakdown.steps)
    return compiled & ~often[name]


def _outermost(profile: Profile, calls: Int64) -> Int64:
    spans = profile.spans
    found = calls.copy()
    open_ = np.flatnonzero(spans.parent[found] >= 0)
    while len(open_):
        above = spans.parent[found[open_]]
        open_ = open_[spans.kind[above] == SpanKind.FRAMEWORK]
        found[open_] = spans.parent[found[open_]]
        open_ = open_[spans.parent[found[open_]] >= 0]
    return np.unique(found)
