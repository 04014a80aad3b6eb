"""The input pipeline as far as a recording shows it: stages of tf.data, their cost and their buffers, and torch's loader."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.errors import StepscopeError
from stepscope.model.profile import NONE, Int64, Profile, SpanKind

ReadAttributes: TypeAlias = Callable[[Profile, int], Mapping[str, object]]
"""Every attribute of the span in a row, read from the file when asked for. Raises StepscopeError."""

ROOT = "Iterator::Root"
_STAGE = "Iterator::"
_HANDS_OVER = "Prefetch"  # its own time is waiting for the stage before it
_EMPTY_SHARE = 0.5
_LATE_NS = 50_000
_SAMPLED = 64  # events of one stage whose attributes are read
_ITERATOR = re.compile(r"#(_\w+Iter)\b")


class Loader(Enum):
    """Who hands out batches."""

    TF_DATA = "tf.data"
    TORCH_SINGLE = "DataLoader in the training process"
    TORCH_WORKERS = "DataLoader with workers"
    OTHER = "unknown loader"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Stage:
    """One dataset of a tf.data pipeline; times in nanoseconds over the whole recording."""

    path: str
    name: str  # the last part of the path: "Map", "Prefetch", …
    count: int
    total_ns: int
    self_ns: int  # without the stages it called on the same thread
    threads: int
    row: int  # its longest span
    buffered: float | None  # mean number of elements in its buffer, None when it has none or the attributes are not at hand
    empty: float | None  # share of the sampled consumes that found the buffer empty


@dataclass(frozen=True, slots=True)
class InputPipeline:
    """The consumer's side and what is upstream of it."""

    loader: Loader
    calls: int  # of the consumer, in all steps
    exposed_ns: float  # of a typical step
    overlapped_ns: float
    longest_row: int  # the longest wait, NONE without any
    stages: tuple[Stage, ...]  # nearest to the consumer first
    slowest: Stage | None  # the stage to make faster, parallel or cached
    cores: int | None  # what tf.data's own budget says, None when the attributes are not at hand


def input_pipeline(profile: Profile, breakdown: Breakdown, attributes: ReadAttributes | None = None) -> InputPipeline:
    """`attributes` reads single events; without it buffers are unknown."""
    spans = profile.spans
    waits = np.flatnonzero((spans.kind == SpanKind.INPUT) & (breakdown.classified.label == TimeClass.INPUT))
    stages = _stages(profile, attributes)
    longest = int(waits[int(np.argmax(spans.end[waits] - spans.start[waits]))]) if len(waits) else NONE
    return InputPipeline(
        loader=_loader(profile, waits, stages),
        calls=len(waits),
        exposed_ns=float(breakdown.typical_parts[TimeClass.INPUT]),
        overlapped_ns=float(breakdown.typical_overlapped[TimeClass.INPUT]),
        longest_row=longest,
        stages=stages,
        slowest=_slowest(profile, stages),
        cores=_budget(profile, attributes),
    )


def _loader(profile: Profile, waits: Int64, stages: tuple[Stage, ...]) -> Loader:
    if stages:
        return Loader.TF_DATA
    names = {profile.names[int(name)] for name in np.unique(profile.spans.name[waits])}
    classes = {found[1] for found in map(_ITERATOR.search, names) if found}
    if any("MultiProcessing" in name for name in classes):
        return Loader.TORCH_WORKERS
    if any("SingleProcess" in name for name in classes):
        return Loader.TORCH_SINGLE
    return Loader.OTHER if names else Loader.NONE


def _stages(profile: Profile, attributes: ReadAttributes | None) -> tuple[Stage, ...]:
    spans = profile.spans
    known = np.array([name.startswith(_STAGE) for name in profile.names] or [False])
    rows = np.flatnonzero(known[spans.name]) if len(spans) else np.zeros(0, np.int64)
    if not len(rows):
        return ()
    length = spans.end - spans.start
    own = length.copy()
    above = spans.parent[rows].astype(np.int64)
    open_ = np.flatnonzero(above >= 0)
    while len(open_):
        open_ = open_[~known[spans.name[above[open_]]]]
        above[open_] = spans.parent[above[open_]]
        open_ = open_[above[open_] >= 0]
    np.subtract.at(own, above[above >= 0], length[rows[above >= 0]])
    by_name = rows[np.argsort(spans.name[rows], kind="stable")]
    cuts = np.flatnonzero(np.diff(spans.name[by_name])) + 1
    members = {profile.names[int(spans.name[mine[0]])]: mine for mine in np.split(by_name, cuts)}
    found: list[Stage] = []
    for path, mine in sorted(members.items(), key=lambda item: (item[0].count("::"), item[0])):
        buffered = _buffered(profile, mine, attributes)
        found.append(
            Stage(
                path=path,
                name=path.rsplit("::", 1)[-1],
                count=len(mine),
                total_ns=int(length[mine].sum()),
                self_ns=int(own[mine].sum()),
                threads=len(np.unique(spans.track[mine])),
                row=int(mine[int(np.argmax(length[mine]))]),
                buffered=float(np.mean(buffered)) if buffered else None,
                empty=float(np.mean([count == 0 for count in buffered])) if buffered else None,
            )
        )
    return tuple(found)


def _buffered(profile: Profile, rows: Int64, attributes: ReadAttributes | None) -> list[float]:
    """Elements in the buffer at a sample of the stage's calls; none for a stage without a buffer."""
    if attributes is None:
        return []
    found: list[float] = []
    for row in map(int, rows[:: max(1, len(rows) // _SAMPLED)]):
        value = _attributes_of(profile, row, attributes).get("buffered_elements")
        if isinstance(value, int | float):
            found.append(float(value))
        elif not found:
            return []
    return found


def _attributes_of(profile: Profile, row: int, attributes: ReadAttributes) -> Mapping[str, object]:
    try:
        return attributes(profile, row)
    except StepscopeError:  # the file was moved or cut since: the stage's times still hold
        return {}


def _slowest(profile: Profile, stages: tuple[Stage, ...]) -> Stage | None:
    """Upstream of the first buffer that is found empty and makes its consumer wait, the stage with most time of its own.

    Without a buffer that is known to be empty: of all stages but the consumer's own.
    """
    upstream = [stage for stage in stages if stage.path != ROOT and stage.name != _HANDS_OVER]
    for stage in stages:
        late = profile.spans.end[stage.row] - profile.spans.start[stage.row] > _LATE_NS
        if stage.empty is not None and stage.empty >= _EMPTY_SHARE and late:
            upstream = [one for one in upstream if one.path.startswith(f"{stage.path}::")] or [stage]
            break
    return max(upstream, key=lambda stage: stage.self_ns, default=None)


def _budget(profile: Profile, attributes: ReadAttributes | None) -> int | None:
    """The cores that tf.data may use, as its root says."""
    if attributes is None:
        return None
    root = np.flatnonzero(np.array([name == ROOT for name in profile.names] or [False])[profile.spans.name])
    if not len(root):
        return None
    value = _attributes_of(profile, int(root[0]), attributes).get("cpu_budget")
    return value if isinstance(value, int) and value > 0 else None
