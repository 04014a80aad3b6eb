"""Compilations after the first steps of a recording, and the shapes that they were made for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import NONE, Int64, Profile, SpanKind, TrackRole


def compilations(profile: Profile, breakdown: Breakdown, first: int) -> Int64:
    """The outermost compile spans that begin in the step at place `first` or later, on any thread."""
    spans, steps = profile.spans, breakdown.steps
    owning = np.array([track.role == TrackRole.THREAD for track in profile.tracks] or [False])
    rows = np.flatnonzero((spans.kind == SpanKind.COMPILE) & owning[spans.track])
    rows = rows[(spans.start[rows] >= steps.bounds[first]) & (spans.start[rows] < steps.bounds[-1])]
    above = spans.parent[rows]
    return rows[(above == NONE) | (spans.kind[np.maximum(above, 0)] != SpanKind.COMPILE)]


def recorded_shapes(profile: Profile, rows: Int64, name: int) -> set[str]:
    """Of those of the rows that have the name."""
    mine = rows[profile.spans.name[rows] == name]
    return {profile.names[shape] for shape in map(int, profile.spans.shape[mine]) if shape != NONE}


def argument_shapes(programs: Sequence[HloProgram], function: str) -> set[str]:
    """Of the first argument of a jitted function that has several, by what was compiled for it."""
    versions = [each for each in programs if each.name.partition("(")[0] == f"jit_{function}" and not each.damaged]
    places: dict[str, set[str]] = {}
    for program in versions:
        for row in program.rows_of(program.entry):
            if program.text(program.opcode, row) == "parameter":
                shape = program.text(program.shape, row).partition("{")[0]
                places.setdefault(program.text(program.literal, row), set()).add(shape)
    return next((shapes for _, shapes in sorted(places.items()) if len(shapes) > 1), set[str]())
