"""The size of a batch by hyperparameters that a run has logged: what one rank's step works on, in every way they can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.rows import rows_named
from stepscope.model.profile import Profile, SpanKind
from stepscope.model.span_names import NameRole

_OF_ONE_RANK = {
    "per_device_train_batch_size",
    "per_device_batch_size",
    "per_gpu_train_batch_size",
    "per_gpu_batch_size",
    "per_replica_batch_size",
    "batch_size_per_device",
    "batch_size_per_gpu",
    "batch_size_per_rank",
    "train_micro_batch_size_per_gpu",
    "micro_batch_size",
    "local_batch_size",
}
_OF_ALL_RANKS = {"global_batch_size", "total_batch_size", "total_train_batch_size", "effective_batch_size"}
_OF_EITHER = {"batch_size", "train_batch_size", "batchsize", "batch", "bs"}
_ACCUMULATION = {
    "gradient_accumulation_steps",
    "gradient_accumulation",
    "accumulate_grad_batches",
    "grad_accumulation_steps",
    "grad_accum_steps",
    "accumulation_steps",
}
_NOT_TRAINING = {"eval", "val", "valid", "validation", "test", "predict", "inference"}
_LARGEST = 1 << 40


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read what is logged; `words` say which."""

    size: int
    words: str


def batch_readings(logged: Mapping[str, str], ranks: int, accumulates: bool | None) -> list[Reading]:
    """All ways to read the logged batch size as examples of one rank's step; empty when none is logged.

    `accumulates` tells whether a step holds all batches whose gradients are accumulated; None when nobody knows.
    """
    sizes = {key: size for key, text in logged.items() if (size := _count(text)) is not None}
    factors = {(key, size) for key, size in sizes.items() if _word(key) in _ACCUMULATION and size > 1}
    found: list[Reading] = []
    for words in (_OF_ONE_RANK, _OF_ALL_RANKS, _OF_EITHER):
        for key, size in sizes.items():
            if _word(key) in words and not _NOT_TRAINING & set(re.split(r"[^a-z]+", key.lower())):
                found += _readings(key, size, words, ranks, factors, accumulates)
        if found:
            break
    return list({reading.size: reading for reading in reversed(found)}.values())[::-1]


def steps_accumulate(profile: Profile, breakdown: Breakdown) -> bool | None:
    """Whether every step has an optimizer's step, and so all batches that it accumulates over; None where none was recorded."""
    spans, bounds = profile.spans, breakdown.steps.bounds
    rows = rows_named(profile, np.flatnonzero(spans.kind == SpanKind.ANNOTATION), NameRole.OPTIMIZER_STEP)
    inside = np.unique(np.searchsorted(bounds, spans.start[rows], side="right"))
    inside = inside[(inside > 0) & (inside < len(bounds))]
    return None if not len(inside) else bool(len(inside) > 0.9 * len(breakdown.steps))


def _readings(
    key: str, size: int, words: set[str], ranks: int, factors: set[tuple[str, int]], accumulates: bool | None
) -> Iterator[Reading]:
    said = f"the logged {key} {size:,}"
    if words is not _OF_ALL_RANKS:
        ours = f"{said} of one rank" if words is _OF_EITHER and ranks > 1 else said
        if accumulates is not True or not factors:
            yield Reading(size, ours)
        if accumulates is not False:
            yield from (Reading(size * factor, f"{ours} × {name} {factor:,}") for name, factor in factors)
    shared = words is _OF_ALL_RANKS or (words is _OF_EITHER and ranks > 1)
    if shared and size % ranks == 0:
        over = f" over {ranks:,} ranks" if ranks > 1 else ""
        if accumulates is not False or not factors:
            yield Reading(size // ranks, said + over)
        if accumulates is not True:
            yield from (
                Reading(size // ranks // factor, f"{said}{over} in {factor:,} parts ({name})")
                for name, factor in factors
                if size // ranks % factor == 0
            )


def _word(key: str) -> str:
    """The last part of a nested setting's name, in one spelling."""
    return re.split(r"[/.]", key)[-1].strip().lower().replace("-", "_")


def _count(text: str) -> int | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() and 1 <= number <= _LARGEST else None
