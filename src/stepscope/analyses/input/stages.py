"""Stages of a tf.data pipeline: their cost, what of it the step waited for, their buffers and settings, and what would help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from stepscope.analyses.attributes import ReadAttributes, attributes_of
from stepscope.analyses.grouping import dense_codes
from stepscope.analyses.input.upstream import DEEPEST, depth_of, once, without_waiting
from stepscope.analyses.input.waiting import InputTime, innermost, sums_by
from stepscope.analyses.intervals import union
from stepscope.analyses.rows import names_with
from stepscope.model.profile import Int64, Profile
from stepscope.model.span_names import NameRole

_HANDS_OVER = "Prefetch"  # its own time is waiting for the stage before it
_EMPTY_SHARE = 0.5
_LATE_NS = 50_000
_SAMPLED = 64  # events of one stage whose attributes are read
_READERS = {"TFRecord", "TextLine", "FixedLengthRecord", "Interleave", "ParallelInterleave", "ParallelInterleaveV4", "CSV"}
_PYTHON = {"Generator", "FlatMap"}
_OWN_CODE = {"Map", "ParallelMap", "ParallelMapV2", "MapAndBatch", "Filter", "ParallelFilter", "Scan", "GroupByWindow", "ParseExample"}
"""Stages that run code of the user's, which can run in parallel or have its results cached."""


class Remedy(Enum):
    """What may be done about the stage that holds the others up."""

    PREFETCH = "End the pipeline with prefetch(tf.data.AUTOTUNE)."
    NO_GENERATOR = "A Python generator produces one element at a time: read with tf.data, or interleave several generators."
    PARALLEL_READ = "Read several files at once: interleave(..., num_parallel_calls=tf.data.AUTOTUNE)."
    PARALLEL_MAP = "Run its function in parallel: num_parallel_calls=tf.data.AUTOTUNE."
    CACHE = "Cache its output with cache(), if it fits in memory."


@dataclass(frozen=True, slots=True)
class Settings:
    """What a stage was told, None where the file does not say."""

    parallelism: int | None = None
    autotune: bool | None = None
    buffer_size: int | None = None  # elements that fit its buffer
    batch_size: int | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """One dataset of a tf.data pipeline; times in nanoseconds.

    Its own time is without the stages before it: those that it calls, and those that it waits for while they work on other threads.
    """

    path: str
    name: str  # the last part of the path: "Map", "Prefetch", …
    count: int
    total_ns: int  # of the recording, of all its threads in sum
    self_ns: int  # of the recording: its own time, of all its threads in sum
    exposed_ns: float  # of a typical step: what the step waited for it; over the stages no more than the step's wait
    beside_ns: float  # of a typical step: its own time while the step did something else, of all its threads in sum
    threads: int
    at_once: float  # threads inside it at an instant at which one is
    row: int  # its longest span
    settings: Settings
    buffered: float | None  # mean number of elements in its buffer, None when it has none or the attributes are not at hand
    empty: float | None  # share of the sampled consumes that found the buffer empty

    @property
    def kind(self) -> str:
        """The name without the place that tf.data gives to inner iterators."""
        return self.name.split("[", 1)[0]


def tf_data_stages(profile: Profile, time: InputTime, attributes: ReadAttributes | None) -> tuple[Stage, ...]:
    """Nearest to the consumer first. Without `attributes`, settings and buffers are unknown."""
    rows = stage_rows(profile)
    if not len(rows):
        return ()
    names = dense_codes(profile.spans.name[rows].astype(np.int64), len(profile.names))
    start, end, place = own_time = without_waiting(profile, rows, innermost(profile, rows))
    key = names.code[place]
    own = sums_by(key, names.groups, end - start)
    beside = sums_by(key, names.groups, time.beside(start, end)) / max(1, time.steps)
    depth = np.array([depth_of(profile, int(name)) for name in profile.spans.name[rows][names.firsts()]])
    since, until, waited_for = once(own_time, (DEEPEST - depth[key]).astype(np.int8))
    exposed = sums_by(names.code[waited_for], names.groups, time.exposed(since, until)) / max(1, time.steps)
    members = names.members(rows)
    found = [
        _stage(profile, mine, attributes, int(own[place]), float(exposed[place]), float(beside[place]))
        for place, mine in enumerate(members)
    ]
    return tuple(sorted(found, key=lambda stage: (stage.path.count("::"), stage.path)))


def slowest_stage(profile: Profile, stages: tuple[Stage, ...]) -> Stage | None:
    """Upstream of the first buffer that is found empty and makes its consumer wait, the stage with most time of its own.

    Without a buffer that is known to be empty: of all stages but the consumer's own.
    """
    upstream = [stage for stage in stages if not profile.name_rules.fits(NameRole.INPUT_ROOT, stage.path) and stage.kind != _HANDS_OVER]
    for stage in stages:
        late = profile.spans.end[stage.row] - profile.spans.start[stage.row] > _LATE_NS
        if stage.empty is not None and stage.empty >= _EMPTY_SHARE and late:
            upstream = [one for one in upstream if one.path.startswith(f"{stage.path}::")] or [stage]
            break
    return max(upstream, key=lambda stage: stage.self_ns, default=None)


def remedies(stages: tuple[Stage, ...], slowest: Stage | None) -> tuple[Remedy, ...]:
    """What may be done about the slowest stage, the likeliest help first."""
    if slowest is None:
        return ()
    found: list[Remedy] = []
    if not any(stage.kind == _HANDS_OVER for stage in stages):
        found.append(Remedy.PREFETCH)
    if slowest.kind in _PYTHON:
        found.append(Remedy.NO_GENERATOR)
    elif slowest.kind in _READERS:
        found.append(Remedy.PARALLEL_READ)
    elif slowest.kind in _OWN_CODE:
        if (slowest.settings.parallelism or 1) <= 1 and slowest.settings.autotune is not True:
            found.append(Remedy.PARALLEL_MAP)
        found.append(Remedy.CACHE)
    return tuple(found)


def cores_of_tf_data(profile: Profile, attributes: ReadAttributes | None) -> int | None:
    """The cores that tf.data may use, as its root says."""
    if attributes is None or not len(profile.spans):
        return None
    roots = np.flatnonzero(names_with(profile, NameRole.INPUT_ROOT)[profile.spans.name])
    return _count(attributes_of(profile, int(roots[0]), attributes).get("cpu_budget")) if len(roots) else None


def stage_rows(profile: Profile) -> Int64:
    """Every call of a stage."""
    known = np.array([bool(profile.name_rules.stage(name)) for name in profile.names] or [False])
    return np.flatnonzero(known[profile.spans.name]) if len(profile.spans) else np.zeros(0, np.int64)


def _stage(profile: Profile, mine: Int64, attributes: ReadAttributes | None, own: int, exposed: float, beside: float) -> Stage:
    spans = profile.spans
    length = spans.end[mine] - spans.start[mine]
    since, until = union(spans.start[mine], spans.end[mine])
    busy = int((until - since).sum())
    told = [] if attributes is None else _sampled(profile, mine, attributes)
    buffered = [float(value) for each in told if isinstance(value := each.get("buffered_elements"), int | float)]
    path = profile.names[int(spans.name[mine[0]])]
    return Stage(
        path=path,
        name=path.rsplit("::", 1)[-1],
        count=len(mine),
        total_ns=int(length.sum()),
        self_ns=own,
        exposed_ns=exposed,
        beside_ns=beside,
        threads=len(np.unique(spans.track[mine])),
        at_once=int(length.sum()) / busy if busy else 0.0,
        row=int(mine[int(np.argmax(length))]),
        settings=_settings(told[0] if told else {}),
        buffered=float(np.mean(buffered)) if buffered else None,
        empty=float(np.mean([count == 0 for count in buffered])) if buffered else None,
    )


def _sampled(profile: Profile, rows: Int64, attributes: ReadAttributes) -> list[Mapping[str, object]]:
    """Attributes of a sample of the stage's calls; of one call when it has no buffer to look at."""
    first = attributes_of(profile, int(rows[0]), attributes)
    if "buffered_elements" not in first:
        return [first]
    return [attributes_of(profile, row, attributes) for row in map(int, rows[:: max(1, len(rows) // _SAMPLED)])]


def _settings(told: Mapping[str, object]) -> Settings:
    autotune = {"true": True, "false": False}.get(str(told.get("autotune", "")).lower())
    size = told.get("buffer_limit", told.get("buffer_size", told.get("max_batch_results")))
    return Settings(_count(told.get("parallelism")), autotune, _count(size), _count(told.get("batch_size")))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
