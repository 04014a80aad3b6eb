"""Reads memory timelines of torch.profiler into counters by category."""

from __future__ import annotations

import os
from dataclasses import replace

import msgspec
import numpy as np

from stepscope._native import ProfileBuilder
from stepscope.formats.far_times import far_note, known_base, near_bounds
from stepscope.formats.file_content import read_content
from stepscope.formats.format import Limits
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.formats.torch_memory import FORMAT
from stepscope.model.errors import BadInput
from stepscope.model.profile import Note, Profile, TrackPurpose, TrackRole

_MOST_BYTES = 1 << 30
_LATEST = 1 << 62
CATEGORIES = ("Parameter", "Optimizer state", "Input", "Temporary", "Activation", "Gradient", "Autograd detail", "Unknown")
"""By torch's numbers."""

Raw = list[tuple[int, int, int, int]]
Summed = tuple[list[int], list[list[int]]]
Points = list[tuple[int, list[int]]]
"""Time in ns, and the bytes of each category from then on."""


def read(path: str, limits: Limits) -> Profile:
    """Reads a whole file. Raises BadInput with one sentence when nothing of it can be read."""
    name = os.path.basename(path)
    data = read_content(path, replace(limits, bytes=min(limits.bytes, _MOST_BYTES)))
    try:
        try:
            points = _of_raw(msgspec.json.decode(data, type=Raw), limits.spans)
        except msgspec.ValidationError:
            points = _of_summed(msgspec.json.decode(data, type=Summed), limits.spans)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{name} is corrupt or not a memory timeline of torch.profiler; export it again.", "damaged") from error
    if not points:
        raise BadInput(
            f"{name} contains no allocations; capture with profile_memory=True, record_shapes=True and with_stack=True.", "no_memory"
        )
    low, high = near_bounds(np.array([time for time, _ in points], np.int64))
    near = [point for point in points if low <= point[0] <= high]
    profile = _as_profile(near, path)
    if len(near) < len(points):
        profile.notes.append(far_note(len(points) - len(near)))
    return profile


def _of_raw(rows: Raw, most: int) -> Points:
    """Sums of what each row adds or takes away; what was there before has the time -1."""
    held = [0] * len(CATEGORIES)
    first = min((time for time, _, _, _ in rows if time >= 0), default=0)
    points: Points = []
    for time, _, size, category in rows[:most]:
        if not 0 <= category < len(CATEGORIES) or abs(size) > _LATEST or time > _LATEST:
            continue
        held[category] += size
        at = max(time, first)
        if points and points[-1][0] == at:
            points[-1] = (at, held.copy())
        else:
            points.append((at, held.copy()))
    return points


def _of_summed(table: Summed, most: int) -> Points:
    """Times in µs; the first column of the sizes is a zero for stacking."""
    times, sizes = table
    wide = len(CATEGORIES) + 1
    pairs = zip(times[:most], sizes, strict=False)
    return [(time * 1000, row[1:]) for time, row in pairs if len(row) == wide and 0 <= time < _LATEST // 1000]


def _as_profile(points: Points, path: str) -> Profile:
    builder = ProfileBuilder()
    tracks = [builder.add_track(name, TrackRole.COUNTER, TrackPurpose.OTHER, "Memory", -1, at) for at, name in enumerate(CATEGORIES)]
    base = points[0][0]
    for track, category in zip(tracks, range(len(CATEGORIES)), strict=True):
        before = None
        for time, held in points:
            if held[category] != before:
                builder.add_counter(track, time - base, float(held[category]))
                before = held[category]
    profile = profile_from_columns(builder.finish(), format=FORMAT.id, path=path)
    note = Note("info", "no_steps", "A memory timeline shows bytes over time and has no times of operations.")
    return replace(
        profile, base_ns=known_base(base), window=(0, points[-1][0] - base), framework="PyTorch", notes=[*profile.notes, note]
    )
