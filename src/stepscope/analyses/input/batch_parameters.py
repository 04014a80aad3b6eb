"""The size of a batch by the parameters of a compiled training step: those that it does not hand back changed are its batch."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Profile, SpanKind, TrackRole

_SHAPE = re.compile(r"\b([a-z]+[0-9]*[a-z0-9]*)\[([0-9,]*)\]")
_KEY = ("u32", (2,))
"""A key for random numbers."""
_LEAST = 2  # inputs that agree, such as values and labels

Shape = tuple[str, tuple[int, ...]]


def batch_by_parameters(profile: Profile, breakdown: Breakdown, programs: Sequence[HloProgram]) -> int | None:
    """The first dimension of all inputs of the step's program but its weights and state; None where that could be something else.

    Weights and state come back with the same shape. It is told for one device whose steps each run one program once.
    """
    name = _program_of_steps(profile, breakdown)
    program = next((one for one in programs if one.name == name), None)
    if program is None or program.damaged:
        return None
    inputs, outputs = _inputs(program), Counter(_outputs(program))
    batch: list[Shape] = []
    for shape in inputs:
        if outputs[shape] > 0:
            outputs[shape] -= 1
        elif shape[1] and shape != _KEY:
            batch.append(shape)
    first = {sizes[0] for _, sizes in batch}
    return first.pop() if len(batch) >= _LEAST and len(first) == 1 and len(batch) < len(inputs) else None


def _program_of_steps(profile: Profile, breakdown: Breakdown) -> str:
    """The program with most time of those that run once in every step; empty where there is none, or several devices."""
    if len(profile.devices) > 1 or not profile.ops:
        return ""
    spans, bounds = profile.spans, breakdown.steps.bounds
    owning = np.array([track.role in (TrackRole.THREAD, TrackRole.STREAM) for track in profile.tracks])
    compiled = np.array([bool(op.program) for op in profile.ops])
    rows = np.flatnonzero((spans.op >= 0) & np.isin(spans.kind, (SpanKind.OP, SpanKind.KERNEL)) & owning[spans.track])
    rows = rows[compiled[spans.op[rows]] & (spans.start[rows] >= bounds[0]) & (spans.start[rows] < bounds[-1])]
    time, runs = Counter[str](), dict[str, list[int]]()
    found, where, counts = np.unique(spans.op[rows], return_inverse=True, return_counts=True)
    lengths = np.bincount(where, weights=(spans.end - spans.start)[rows], minlength=len(found))
    ops: list[int] = found.tolist()
    for op, count, length in zip(ops, counts, lengths, strict=True):
        time[profile.ops[op].program] += int(length)
        runs.setdefault(profile.ops[op].program, []).append(int(count))
    name = max(time, key=lambda one: time[one], default="")
    once = bool(name) and Counter(runs[name]).most_common(1)[0][0] == len(breakdown.steps)
    return name if once else ""


def _inputs(program: HloProgram) -> list[Shape]:
    rows = program.rows_of(program.entry)
    return [shape for row in rows if program.text(program.opcode, row) == "parameter" for shape in _shapes(program, row)]


def _outputs(program: HloProgram) -> list[Shape]:
    root = int(program.computation_root[program.entry])
    return _shapes(program, root) if root >= 0 else []


def _shapes(program: HloProgram, row: int) -> list[Shape]:
    """The shape of a value, or those of a tuple's parts."""
    found = _SHAPE.finditer(program.text(program.shape, row))
    return [(each[1], tuple(int(size) for size in each[2].split(",") if size)) for each in found]
