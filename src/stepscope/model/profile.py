"""The tables every profile becomes, whatever wrote it: tracks, spans and what hangs on a span; one process (rank) each.

The numbers of the enumerations are those of native/profile/tables.hpp, and a test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from stepscope.model.span_names import NameRules, NoNameRules

if TYPE_CHECKING:
    from stepscope.model.memory_snapshot import MemorySnapshot
    from stepscope.model.steps import Steps

Int8: TypeAlias = NDArray[np.int8]
Int16: TypeAlias = NDArray[np.int16]
Int32: TypeAlias = NDArray[np.int32]
Int64: TypeAlias = NDArray[np.int64]
Float32: TypeAlias = NDArray[np.float32]
Float64: TypeAlias = NDArray[np.float64]

Attribute: TypeAlias = str | int | float | bool | None
"""What a file says of a span beside the columns."""

NONE = -1
"""In every column of rows, names or numbers: there is none, or the file does not say."""


class TrackRole(IntEnum):
    """Who owns time. Only threads and streams do; everything else repeats what they hold, and is never summed."""

    THREAD = 0
    STREAM = 1
    DERIVED = 2
    MARKER = 3
    COUNTER = 4


class TrackPurpose(IntEnum):
    """What a thread is for, as far as the format tells; analyses decide which threads control the step."""

    UNKNOWN = 0
    MAIN = 1
    BACKWARD = 2  # runs the backward pass for another thread
    EXECUTOR = 3  # runs operations for a control thread (TensorFlow's and XLA's pools)
    INPUT = 4  # the input pipeline's own threads: loading, decoding, prefetching, pinning
    COMMUNICATION = 5
    OTHER = 6  # logging, watchdogs, the profiler itself: never a control thread


class SpanKind(IntEnum):
    """What a span is, set by the reader's rule table, so that analyses never match names."""

    OTHER = 0
    OP = 1  # one execution of a framework operation on the host
    KERNEL = 2
    COPY = 3  # on a stream; direction and memory kinds are in `copies`
    FILL = 4
    RUNTIME = 5  # a runtime or driver call that neither waits nor allocates: launches above all
    SYNC = 6  # a runtime call that waits for the device
    ALLOC = 7  # device or pinned allocation and release
    COLLECTIVE = 8  # on a stream (NCCL, RCCL) or on a thread (gloo, MPI)
    INPUT = 9  # the consumer's side only: what the step waits for
    COMPILE = 10  # tracing included
    GC = 11
    IO = 12  # checkpoints, summaries
    ANNOTATION = 13
    PYTHON = 14
    FRAMEWORK = 15  # a framework call that is none of the above: dispatch, waiting for the executor
    MARKER = 16  # marks a step; owns no time


class MarkerFamily(IntEnum):
    """How steps were found, in order of preference."""

    PROFILER_STEP = 0  # ProfilerStep#N
    STEP_NUM = 1  # any span with a step number: StepTraceAnnotation, "train", "Profiled batch"
    STEP_ANNOTATION = 2  # an annotation whose words mean a step: "train_step 3", "step[DECODE bs=4]", "execute_…"
    DEVICE_STEP = 3  # a device's own step line
    LOOP_MARK = 4  # what a training loop does once a step: Optimizer.step, the DataLoader's next batch
    ROOT_CALL = 5  # a root call repeated at least three times
    KERNEL_PERIOD = 6  # a period in the device's kernels
    WINDOW = 7  # the whole recording as one step


class CopyDirection(IntEnum):
    """Where a copy goes."""

    UNKNOWN = 0
    HOST_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    DEVICE_TO_DEVICE = 3
    PEER = 4
    HOST_TO_HOST = 5


class MemoryKind(IntEnum):
    """What memory a copy reads or writes."""

    UNKNOWN = 0
    PAGEABLE = 1
    PINNED = 2
    DEVICE = 3
    MANAGED = 4
    ARRAY = 5


class FlowKind(IntEnum):
    """Why one span follows another across threads; a launch is not a flow, it is `Spans.cause`."""

    PRODUCER = 0  # handed over to another thread
    BACKWARD = 1  # forward operation to its backward operation
    STREAM_WAIT = 2  # work of one stream to work of another that was told to wait for it


@dataclass(frozen=True, slots=True)
class Spans:
    """One row a span, sorted by (track, start, longest first). Times are nanoseconds since the profile's `base_ns`."""

    track: Int32
    start: Int64
    end: Int64  # endpoints were rounded, never durations: nesting survives
    name: Int32  # into Profile.names
    kind: Int8
    depth: Int16  # the line it is drawn on: below its parent, and below what it overlaps; top level is `parent == NONE`
    parent: Int32  # row on the same track that holds this one wholly, NONE at the top
    cause: Int32  # row that started this one (launch to kernel); one launch may cause many
    op: Int32  # into Profile.ops
    shape: Int32  # into Profile.names
    step: Int32  # the step number a format wrote on the span itself, NONE otherwise; analyses.steps assigns the rest
    source: Int64  # where the raw event lies in the uncompressed file, for attributes that are read when asked for

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, slots=True)
class Track:
    """One line of the profile: a thread, a stream, or something drawn beside them."""

    name: str
    role: TrackRole
    purpose: TrackPurpose
    process: str  # "host", or the device's name such as "GPU 0"
    device: int  # index into Profile.devices, NONE on the host
    number: int  # thread or stream id as the file has it
    first_row: int  # its spans are rows [first_row, last_row)
    last_row: int


@dataclass(frozen=True, slots=True)
class Device:
    """One accelerator; numbers the file does not tell are 0, and an unknown name is empty."""

    name: str
    kind: str  # "GPU", "TPU", "CPU", …
    ordinal: int
    memory_bytes: int = 0
    multiprocessors: int = 0
    clock_hz: float = 0.0
    memory_bandwidth: float = 0.0  # bytes per second
    compute_capability: tuple[int, int] = (0, 0)
    warp_size: int = 0
    threads_per_multiprocessor: int = 0
    registers_per_multiprocessor: int = 0
    shared_memory_per_multiprocessor: int = 0
    peak_flops: float = 0.0  # as the file claims; checked before it is used
    vendor: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """What was executed, once per distinct operation."""

    name: str
    type: str  # "" when the format has none
    scope: str  # name scope or module path
    program: str  # XLA module or function, "" for eager
    source: str  # "file.py:12", "" when unknown
    category: str  # HLO category where known
    flops: float  # per execution; nan when unknown
    bytes: float  # accessed per execution; nan when unknown
    eager: bool | None  # None: cannot tell


@dataclass(frozen=True, slots=True)
class Markers:
    """Candidates for step markers, in time order; `row` is a span of a thread or of a device's step line."""

    row: Int32
    number: Int64
    family: Int8


@dataclass(frozen=True, slots=True)
class Kernels:
    """Launch facts of device spans."""

    row: Int32
    grid: Int32  # n x 3
    block: Int32  # n x 3
    registers: Int32
    shared_memory: Int64
    occupancy: Float32  # theoretical or estimated as the file tells, 0..1; nan when unknown
    blocks_per_multiprocessor: Float32  # nan when unknown
    graph_node: Int64  # CUDA graph node, NONE outside graphs


@dataclass(frozen=True, slots=True)
class Copies:
    """Copies and fills between memories."""

    row: Int32
    direction: Int8
    source_memory: Int8
    target_memory: Int8
    bytes: Int64  # NONE when unknown


@dataclass(frozen=True, slots=True)
class Collectives:
    """Communication operations."""

    row: Int32
    name: Int32  # into names: "allreduce", …
    group: Int32  # into names: process group
    group_size: Int32
    sequence: Int64
    in_bytes: Int64
    out_bytes: Int64
    dtype: Int32  # into names
    peer: Int32  # rank that is sent to or received from, NONE when the file does not tell


@dataclass(frozen=True, slots=True)
class Allocations:
    """Allocations (bytes > 0) and releases (bytes < 0), in time order."""

    time: Int64
    row: Int32  # the innermost span around it on its thread, NONE when there is none
    device: Int32  # into devices, NONE for host memory
    allocator: Int32  # into names
    address: Int64  # as a bit pattern; NONE when unknown
    bytes: Int64
    allocated: Int64  # total after it, NONE when unknown
    reserved: Int64  # total held by the allocator, NONE when unknown
    op: Int32  # into names: the operation the file names, NONE otherwise
    shape: Int32  # into names
    dtype: Int32  # into names


@dataclass(frozen=True, slots=True)
class Flows:
    """Pairs of rows where one handed over to the other."""

    source: Int32
    target: Int32
    kind: Int8


@dataclass(frozen=True, slots=True)
class Counters:
    """Sampled values, sorted by track, which tells which counter."""

    track: Int32
    time: Int64
    value: Float64


@dataclass(frozen=True, slots=True)
class Aggregates:
    """Events the format only counted: no time of their own on the line."""

    name: Int32
    track: Int32
    occurrences: Int64
    total_ns: Int64


@dataclass(frozen=True, slots=True)
class Program:
    """One compiled XLA module; the HLO proto's bytes are read when asked for."""

    name: str
    program_id: int
    offset: int  # of the serialised HloProto in the uncompressed file
    length: int


@dataclass(frozen=True, slots=True)
class Note:
    """Something the reader has to say about the data: what was dropped, repaired, missing or never met before."""

    level: str  # "info", "warning" or "error"
    code: str  # stable word: "truncated", "repaired", "dropped_events", "unproven_reader", …
    text: str  # one sentence for the user


@dataclass(frozen=True, slots=True)
class Part:
    """How a part of a recording lies in the whole of it."""

    whole: Profile
    rows: Int64  # of each span of the part, its row in the whole
    steps: Steps  # that were chosen
    all_steps: Steps  # of the whole
    text: str  # what was chosen, for users: "steps 3 to 9, 7 of 20"


@dataclass(frozen=True, slots=True)
class Profile:
    """One process's recording. Every table may be empty; `names` holds all interned text."""

    format: str  # "kineto", "xplane", …
    path: str
    host: str
    rank: int  # NONE when the file does not tell
    world_size: int  # NONE when the file does not tell
    base_ns: int  # unix time of 0, 0 when unknown
    window: tuple[int, int]  # first start and last end, relative to base_ns
    framework: str  # "PyTorch", "TensorFlow", "JAX", "Python" without any of them, or "" when unknown
    environment: dict[str, str]  # versions, options, anything the file says of itself
    names: list[str]
    tracks: list[Track]
    devices: list[Device]
    ops: list[Operation]
    programs: list[Program]
    spans: Spans
    markers: Markers
    kernels: Kernels
    copies: Copies
    collectives: Collectives
    allocations: Allocations
    flows: Flows
    counters: Counters
    aggregates: Aggregates
    notes: list[Note] = field(default_factory=list[Note])
    memory_snapshot: MemorySnapshot | None = None  # what only an allocator's own snapshot tells
    listed_phases: dict[int, str] = field(default_factory=dict[int, str])  # names that a user listed as parts of preparing a batch
    name_rules: NameRules = field(default_factory=lambda: cast("NameRules", NoNameRules()), repr=False, compare=False)  # what names say
    part: Part | None = None  # set when this is what belongs to chosen steps of a recording

    @property
    def cut_short(self) -> bool:
        """Whether the file ends, or is damaged, before its recording ends."""
        return any(note.code in {"truncated", "damaged"} for note in self.notes)

    @property
    def several_ranks(self) -> bool:
        """Whether the file contains more than this process: labels in it name several ranks."""
        return any(note.code == "several_ranks" for note in self.notes)

    @property
    def whole(self) -> Profile:
        """The whole recording, of which this may be a part."""
        return self if self.part is None else self.part.whole

    def row_in_file(self, row: int) -> int:
        """The row of a span in the whole recording: what links and references name."""
        return row if self.part is None or row == NONE else int(self.part.rows[row])

    def rows_in_file(self, first: int, last: int) -> tuple[int, int] | None:
        """The same of rows from `first` up to `last`, and None for NONE."""
        return None if first == NONE else (self.row_in_file(first), self.row_in_file(last - 1) + 1 if last > first else last)
