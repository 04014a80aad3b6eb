"""What a span's time counts as: classes of the device and of the threads that control it, and the six groups shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

import numpy as np

from stepscope.analyses.program_runs import Runs, program_runs
from stepscope.analyses.rows import names_with, rows_of, rows_of_role
from stepscope.analyses.startup import startup_rows
from stepscope.model.profile import NONE, CopyDirection, Int8, Int32, Int64, Profile, SpanKind, TrackPurpose, TrackRole
from stepscope.model.span_names import NameRole
from stepscope.model.steps import Steps

Segments: TypeAlias = tuple[Int64, Int64, Int32, Int8]
"""Stretches of one track that do not overlap: start, end, the row that owns each, and its label."""

DEFINITIONS = 6
"""Version of the definitions in docs/profiles/step-breakdown.md; a change of any of them raises it."""

SHORT_OP_NS = 10_000
SHORT_EAGER_OP_NS = 50_000
"""Of an operation that TensorFlow runs eagerly: its span holds the call of a function of one operation."""
LAUNCHES_OF_A_CONTROL_THREAD = 10


class TimeClass(IntEnum):
    """Classes in the order in which they take time: each gets what it covers and nothing before it took."""

    COMPUTE = 0
    COMM = 1
    H2D = 2
    D2H = 3
    D2D = 4
    COMPILE = 5
    GC = 6
    IO = 7
    INPUT = 8
    SYNC = 9
    ALLOC = 10
    LAUNCH = 11
    OP = 12
    FRAMEWORK = 13
    PYTHON = 14
    UNTRACED = 15

    @property
    def key(self) -> str:
        """The name in JSON and on pages."""
        return self.name.lower()


class Group(IntEnum):
    """The six groups that may be compared between frameworks."""

    COMPUTE = 0
    COMMUNICATION = 1
    COPY = 2
    INPUT_WAIT = 3
    HOST = 4
    UNTRACED = 5

    @property
    def key(self) -> str:
        """The name in JSON and on pages."""
        return self.name.lower()


GROUP_OF: dict[TimeClass, Group] = {
    TimeClass.COMPUTE: Group.COMPUTE,
    TimeClass.COMM: Group.COMMUNICATION,
    TimeClass.H2D: Group.COPY,
    TimeClass.D2H: Group.COPY,
    TimeClass.D2D: Group.COPY,
    TimeClass.COMPILE: Group.HOST,
    TimeClass.GC: Group.HOST,
    TimeClass.IO: Group.HOST,
    TimeClass.INPUT: Group.INPUT_WAIT,
    TimeClass.SYNC: Group.HOST,
    TimeClass.ALLOC: Group.HOST,
    TimeClass.LAUNCH: Group.HOST,
    TimeClass.OP: Group.HOST,
    TimeClass.FRAMEWORK: Group.HOST,
    TimeClass.PYTHON: Group.HOST,
    TimeClass.UNTRACED: Group.UNTRACED,
}

HIDDEN = 16
"""A label that owns time on its thread and counts nowhere: what a pool's thread does beside running operations."""
NOTHING = -1

_HOST_CLASS: dict[SpanKind, TimeClass] = {
    SpanKind.COMPILE: TimeClass.COMPILE,
    SpanKind.GC: TimeClass.GC,
    SpanKind.IO: TimeClass.IO,
    SpanKind.INPUT: TimeClass.INPUT,
    SpanKind.SYNC: TimeClass.SYNC,
    SpanKind.ALLOC: TimeClass.ALLOC,
    SpanKind.RUNTIME: TimeClass.LAUNCH,
    SpanKind.OP: TimeClass.OP,
    SpanKind.FRAMEWORK: TimeClass.FRAMEWORK,
    SpanKind.PYTHON: TimeClass.PYTHON,
    SpanKind.COLLECTIVE: TimeClass.COMM,
}
_DEVICE_CLASS: dict[SpanKind, TimeClass] = {
    SpanKind.KERNEL: TimeClass.COMPUTE,
    SpanKind.COLLECTIVE: TimeClass.COMM,
    SpanKind.COPY: TimeClass.D2D,
    SpanKind.FILL: TimeClass.D2D,
}
_COPY_CLASS: dict[CopyDirection, TimeClass] = {
    CopyDirection.HOST_TO_DEVICE: TimeClass.H2D,
    CopyDirection.DEVICE_TO_HOST: TimeClass.D2H,
}
_BEFORE_OPS = (SpanKind.COMPILE, SpanKind.GC, SpanKind.IO, SpanKind.SYNC, SpanKind.ALLOC, SpanKind.RUNTIME)
_NEVER_CONTROL = {TrackPurpose.INPUT, TrackPurpose.COMMUNICATION, TrackPurpose.OTHER}

# On one thread operations of a CPU-only rank yield to what runs inside them (a wait, an allocation); between threads they come first.
_THREAD_ORDER = (
    TimeClass.COMM,
    TimeClass.COMPILE,
    TimeClass.GC,
    TimeClass.IO,
    TimeClass.INPUT,
    TimeClass.SYNC,
    TimeClass.ALLOC,
    TimeClass.LAUNCH,
    HIDDEN,
    TimeClass.COMPUTE,
    TimeClass.OP,
    TimeClass.FRAMEWORK,
    TimeClass.PYTHON,
    TimeClass.H2D,
    TimeClass.D2H,
    TimeClass.D2D,
    TimeClass.UNTRACED,
)


def _precedence() -> Int8:
    order = np.empty(len(_THREAD_ORDER), np.int8)
    order[list(_THREAD_ORDER)] = np.arange(len(_THREAD_ORDER))
    return order


THREAD_PRECEDENCE = _precedence()
STREAM_PRECEDENCE = np.arange(len(_THREAD_ORDER), dtype=np.int8)


@dataclass(frozen=True, slots=True)
class Classified:
    """A label for every span (a TimeClass, HIDDEN or NOTHING) and the tracks whose time is divided."""

    label: Int8
    cpu_only: bool
    devices: tuple[int, ...]  # into Profile.devices; NONE stands for the CPU, or for streams of no known device
    host_tracks: tuple[int, ...]
    control: tuple[int, ...]
    startup: Int64  # rows of one-off start-up, which are compilation to every analysis but that of idle causes
    programs: Runs  # when compiled programs run on threads of their own: Python of a control thread only waits then
    segments: dict[int, Segments] = field(default_factory=dict[int, Segments], init=False, repr=False, compare=False)
    """By track, who owns its time; breakdown fills it when it is first asked for."""


def classify(profile: Profile, steps: Steps) -> Classified:
    """Labels by kind, direction of copies and thread; whether a rank is CPU-only is decided in the window of its steps."""
    kinds = profile.spans.kind
    label = np.full(len(kinds), NOTHING, np.int8)
    streams = rows_of_role(profile, TrackRole.STREAM)
    label[streams] = _by_kind(_DEVICE_CLASS)[kinds[streams]]
    _label_copies(profile, label)
    devices = _devices(profile, steps, label)
    control = control_threads(profile, steps)
    cpu_only = not devices
    if cpu_only:
        label[streams] = np.where(label[streams] == TimeClass.COMM, label[streams], NOTHING)
    _label_threads(profile, label, control, cpu_only)
    startup = np.zeros(0, np.int64) if cpu_only else startup_rows(profile, steps, control)
    label[startup] = TimeClass.COMPILE
    hosts = [
        place
        for place, track in enumerate(profile.tracks)
        if track.role == TrackRole.THREAD and bool((label[track.first_row : track.last_row] >= 0).any())
    ]
    none = np.zeros(0, np.int64)
    programs = program_runs(profile, control) if cpu_only else (none, none, none)
    return Classified(label, cpu_only, devices or (NONE,), tuple(hosts), control, startup, programs)


def control_threads(profile: Profile, steps: Steps) -> tuple[int, ...]:
    """The marker's thread, those that run backward, and where no thread is known to do so those that launch kernels.

    Without any of them, the thread that holds most framework work.
    """
    threads = {place: track for place, track in enumerate(profile.tracks) if track.role == TrackRole.THREAD}
    backward = {place for place, track in threads.items() if track.purpose == TrackPurpose.BACKWARD}
    found = set(backward)
    marked_on = steps.source.track
    if marked_on in threads and threads[marked_on].purpose not in _NEVER_CONTROL:
        found.add(marked_on)
    if not backward or not found - backward:
        launches = _launches(profile)
        found |= {
            place
            for place, track in threads.items()
            if launches[place] > LAUNCHES_OF_A_CONTROL_THREAD and track.purpose not in _NEVER_CONTROL
        }
    if not found - backward:
        found |= {place for place, track in threads.items() if track.purpose == TrackPurpose.MAIN}
    if not found:
        free = {place: _framework_time(profile, place) for place, track in threads.items() if track.purpose not in _NEVER_CONTROL}
        if free:
            found.add(max(free, key=lambda place: (free[place], -place)))
    return tuple(sorted(found))


def _launches(profile: Profile) -> Int64:
    """How many kernels, copies and fills each track's calls started."""
    rows = rows_of_role(profile, TrackRole.STREAM)
    causes = profile.spans.cause[rows]
    return np.bincount(profile.spans.track[causes[causes >= 0]], minlength=len(profile.tracks)).astype(np.int64)


def _framework_time(profile: Profile, place: int) -> int:
    track, spans = profile.tracks[place], profile.spans
    rows = slice(track.first_row, track.last_row)
    top = (spans.parent[rows] < 0) & np.isin(spans.kind[rows], [kind.value for kind in _HOST_CLASS])
    return int((spans.end[rows] - spans.start[rows])[top].sum())


def _by_kind(classes: dict[SpanKind, TimeClass]) -> Int8:
    """A table from SpanKind to label."""
    table = np.full(len(SpanKind), NOTHING, np.int8)
    for kind, label in classes.items():
        table[kind] = label
    return table


def _label_copies(profile: Profile, label: Int8) -> None:
    copies = profile.copies
    for direction, time_class in _COPY_CLASS.items():
        rows = copies.row[copies.direction == direction]
        rows = rows[profile.spans.kind[rows] == SpanKind.COPY]
        label[rows[label[rows] >= 0]] = time_class


def _devices(profile: Profile, steps: Steps, label: Int8) -> tuple[int, ...]:
    """Devices that compute while the steps run. One that only received a copy would dilute the mean over devices."""
    spans = profile.spans
    found: list[int] = []
    for device in sorted({track.device for track in profile.tracks if track.role == TrackRole.STREAM}):
        rows = rows_of(track for track in profile.tracks if track.role == TrackRole.STREAM and track.device == device)
        rows = rows[label[rows] == TimeClass.COMPUTE]
        inside = (spans.end[rows] > steps.bounds[0]) & (spans.start[rows] < steps.bounds[-1]) & (spans.end[rows] > spans.start[rows])
        if inside.any():
            found.append(device)
    return tuple(found)


def _label_threads(profile: Profile, label: Int8, control: tuple[int, ...], cpu_only: bool) -> None:
    """Every thread's waiting for input and collectives; all classes of control threads; operations of pools on a CPU-only rank.

    There a call of the host that communicates is communication and no compute. While a compiled program runs on a pool, a thread that
    waits for it in Python shows nothing but the function it waits in: between two operations of the program its runtime works.
    """
    spans = profile.spans
    everywhere = _by_kind({kind: _HOST_CLASS[kind] for kind in (SpanKind.INPUT, SpanKind.COLLECTIVE)})
    in_pool = _by_kind({kind: _HOST_CLASS[kind] for kind in (SpanKind.INPUT, SpanKind.COLLECTIVE, SpanKind.OP)})
    in_pool[list(_BEFORE_OPS)] = HIDDEN
    on_control = _by_kind(_HOST_CLASS)
    roles = (NameRole.COMMUNICATION_CALL, NameRole.EAGER_KERNEL, NameRole.PROGRAM_RUN) if cpu_only else ()
    calls, eager, programs = (names_with(profile, role) for role in roles) if roles else (np.zeros(0, bool),) * 3
    for place, track in enumerate(profile.tracks):
        if track.role != TrackRole.THREAD:
            continue
        pool = cpu_only and track.purpose == TrackPurpose.EXECUTOR
        table = on_control if place in control else in_pool if pool else everywhere
        rows = slice(track.first_row, track.last_row)
        labels = table[spans.kind[rows]]
        if cpu_only:
            labels = np.where((labels == TimeClass.OP) & calls[spans.name[rows]], np.int8(TimeClass.COMM), labels)
            long = spans.end[rows] - spans.start[rows] >= np.where(eager[spans.name[rows]], SHORT_EAGER_OP_NS, SHORT_OP_NS)
            labels = np.where((labels == TimeClass.OP) & long, np.int8(TimeClass.COMPUTE), labels)
        if pool:
            labels = np.where(programs[spans.name[rows]], np.int8(TimeClass.FRAMEWORK), labels)
        label[rows] = labels
