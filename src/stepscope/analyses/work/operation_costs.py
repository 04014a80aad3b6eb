"""Arithmetic and bytes of one execution of each operation, and how they are known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from stepscope.model.profile import Float64, Profile

RECORDED = "recorded"
"""The file says it of the operation itself."""
HLO = "HLO"
"""Counted from the compiled program's instructions."""
SHAPES = "shapes"
"""Follows from the shapes of the inputs."""


@dataclass(frozen=True, slots=True)
class OperationCosts:
    """For each of Profile.ops: per execution, nan when unknown, and where the figure comes from."""

    flops: Float64
    bytes: Float64
    flops_from: tuple[str, ...]
    bytes_from: tuple[str, ...]
    input_shapes: dict[int, str] = field(default_factory=dict[int, str])
    """By operation, where a program tells."""
    output_shapes: dict[int, str] = field(default_factory=dict[int, str])


def recorded_costs(profile: Profile) -> OperationCosts:
    """What the file says of the operations."""
    flops = np.array([op.flops for op in profile.ops], np.float64)
    accessed = np.array([op.bytes for op in profile.ops], np.float64)
    return OperationCosts(flops, accessed, _sources(flops), _sources(accessed))


def joined_sources(sources: Iterable[str]) -> str:
    """Of a row of several operations."""
    return ", ".join(sorted({source for source in sources if source}))


def _sources(values: Float64) -> tuple[str, ...]:
    return tuple("" if unknown else RECORDED for unknown in np.isnan(values).tolist())
