"""Draws a profile: one line a track, one letter a millisecond, a run of letters a span.

    main       1111111122222222
    main       iiillooo
    gpu 0          KKKHH

are steps 1 and 2 of eight milliseconds; input, a launch and an operation on a thread; a kernel and a copy to the device. Lines
with the same name are one track, so nesting and neighbours of one letter go on lines of their own. `gpu 0/7` is stream 7 of GPU 0.
The first device span was launched by the first `l`, the second by the second, and so on; what is left over has no launch.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from stepscope.formats.name_rules import NAME_RULES
from stepscope.model.profile import (
    NONE,
    Aggregates,
    Allocations,
    Collectives,
    Copies,
    CopyDirection,
    Counters,
    Device,
    Flows,
    Kernels,
    MarkerFamily,
    Markers,
    Operation,
    Profile,
    SpanKind,
    Spans,
    Track,
    TrackPurpose,
    TrackRole,
)

MS = 1_000_000

ON_THREADS = {
    "o": SpanKind.OP,
    "l": SpanKind.RUNTIME,
    "s": SpanKind.SYNC,
    "a": SpanKind.ALLOC,
    "i": SpanKind.INPUT,
    "c": SpanKind.COMPILE,
    "g": SpanKind.GC,
    "w": SpanKind.IO,
    "f": SpanKind.FRAMEWORK,
    "p": SpanKind.PYTHON,
    "n": SpanKind.ANNOTATION,
    "C": SpanKind.COLLECTIVE,
    "x": SpanKind.OTHER,
}
ON_STREAMS = {
    "K": SpanKind.KERNEL,
    "L": SpanKind.KERNEL,
    "M": SpanKind.KERNEL,
    "C": SpanKind.COLLECTIVE,
    "H": SpanKind.COPY,
    "D": SpanKind.COPY,
    "P": SpanKind.COPY,
    "F": SpanKind.FILL,
}
DIRECTIONS = {"H": CopyDirection.HOST_TO_DEVICE, "D": CopyDirection.DEVICE_TO_HOST, "P": CopyDirection.PEER}
PURPOSES = {
    "main": TrackPurpose.MAIN,
    "backward": TrackPurpose.BACKWARD,
    "pool": TrackPurpose.EXECUTOR,
    "loader": TrackPurpose.INPUT,
    "network": TrackPurpose.COMMUNICATION,
    "logger": TrackPurpose.OTHER,
}
LINE = re.compile(r"^\s*(?P<track>[a-z]+(?: \d+(?:/\d+)?)?) {2,}(?P<picture>\S.*)$")


@dataclass
class DrawnSpan:
    """One span before the table is sorted."""

    track: str
    start: int
    end: int
    kind: SpanKind
    name: str
    step: int = NONE
    op: int = NONE
    cause: DrawnSpan | None = None
    direction: CopyDirection | None = None
    bytes: int = NONE
    collective: tuple[str, int, int] | None = None  # group, size, sequence
    row: int = NONE


@dataclass
class Timeline:
    """A profile under construction; `draw` adds pictures, `span` single spans."""

    unit: int = MS
    family: MarkerFamily = MarkerFamily.PROFILER_STEP
    spans: list[DrawnSpan] = field(default_factory=list)
    ops: list[Operation] = field(default_factory=list)
    purposes: dict[str, TrackPurpose] = field(default_factory=dict)
    derived: set[str] = field(default_factory=set)
    device_facts: dict[str, object] = field(default_factory=dict)
    rank: int = NONE
    world_size: int = NONE
    base_ns: int = 0

    def draw(self, picture: str, **names: str) -> Timeline:
        """Adds the spans of a picture; `K="gemm"` names the spans drawn with K."""
        lines = [match for match in map(LINE.match, picture.splitlines()) if match]
        left = min(match.start("picture") for match in lines)
        added: list[DrawnSpan] = []
        for match in lines:
            track = match["track"]
            at = match.start("picture") - left
            for letter, run in itertools.groupby(match["picture"].rstrip()):
                width = len(list(run))
                if letter not in ". ":
                    added.append(self._drawn(track, at, at + width, letter, names))
                at += width
        launches = sorted((span for span in added if span.kind == SpanKind.RUNTIME), key=lambda span: span.start)
        device = sorted((span for span in added if span.track.startswith("gpu")), key=lambda span: (span.start, span.end))
        for launch, launched in zip(launches, device, strict=False):
            launched.cause = launch
        self.spans += added
        return self

    def _drawn(self, track: str, at: int, to: int, letter: str, names: dict[str, str]) -> DrawnSpan:
        start, end = at * self.unit, to * self.unit
        if letter.isdigit():
            name = f"ProfilerStep#{letter}" if self.family == MarkerFamily.PROFILER_STEP else names.get(letter, "train")
            return DrawnSpan(track, start, end, SpanKind.MARKER, name, step=int(letter))
        kind = (ON_STREAMS if track.startswith("gpu") else ON_THREADS)[letter]
        direction = DIRECTIONS.get(letter) if kind == SpanKind.COPY else None
        return DrawnSpan(track, start, end, kind, names.get(letter, letter), direction=direction)

    def span(self, track: str, start: int, end: int, kind: SpanKind, name: str = "x", **facts: object) -> DrawnSpan:
        """Adds one span in nanoseconds; `cause`, `op`, `step`, `direction`, `bytes` and `collective` as keywords."""
        drawn = DrawnSpan(track, start, end, kind, name, **facts)  # type: ignore[arg-type]
        self.spans.append(drawn)
        return drawn

    def op(self, name: str, type_name: str = "", **facts: object) -> int:
        """Adds an operation and returns its number."""
        known: dict[str, object] = {"scope": "", "program": "", "source": "", "category": "", "eager": None}
        known |= {"flops": float("nan"), "bytes": float("nan")} | facts
        self.ops.append(Operation(name=name, type=type_name, **known))  # type: ignore[arg-type]
        return len(self.ops) - 1

    def build(self) -> Profile:
        """The profile, its rows sorted, nested and linked as readers do it."""
        names = list(dict.fromkeys(span.name for span in self.spans))
        order = list(dict.fromkeys(span.track for span in self.spans))
        order.sort(key=lambda track: track.startswith("gpu"))
        rows = sorted(self.spans, key=lambda span: (order.index(span.track), span.start, -span.end))
        for row, span in enumerate(rows):
            span.row = row
        parent, depth = _nested(rows)
        groups = [span.collective[0] for span in rows if span.collective]
        names += [name for name in dict.fromkeys(groups) if name not in names]
        devices = sorted({int(track.split()[1].split("/")[0]) for track in order if track.startswith("gpu")})
        tracks = [self._track(name, rows, devices) for name in order]
        causes = [span.cause.row if span.cause is not None else NONE for span in rows]
        table = Spans(
            track=_int32([order.index(span.track) for span in rows]),
            start=np.array([span.start for span in rows], np.int64),
            end=np.array([span.end for span in rows], np.int64),
            name=_int32([names.index(span.name) for span in rows]),
            kind=np.array([span.kind for span in rows], np.int8),
            depth=np.array(depth, np.int16),
            parent=_int32(parent),
            cause=_int32(causes),
            op=_int32([span.op for span in rows]),
            shape=_int32([NONE] * len(rows)),
            step=_int32([span.step for span in rows]),
            source=np.full(len(rows), NONE, np.int64),
        )
        ends = [span.end for span in rows]
        marked = sorted((span for span in rows if span.kind == SpanKind.MARKER), key=lambda span: span.start)
        return Profile(
            format="drawn",
            path="drawn",
            host="host",
            rank=self.rank,
            world_size=self.world_size,
            base_ns=self.base_ns,
            window=(min((span.start for span in rows), default=0), max(ends, default=0)),
            framework="",
            environment={},
            names=names,
            tracks=tracks,
            devices=[Device(name="", kind="GPU", ordinal=number, **self.device_facts) for number in devices],  # type: ignore[arg-type]
            ops=self.ops,
            programs=[],
            spans=table,
            markers=Markers(
                _int32([span.row for span in marked]),
                np.array([span.step for span in marked], np.int64),
                np.full(len(marked), self.family, np.int8),
            ),
            kernels=_kernels([span for span in rows if span.kind == SpanKind.KERNEL]),
            copies=_copies([span for span in rows if span.kind in (SpanKind.COPY, SpanKind.FILL)]),
            collectives=_collectives([span for span in rows if span.collective], names),
            allocations=_empty_allocations(),
            flows=Flows(_int32([]), _int32([]), np.zeros(0, np.int8)),
            counters=Counters(_int32([]), np.zeros(0, np.int64), np.zeros(0)),
            aggregates=Aggregates(_int32([]), _int32([]), np.zeros(0, np.int64), np.zeros(0, np.int64)),
            name_rules=NAME_RULES,
        )

    def _track(self, name: str, rows: Sequence[DrawnSpan], devices: list[int]) -> Track:
        mine = [row for row, span in enumerate(rows) if span.track == name]
        first, last = mine[0], mine[-1] + 1
        if not name.startswith("gpu"):
            purpose = self.purposes.get(name, PURPOSES.get(name.split()[0], TrackPurpose.UNKNOWN))
            role = TrackRole.DERIVED if name in self.derived else TrackRole.THREAD
            return Track(name, role, purpose, "host", NONE, 1, first, last)
        device, _, stream = name.removeprefix("gpu ").partition("/")
        role = TrackRole.DERIVED if name in self.derived else TrackRole.STREAM
        place = devices.index(int(device))
        return Track(name, role, TrackPurpose.UNKNOWN, f"GPU {device}", place, int(stream or 7), first, last)


def timeline(picture: str, unit: int = MS, family: MarkerFamily = MarkerFamily.PROFILER_STEP, **names: str) -> Profile:
    """The profile that a picture shows."""
    return Timeline(unit, family).draw(picture, **names).build()


def _int32(values: Sequence[int]) -> np.ndarray:
    return np.array(values, np.int32)


def _nested(rows: Sequence[DrawnSpan]) -> tuple[list[int], list[int]]:
    """Parent and depth: the innermost earlier span of the track that holds this one wholly."""
    parent: list[int] = []
    depth: list[int] = []
    stack: list[int] = []
    for row, span in enumerate(rows):
        while stack and (rows[stack[-1]].track != span.track or rows[stack[-1]].end < span.end or rows[stack[-1]].end <= span.start):
            stack.pop()
        parent.append(stack[-1] if stack else NONE)
        depth.append(len(stack))
        stack.append(row)
    return parent, depth


def _kernels(spans: Sequence[DrawnSpan]) -> Kernels:
    count = len(spans)
    return Kernels(
        row=_int32([span.row for span in spans]),
        grid=np.ones((count, 3), np.int32),
        block=np.full((count, 3), 32, np.int32),
        registers=np.full(count, 64, np.int32),
        shared_memory=np.zeros(count, np.int64),
        occupancy=np.full(count, 0.5, np.float32),
        blocks_per_multiprocessor=np.full(count, np.nan, np.float32),
        graph_node=np.full(count, NONE, np.int64),
    )


def _copies(spans: Sequence[DrawnSpan]) -> Copies:
    return Copies(
        row=_int32([span.row for span in spans]),
        direction=np.array([span.direction or CopyDirection.UNKNOWN for span in spans], np.int8),
        source_memory=np.zeros(len(spans), np.int8),
        target_memory=np.zeros(len(spans), np.int8),
        bytes=np.array([span.bytes for span in spans], np.int64),
    )


def _collectives(spans: Sequence[DrawnSpan], names: list[str]) -> Collectives:
    facts = [span.collective for span in spans if span.collective]
    none = np.full(len(facts), NONE, np.int64)
    return Collectives(
        row=_int32([span.row for span in spans]),
        name=_int32([names.index(span.name) for span in spans]),
        group=_int32([names.index(group) for group, _, _ in facts]),
        group_size=_int32([size for _, size, _ in facts]),
        sequence=np.array([sequence for _, _, sequence in facts], np.int64),
        in_bytes=np.array([span.bytes for span in spans if span.collective], np.int64),
        out_bytes=none,
        dtype=_int32([NONE] * len(facts)),
        peer=_int32([NONE] * len(facts)),
    )


def _empty_allocations() -> Allocations:
    number, row = np.zeros(0, np.int64), _int32([])
    return Allocations(number, row, row, row, number, number, number, number, row, row, row)
