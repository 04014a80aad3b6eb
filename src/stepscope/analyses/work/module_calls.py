"""Which module of the model every span belongs to, from PyTorch's recorded calls of modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.rows import rows_named, rows_of_role
from stepscope.model.profile import NONE, FlowKind, Int64, Profile, SpanKind, TrackRole
from stepscope.model.span_names import NameRole

_CALLS = ((NameRole.MODULE_CALL, SpanKind.PYTHON), (NameRole.ANNOTATED_MODULE_CALL, SpanKind.ANNOTATION))
"""PyTorch records a call of a module as a Python call, and Lightning annotates it; the first that is there is taken."""
DEEPEST = 64
"""Levels of a tree; what lies deeper than any model has modules counts for what holds it."""

Flags: TypeAlias = NDArray[np.bool_]
Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModuleCalls:
    """A module for every span, host or device; a backward operation has the module of its forward operation."""

    paths: list[Path]  # in the order in which modules first ran
    calls: list[int]  # how often each was called
    module: Int64  # per span, into paths; NONE outside of modules
    backward: Flags  # per span


def module_calls(profile: Profile) -> ModuleCalls | None:
    """None when the file records no calls of modules."""
    spans = profile.spans
    for role, kind in _CALLS:
        calls = rows_named(profile, np.flatnonzero(spans.kind == kind), role)
        if len(calls):
            break
    else:
        return None
    is_call = np.zeros(len(spans), bool)
    is_call[calls] = True
    places, count, module = _paths(profile, role, calls, _nearest(profile, is_call, spans.parent[calls].astype(np.int64)))
    is_backward = _add_backward(profile, is_call, module)
    hosts = rows_of_role(profile, TrackRole.THREAD)
    anchor = np.full(len(spans), NONE, np.int64)
    anchor[hosts] = _nearest(profile, is_call | is_backward, hosts)
    devices = rows_of_role(profile, TrackRole.STREAM)
    devices = devices[spans.cause[devices] >= 0]
    anchor[devices] = anchor[spans.cause[devices]]
    inside = anchor >= 0
    return ModuleCalls(
        paths=list(places),
        calls=count,
        module=np.where(inside, module[anchor], NONE),
        backward=inside & is_backward[anchor],
    )


def _paths(profile: Profile, role: NameRole, calls: Int64, above: Int64) -> tuple[dict[Path, int], list[int], Int64]:
    """Distinct paths, how often each was called, and the path of every call."""
    places: dict[Path, int] = {}
    count: list[int] = []
    module = np.full(len(profile.spans), NONE, np.int64)
    of_call: dict[int, Path] = {}
    for row, holder in zip(calls.tolist(), above.tolist(), strict=True):
        (module_name,) = profile.name_rules.carried(role, profile.names[int(profile.spans.name[row])]) or ("",)
        path = (*of_call.get(holder, ()), module_name.strip())[:DEEPEST]
        of_call[row] = path
        if path not in places:
            places[path] = len(count)
            count.append(0)
        module[row] = places[path]
        count[places[path]] += 1
    return places, count, module


def _add_backward(profile: Profile, is_call: Flags, module: Int64) -> Flags:
    """Gives each backward operation the module of its forward operation, and says which rows these are."""
    flows = profile.flows
    pairs = np.flatnonzero(flows.kind == FlowKind.BACKWARD)
    source, target = flows.source[pairs].astype(np.int64), flows.target[pairs].astype(np.int64)
    holder = _nearest(profile, is_call, source)
    known = (holder >= 0) & ~is_call[target]
    module[target[known]] = module[holder[known]]
    found = np.zeros(len(is_call), bool)
    found[target[known]] = True
    return found


def _nearest(profile: Profile, wanted: Flags, rows: Int64) -> Int64:
    """The first row that is wanted on the way up from each row, itself included; NONE when there is none."""
    parent = profile.spans.parent
    found = rows.copy()
    open_ = np.flatnonzero(found >= 0)
    while len(open_):
        open_ = open_[~wanted[found[open_]]]
        found[open_] = parent[found[open_]]
        open_ = open_[found[open_] >= 0]
    return found
