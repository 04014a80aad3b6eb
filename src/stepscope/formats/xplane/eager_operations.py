"""Makes operations of what TensorFlow runs eagerly: its profiler names the call around one, and not the run that computes it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from stepscope.model.profile import NONE, Int64, Operation, Profile, SpanKind
from stepscope.model.span_names import NameRole

_DEEPEST = 8
"""Calls between the run of a kernel and the call that names the operation: two today."""


def with_eager_operations(profile: Profile) -> Profile:
    """The profile with a kind and an operation for each run of a kernel that a call of one operation holds.

    Functions are no operations, and neither is what takes elements out of the input; a checkpoint stays one.
    """
    runs, calls = _runs_with_calls(profile)
    if not len(runs):
        return profile
    kind, op, ops = profile.spans.kind.copy(), profile.spans.op.copy(), list(profile.ops)
    kind[runs] = SpanKind.OP
    for name in map(int, np.unique(profile.spans.name[calls])):
        (operation,) = profile.name_rules.carried(NameRole.EAGER_MODEL_OPERATION, profile.names[name]) or ("",)
        op[runs[profile.spans.name[calls] == name]] = len(ops)
        ops.append(_operation(operation))
    return replace(profile, spans=replace(profile.spans, kind=kind, op=op), ops=ops)


def _runs_with_calls(profile: Profile) -> tuple[Int64, Int64]:
    """Rows of the runs, and for each the call that names its operation."""
    spans = profile.spans
    runs = np.flatnonzero(_fit(profile, NameRole.EAGER_KERNEL)[spans.name]) if len(spans) else np.zeros(0, np.int64)
    if not len(runs):
        return runs, runs
    names = _fit(profile, NameRole.EAGER_MODEL_OPERATION)
    above, found = spans.parent[runs].astype(np.int64), np.full(len(runs), NONE, np.int64)
    for _ in range(_DEEPEST):
        known = np.flatnonzero((above != NONE) & (found == NONE))
        if not len(known):
            break
        # A run inside another one is of a function, whose operations have spans of their own.
        framework = known[spans.kind[above[known]] == SpanKind.FRAMEWORK]
        hit = framework[names[spans.name[above[framework]]]]
        found[hit] = above[hit]
        above[known] = np.where(np.isin(known, framework), spans.parent[above[known]], NONE)
    kept = found != NONE
    return runs[kept], found[kept]


def _fit(profile: Profile, role: NameRole) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([profile.name_rules.fits(role, name) for name in profile.names] or [False], bool)


def _operation(name: str) -> Operation:
    return Operation(name=name, type=name, scope="", program="", source="", category="", flops=math.nan, bytes=math.nan, eager=True)
