"""The input pipeline as far as a recording shows it: who hands out batches, what a step waits for, and what preparing them costs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from stepscope.analyses.attributes import ReadAttributes, attributes_of
from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.input.phases import PhaseTime, input_phases
from stepscope.analyses.input.stages import Remedy, Stage, cores_of_tf_data, remedies, slowest_stage, tf_data_stages
from stepscope.analyses.input.waiting import input_time
from stepscope.analyses.rows import are_named, rows_named
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Int64, Profile, SpanKind
from stepscope.model.span_names import NameRole

_SAMPLED = 16  # waits whose attributes are read for the size of a batch


class Loader(Enum):
    """Who hands out batches."""

    TF_DATA = "tf.data"
    TORCH_SINGLE = "DataLoader in the training process"
    TORCH_WORKERS = "DataLoader with workers"
    OTHER = "another loader"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class InputPipeline:
    """The consumer's side and what is upstream of it; times in nanoseconds of a typical step."""

    loader: Loader
    calls: int  # of the consumer, in all steps
    exposed_ns: float
    overlapped_ns: float
    copied_exposed_ns: float  # host to device
    copied_beside_ns: float
    batch_bytes: float | None  # median, None when the file does not say
    longest_row: int  # the longest wait, NONE without any
    phases: tuple[PhaseTime, ...]
    stages: tuple[Stage, ...]  # nearest to the consumer first
    slowest: Stage | None  # the stage to make faster, parallel or cached
    remedies: tuple[Remedy, ...]
    cores: int | None  # what tf.data's own budget says, None when the attributes are not at hand


def input_pipeline(profile: Profile, breakdown: Breakdown, attributes: ReadAttributes | None = None) -> InputPipeline:
    """`attributes` reads single events; without it settings and buffers are unknown. Found once: rates and rules ask for it too."""
    return breakdown.once((input_pipeline, attributes), lambda: _found(profile, breakdown, attributes))


def _found(profile: Profile, breakdown: Breakdown, attributes: ReadAttributes | None) -> InputPipeline:
    spans = profile.spans
    waits = np.flatnonzero((spans.kind == SpanKind.INPUT) & (breakdown.classified.label == TimeClass.INPUT))
    time = input_time(profile, breakdown)
    stages = tf_data_stages(profile, time, attributes)
    slowest = slowest_stage(profile, stages)
    return InputPipeline(
        loader=_loader(profile, waits, stages),
        calls=_fetches(profile, waits),
        exposed_ns=float(breakdown.typical_parts[TimeClass.INPUT]),
        overlapped_ns=float(breakdown.typical_overlapped[TimeClass.INPUT]),
        copied_exposed_ns=float(breakdown.typical_parts[TimeClass.H2D]),
        copied_beside_ns=float(breakdown.typical_overlapped[TimeClass.H2D]),
        batch_bytes=_batch_bytes(profile, waits, attributes),
        longest_row=int(waits[int(np.argmax(spans.end[waits] - spans.start[waits]))]) if len(waits) else NONE,
        phases=input_phases(profile, waits, time),
        stages=stages,
        slowest=slowest,
        remedies=remedies(stages, slowest),
        cores=cores_of_tf_data(profile, attributes),
    )


def _fetches(profile: Profile, waits: Int64) -> int:
    """Waits that lie in no other wait of their thread: a call of the framework holds those of its parts."""
    spans = profile.spans
    count = 0
    for mine in np.split(waits, np.flatnonzero(np.diff(spans.track[waits])) + 1):
        reach = np.maximum.accumulate(spans.end[mine])
        count += int(np.count_nonzero(spans.start[mine][1:] >= reach[:-1])) + min(1, len(mine))
    return count


def _loader(profile: Profile, waits: Int64, stages: tuple[Stage, ...]) -> Loader:
    if stages:
        return Loader.TF_DATA
    if are_named(profile, waits, NameRole.WORKER_ITERATOR).any():
        return Loader.TORCH_WORKERS
    if are_named(profile, waits, NameRole.SINGLE_ITERATOR).any():
        return Loader.TORCH_SINGLE
    return Loader.OTHER if len(waits) else Loader.NONE


def _batch_bytes(profile: Profile, waits: Int64, attributes: ReadAttributes | None) -> float | None:
    """What tf.data's own operation says of the elements it handed out."""
    if attributes is None:
        return None
    sized = rows_named(profile, waits, NameRole.INPUT_OPERATION)
    sample: list[int] = sized[:: max(1, len(sized) // _SAMPLED)].tolist()
    told = [attributes_of(profile, row, attributes).get("element_size") for row in sample]
    sizes = [size for size in told if isinstance(size, int) and size > 0]
    return float(np.median(sizes)) if sizes else None
