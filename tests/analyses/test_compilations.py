"""Compilations after the first steps, and the shapes that they were made for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import hlo_bytes as hb
from analyses.timeline import MS, timeline
from stepscope._native import read_hlo
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.host.compilations import argument_shapes, compilations, recorded_shapes
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import NONE

PROFILE = timeline("""
    main    111122223333
    main    cc..ccc..c..
    main    ....c.......
    gpu 0   ..KK..K..KKK
""")


def test_the_outermost_after_the_first_steps_are_taken() -> None:
    breakdown = break_down(PROFILE)
    spans = PROFILE.spans
    assert [spans.start[row] / MS for row in compilations(PROFILE, breakdown, 0)] == [0, 4, 9]
    assert [spans.start[row] / MS for row in compilations(PROFILE, breakdown, 1)] == [4, 9]
    assert [spans.end[row] / MS for row in compilations(PROFILE, breakdown, 1)] == [7, 10], "not the one inside"


def test_shapes_are_those_of_the_rows_of_the_name() -> None:
    rows = compilations(PROFILE, break_down(PROFILE), 0)
    shape = PROFILE.spans.shape.copy()
    names = [*PROFILE.names, "f32[8]", "f32[9]"]
    shape[rows[0]], shape[rows[1]] = len(PROFILE.names), len(PROFILE.names) + 1
    profile = replace(PROFILE, names=names, spans=replace(PROFILE.spans, shape=shape))
    name = int(profile.spans.name[rows[0]])
    assert recorded_shapes(profile, rows, name) == {"f32[8]", "f32[9]"}
    assert recorded_shapes(profile, rows[2:], name) == set()
    assert recorded_shapes(profile, rows, NONE) == set()
    assert np.count_nonzero(shape != NONE) == 2


def program(name: str, *sizes: int) -> HloProgram:
    """A jitted function whose arguments are lists of numbers of these sizes."""
    arguments = [hb.parameter(place + 1, place, hb.shape(hb.F32, size)) for place, size in enumerate(sizes)]
    return HloProgram(**read_hlo(hb.program(hb.computation(1, 1, *arguments), entry=1, name=name)))


def test_the_first_argument_that_changes_is_told() -> None:
    versions = [program("jit_step", 4, 8), program("jit_step", 4, 9), program("jit_other", 1, 1)]
    assert argument_shapes(versions, "step") == {"f32[8]", "f32[9]"}
    assert argument_shapes(versions[:1], "step") == set()
    assert argument_shapes(versions, "other") == set()
