"""Reads profiles of TensorFlow 1's tf.profiler: nodes become operations on lanes on which nothing overlaps."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from heapq import heappush, heapreplace

import numpy as np

from stepscope._native import ProfileBuilder
from stepscope.formats.far_times import far_note, near_bounds
from stepscope.formats.file_content import read_content
from stepscope.formats.format import Limits
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.formats.tfprof import FORMAT
from stepscope.model.errors import BadInput
from stepscope.model.profile import MarkerFamily, Note, Profile, SpanKind, TrackPurpose, TrackRole
from stepscope.model.protobuf_fields import BadMessage, Field, fields, numbers

_MOST_BYTES = 1 << 30
_MICRO = 1000
_LATEST = 1 << 53  # µs; what is later is damage
_UNKNOWN = float("nan")


@dataclass(slots=True)
class _Run:
    """One execution of a node: times in µs."""

    step: int
    device: str
    accelerator: bool
    start: int
    length: int


@dataclass(slots=True)
class _Node:
    name: str = ""
    op: str = ""
    flops: int = 0
    source: tuple[int, int] = (0, 0)
    runs: list[_Run] = field(default_factory=list[_Run])
    allocations: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Time in µs and bytes; a release is negative."""


def read(path: str, limits: Limits) -> Profile:
    """Reads a whole file. Raises BadInput with one sentence when nothing of it can be read."""
    name = os.path.basename(path)
    data = read_content(path, replace(limits, bytes=min(limits.bytes, _MOST_BYTES)))
    nodes: list[_Node] = []
    texts: dict[int, str] = {}
    runs = 0
    cut_short = too_many = False
    try:
        for one in fields(data):
            if runs > limits.spans or len(nodes) > limits.names or len(texts) > limits.names:
                too_many = True
                break
            if one.id == 1:
                nodes.append(_node(_entry(one)[1]))
                runs += len(nodes[-1].runs)
            elif one.id == 4:
                key, text = _entry(one)
                texts[key] = text.text
    except BadMessage:
        cut_short = True
    far = _leave_out_far(nodes)
    if not any(node.runs for node in nodes):
        raise BadInput(f"{name} contains no times: call Profiler.add_step with run metadata before saving it.", "no_times")
    profile = _as_profile(nodes, texts, path)
    if far:
        profile.notes.append(far_note(far))
    if too_many:
        note = Note("warning", "dropped_events", "The file has more executions or names than the limit allows; the rest is skipped.")
        profile.notes.append(note)
    if cut_short:
        profile.notes.append(Note("warning", "truncated", "The file is corrupt or truncated; only the readable content is shown."))
    return profile


def _entry(message: Field) -> tuple[int, Field]:
    key, value = 0, Field(0)
    for one in fields(message.data):
        if one.id == 1:
            key = one.signed
        elif one.id == 2:
            value = one
    return key, value


def _named_entry(message: Field) -> tuple[str, bytes]:
    inside = {one.id: one for one in fields(message.data)}
    return inside.get(1, Field(1)).text, inside.get(2, Field(2)).data


def _node(message: Field) -> _Node:
    node = _Node()
    for one in fields(message.data):
        if one.id == 1:
            node.name = one.text
        elif one.id == 9:
            node.op = one.text
        elif one.id == 8:
            node.flops = one.signed
        elif one.id == 10:
            node.source = _source(one)
        elif one.id == 12:
            step, runs = _entry(one)
            _read_runs(node, step, runs)
    return node


def _source(trace: Field) -> tuple[int, int]:
    """File and line of the first frame: the user's own code stands outermost in these files."""
    first = next(fields(trace.data), None)
    if first is None:
        return 0, 0
    inside = {one.id: one.signed for one in fields(first.data)}
    return inside.get(6, 0), inside.get(2, 0)


def _read_runs(node: _Node, step: int, message: Field) -> None:
    for one in fields(message.data):
        if one.id in {4, 5}:
            device, times = _named_entry(one)
            node.runs += (_Run(step, device, one.id == 4, start, length) for start, length in _times(times))
        elif one.id == 11:
            inside = {inner.id: inner.signed for inner in fields(one.data)}
            if 0 < inside.get(1, 0) < _LATEST:
                node.allocations.append((inside[1], inside.get(2, 0)))


def _times(message: bytes) -> Iterator[tuple[int, int]]:
    for one in fields(message):
        pair = [number for inner in fields(one.data) if inner.id == 1 for number in numbers(inner)]
        if len(pair) == 2 and 0 < pair[0] < _LATEST and 0 <= pair[1] < _LATEST:
            yield pair[0], pair[1]


def _leave_out_far(nodes: list[_Node]) -> int:
    """Takes away executions and allocations that lie far from the other executions, and says how many."""
    low, high = near_bounds(np.array([run.start for node in nodes for run in node.runs], np.int64) * _MICRO)
    gone = 0
    for node in nodes:
        runs = [run for run in node.runs if low <= run.start * _MICRO and (run.start + run.length) * _MICRO <= high]
        allocations = [one for one in node.allocations if low <= one[0] * _MICRO <= high]
        gone += len(node.runs) - len(runs) + len(node.allocations) - len(allocations)
        node.runs, node.allocations = runs, allocations
    return gone


def _as_profile(nodes: list[_Node], texts: dict[int, str], path: str) -> Profile:
    builder = ProfileBuilder()
    base = min(run.start for node in nodes for run in node.runs)
    # The nodes of a device are dealt out to lanes on which nothing overlaps: the file tells no threads.
    runs = sorted(((run, node) for node in nodes for run in node.runs), key=lambda pair: pair[0].start)
    lanes: dict[str, list[tuple[int, int]]] = {}
    steps: dict[int, tuple[int, int]] = {}
    for run, node in runs:
        end = run.start + run.length
        track = _lane(builder, lanes.setdefault(run.device, []), run, end)
        file, line = node.source
        op = builder.add_operation(
            node.name,
            node.op,
            node.name.rpartition("/")[0],
            source=f"{texts[file]}:{line}" if file in texts else "",
            flops=float(node.flops) if node.flops > 0 else _UNKNOWN,
        )
        kind = SpanKind.KERNEL if run.accelerator else SpanKind.OP
        builder.add_span(track, (run.start - base) * _MICRO, (end - base) * _MICRO, node.name, kind, op=op, step=_small(run.step))
        for time, size in node.allocations if run is node.runs[0] else ():
            builder.add_allocation(track, (time - base) * _MICRO, size)
        first, last = steps.get(run.step, (run.start, end))
        steps[run.step] = (min(first, run.start), max(last, end))
    markers = builder.add_track("steps", TrackRole.THREAD, TrackPurpose.MAIN)
    for step, (first, last) in sorted(steps.items()):
        span = builder.add_span(markers, (first - base) * _MICRO, (last - base) * _MICRO, f"step {step}", SpanKind.MARKER)
        builder.add_marker(span, step, MarkerFamily.STEP_NUM)
    profile = profile_from_columns(builder.finish(), format=FORMAT.id, path=path)
    note = Note("info", "no_causes", "TensorFlow 1 statistics record neither launches nor real threads.")
    return replace(profile, base_ns=base * _MICRO, framework="TensorFlow", notes=[*profile.notes, note])


def _lane(builder: ProfileBuilder, lanes: list[tuple[int, int]], run: _Run, end: int) -> int:
    """The track of a lane that is free again; `lanes` is a heap of when each becomes free, and its track."""
    if lanes and lanes[0][0] <= run.start:
        track = lanes[0][1]
        heapreplace(lanes, (end, track))
        return track
    # The profiler has kept one record of an accelerator's work, that of all its streams.
    role = TrackRole.STREAM if run.accelerator else TrackRole.THREAD
    track = builder.add_track(f"{run.device} lane {len(lanes) + 1}", role, TrackPurpose.EXECUTOR, number=len(lanes))
    heappush(lanes, (end, track))
    return track


def _small(step: int) -> int:
    return step if 0 <= step < 1 << 31 else -1
