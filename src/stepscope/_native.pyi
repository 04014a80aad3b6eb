"""The native core as Python sees it: bytes to columns, columns to columns, columns to bytes."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

SegmentMode = Literal["latest", "all", "split"]

class RangeReader(Protocol):
    """A file that is no local one: the core asks for its size when it begins to read, and then for ranges, from any thread.

    Both may raise OSError, whose errno the core passes on; any other error becomes an OSError of input and output.
    """

    @property
    def path(self) -> bytes: ...
    def size(self) -> int: ...
    def read_range(self, offset: int, length: int) -> bytes: ...

Origin = str | bytes | RangeReader
"""What files are read from: a path of the local file system, or ranges."""

def crc32c(data: bytes) -> int: ...
def crc32c_table(data: bytes) -> int:
    """The same without the CPU's instruction."""

def masked_crc32c(data: bytes) -> int: ...
def crc32c_is_hardware() -> bool: ...

WIRE: dict[str, dict[str, int]]
"""Protobuf field numbers, message name to field name to number, declared once in native/wire/fields.hpp."""

class NamePool:
    """A thread-safe pool of names; an id never changes and is never reused."""

    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def intern(self, name: bytes) -> int: ...
    def find(self, name: bytes) -> int:
        """The name's id, or -1."""

    def name(self, id: int) -> bytes: ...
    def names(self, start: int = 0) -> list[bytes]: ...

class CheckpointError(RuntimeError):
    """A checkpoint is damaged, cut short or of another version: read the log file instead."""

class PackFile:
    """The columns of a checkpoint, each read when it is first used, and never mapped."""

    def __init__(self, path: bytes) -> None: ...
    def __len__(self) -> int: ...

class EventFile:
    """One event file's scanning state and all its columns. One thread may scan while any number read."""

    def __init__(self, origin: Origin, names: NamePool) -> None: ...
    @property
    def path(self) -> bytes: ...
    def scan(self, limit_bytes: int = 0, settled: bool = False) -> int:
        """Reads what is new (at most about limit_bytes when not 0) and publishes it. Raises OSError.

        A record that is longer than the file is waited for; in a settled file it is skipped if whole records lie behind its header.
        Returns how many bytes were consumed, or -1 when the file no longer holds what was read before: start a new EventFile.
        """

    def changed(self) -> list[int]:
        """Ids of the tags with points published since the last call."""

    @property
    def offset(self) -> int: ...
    @property
    def pending(self) -> int:
        """Bytes seen after the last whole record: of one that is still being written, or never was to its end."""

    @property
    def records(self) -> int: ...
    @property
    def skipped(self) -> int:
        """Damaged stretches that were stepped over; each costs the record or records it hit."""

    @property
    def skipped_bytes(self) -> int: ...
    @property
    def faults(self) -> list[tuple[int, int, str]]:
        """The first 100 faults: offset, bytes stepped over, reason."""

    @property
    def points(self) -> int:
        """Scalars."""

    @property
    def values(self) -> int:
        """Scalars and everything else that is indexed."""

    @property
    def series_count(self) -> int: ...
    @property
    def first_wall(self) -> float: ...
    @property
    def last_wall(self) -> float: ...
    @property
    def last_point(self) -> float:
        """Wall time of the newest value; NaN without one."""

    @property
    def file_version(self) -> bytes: ...
    @property
    def writer(self) -> bytes: ...
    @property
    def session_status(self) -> int:
        """The last session_log status seen: 0 none, 1 start, 2 stop, 3 checkpoint."""

    @property
    def hparams_status(self) -> int:
        """SessionEndInfo status: 0 none, 1 success, 2 failure, 3 running."""

    @property
    def start_steps(self) -> NDArray[np.int64]: ...
    def tag_ids(self, start: int = 0) -> NDArray[np.int32]:
        """The name id of each series, in order of first appearance."""

    def find(self, tag_id: int, kind: int = 0) -> int:
        """The index of a tag's series of that kind (scalars unless given) in this file, or -1."""

    def kinds(self, start: int = 0) -> NDArray[np.uint8]: ...
    def series_of_kinds(self, kinds: Sequence[int], start: int = 0) -> list[int]:
        """The indices, from `start` on, of the series of any of these kinds."""

    def counts(self) -> NDArray[np.int64]:
        """Published points of each series."""

    def summaries(self) -> dict[str, NDArray[Any]]:
        """Per series: first_step, last_step (int64); last, min, max (float64, finite; NaN when none)."""

    def tail_means(self, count: int, look_back: int) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """Per series the mean of the last `count` finite values, among its last `look_back` points, and whether it is plain.

        A series is plain when the restart rule has nothing to hide or to sort in it; others are NaN.
        """

    def values_at(self, step: float) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """Per series the newest finite value at or before a step, and whether it is plain; NaN where it begins later or ends before."""

    def metadata(self, index: int) -> tuple[bytes, bytes, bytes, bytes, int]:
        """Plugin name, display name, description, plugin content, data class; empty when the file has none."""

    def scalars(self, index: int) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]: ...
    def blobs(self, index: int) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.uint64], NDArray[np.uint64]]:
        """Step, wall time, and the offset and length of each value's bytes in the file."""

    def read_blob(self, offset: int, length: int) -> bytes: ...
    def verify(self) -> int:
        """Reads the whole file again, checks every checksum also of large records, and returns how many are wrong."""

    @property
    def memory_bytes(self) -> int: ...
    @property
    def pack_damaged(self) -> bool:
        """Whether a column that came from a checkpoint was found damaged: start a new EventFile."""

    def save(self, descriptor: int, base: int) -> tuple[bytes, int]:
        """Writes the columns to an open file, as they will lie at base (a multiple of 8) of it. Raises OSError.

        Returns the index that restore needs, and how many bytes were written.
        """

    @staticmethod
    def restore(origin: Origin, names: NamePool, index: bytes, pack: PackFile) -> EventFile:
        """The file as it was saved. Raises CheckpointError."""

def read_records(origin: Origin, offset: int, most: int) -> list[tuple[bytes, int]]:
    """Whole records of an event file from an offset on, about `most` bytes, each with the offset of its end. Raises OSError.

    Damaged records are stepped over. An unfinished one at the end is not: ask again from there when the file has grown.
    """

class SeriesView:
    """One series over the files of a run with the restart rule applied; a consistent snapshot that never changes."""

    def __init__(self, parts: list[tuple[EventFile, int]], mode: SegmentMode) -> None:
        """parts: the files of the run, each with the series' index in it, or -1 where it is missing.

        Files without the series count too: a session start in them may supersede points of the others.
        """

    def __len__(self) -> int:
        """Points shown in this mode."""

    @property
    def points(self) -> int: ...
    @property
    def superseded(self) -> int: ...
    @property
    def restarts(self) -> int: ...
    @property
    def file_visits(self) -> int:
        """How often files were looked at to find restarts: a measure of the work."""

    @property
    def notices(self) -> list[str]: ...
    @property
    def segments(self) -> list[tuple[int, int, int, int, str]]:
        """First step, last step, points, superseded, cause."""

    def arrays(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
        """Step, wall time, value and segment of each shown point, by step within what is one line."""

    def smooth(self, method: str, amount: float) -> NDArray[np.float64]:
        """The smoothed value of each shown point: ema, mean, median or gaussian; each segment of a split view for itself."""

    def reduce(
        self,
        axis: Literal["step", "wall"],
        origin: float,
        low: float,
        high: float,
        width: int,
        log_x: bool,
        values: NDArray[np.float64] | None = None,
    ) -> dict[str, Any]:
        """First, last, lowest and highest point per pixel column of [low, high] in x - origin, and one point either side.

        Keys: x, y, step, wall (float64), segment (int32), mark_x (float64), mark_kind (uint8), in_range, exact,
        y_extent, y_inner, nan, inf. An infinite low or high means the first or last point.
        """

    def extent(self, axis: Literal["step", "wall"]) -> tuple[float, float] | None: ...
    def statistics(
        self,
        axis: Literal["step", "wall"],
        origin: float,
        low: float,
        high: float,
        values: NDArray[np.float64] | None = None,
    ) -> dict[str, Any]:
        """Of the finite values inside: count, first, first_step, last, last_step, min, min_step, max, max_step, mean.

        Only count when it is 0.
        """

    def nearest(self, axis: Literal["step", "wall"], origin: float, at: float) -> int:
        """The position (in arrays()) of the shown point nearest to x = at, or -1."""

    def point(self, position: int) -> tuple[int, float, float]:
        """Step, wall time and value of one shown point."""

open_conditions: list[object]
"""The conditions of record_if that are in force in any thread."""

class ScalarQueue:
    """Scalars on their way from the training thread to the encoder."""

    limit: int
    """With so many entries, put takes none."""
    asleep: bool
    """Whether nobody looks at the queue until told to; put then says so."""

    def __init__(self, form: int = 0) -> None:
        """form: as EventEncoder's, for entries that give none."""

    @property
    def highest_step(self) -> int | None: ...
    def put(self, tag: object, value: object, step: object, wall_time: object, form: int) -> int:
        """Queues a point; a form of -1 is the queue's own, no step is 0, and no time is now.

        Returns 0 when it is queued, 1 when it is queued and nobody looks, 2 when the queue is full, and 3 when one of the
        arguments is nothing that it knows: a tag is a str of whole characters, the others are floats or ints.
        """

    def put_if_certain(self, tag: object, value: object, step: object, wall_time: object, form: int) -> int:
        """The same, but 4, and nothing queued, while open_conditions has any, or TensorFlow or JAX traces the calling code."""

    def put_all(self, tags: tuple[str, ...], values: list[float], step: int, wall_time: float) -> int:
        """Queues a point for each tag, as put does: 0 or 1 when all are queued, 2 when the queue has no room for them, and none is."""

    def drop(self) -> int:
        """Counts a point that found no room; returns how many did not so far."""

    @property
    def dropped(self) -> int: ...
    def clear(self) -> None: ...
    def __len__(self) -> int: ...

class WorkQueue:
    """Works on their way to the thread that does them. Each call is one step, which no signal handler and no thread can interrupt."""

    def __init__(self, limit_bytes: int) -> None: ...
    def put(self, work: object, held_bytes: int) -> bool:
        """Queues a work; False when the works that are not finished leave no room for it. One too large for any goes alone."""

    def put_marker(self, marker: object) -> None:
        """Queues something that holds nothing, and is not counted."""

    def take(self) -> object | None:
        """The oldest, or None. A work that was taken goes on holding its bytes until it is finished."""

    def resize(self, from_bytes: int, to_bytes: int) -> None:
        """Says that a work holds another number of bytes now."""

    def finish(self, held_bytes: int) -> None:
        """Says that a work is finished, and holds nothing any more."""

    def __len__(self) -> int: ...
    @property
    def held(self) -> int:
        """Bytes of all works that are not finished."""

    @property
    def unfinished(self) -> int: ...

class EventEncoder:
    """Turns scalars and summaries into framed records with checksums."""

    def __init__(self, form: int = 0) -> None:
        """form: how scalars are written; 0 as simple_value (float32), 1 as a float and 2 as a double tensor."""

    def add_scalar(self, tag: bytes, step: int, wall_time: float, value: float) -> None: ...
    def add_scalars(
        self,
        entries: Sequence[tuple[bytes, int, float, float] | tuple[bytes, int, float, float, int] | bytes],
    ) -> None:
        """Many at once, in order: a list of (tag, step, wall time, value) or the same and a form, or a serialized Event."""

    def add_queued(self, queue: ScalarQueue, most_bytes: int) -> int:
        """Encodes queued scalars, as long as this encoder holds fewer bytes, and returns how many; without the interpreter lock."""

    @property
    def kept(self) -> int:
        """How many scalars were taken off the queue and are not encoded yet."""

    def add_file_version(self, wall_time: float, writer: bytes) -> None: ...
    def add_session_log(self, wall_time: float, step: int, status: int) -> None: ...
    def add_event(self, event: bytes) -> None: ...
    def take(self) -> bytes:
        """The bytes encoded so far, and forgets them."""

    def __len__(self) -> int: ...

def histogram(values: NDArray[np.float32] | NDArray[np.float64]) -> tuple[NDArray[np.int64], float, float, float, float, int, int, int]:
    """Counts per bucket of histogram_edges(), then of the finite values: min, max, sum, sum of squares, number; NaNs; infinities.

    Finite values beyond the edges go to the outermost buckets. Takes one dimension, contiguous.
    """

def even_histogram(values: NDArray[np.float32] | NDArray[np.float64], buckets: int) -> tuple[NDArray[np.int64], float, float, int, int]:
    """Counts per bucket, of equal width between the least and greatest value; those two; finite values; NaNs and infinities.

    The last bucket holds its right edge, and all there is when the values are equal. Takes one dimension, contiguous.
    """

def histogram_edges() -> NDArray[np.float64]:
    """The edges of torch's default bins, one more than there are buckets."""

def histogram_facts(file: EventFile, tag: bytes, offset: NDArray[np.uint64], length: NDArray[np.uint64]) -> dict[str, NDArray[Any]]:
    """Of each logged histogram at those places: state (0 is good), low, high, total, left_out, and nine levels in a row.

    Raises OSError when the file cannot be opened.
    """

def histogram_cells(
    file: EventFile,
    tag: bytes,
    offset: NDArray[np.uint64],
    length: NDArray[np.uint64],
    slot: NDArray[np.int32],
    rows: int,
    low: float,
    high: float,
    into: NDArray[np.float64],
) -> None:
    """Adds the counts of each histogram to the row of `into` that its slot names, in cells of equal width from low to high.

    Raises OSError when the file cannot be opened.
    """

def histogram_buckets(value: bytes, tag: bytes) -> tuple[int, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], int]:
    """State, left edges, right edges and counts of one logged histogram, also of empty buckets; how many buckets make no sense."""

def tensor_values(message: bytes, most: int) -> tuple[tuple[int, ...], NDArray[np.float64]] | None:
    """Shape and numbers of a TensorProto of floats or doubles; None when it is no such tensor or has more than `most` of them."""

def track_extents(
    start: NDArray[np.int64], end: NDArray[np.int64], depth: NDArray[np.int16], first: NDArray[np.int64], last: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Lines, what the spans cover together, first start and last end of each track; track i has the rows [first[i], last[i])."""

def tile_of(
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    depth: NDArray[np.int16],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    from_ns: int,
    to_ns: int,
    columns: int,
    lines: int,
    most: int,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.int64],
    int,
]:
    """Spans that touch a window, those narrower than a column summed up: start, end, longest row, count and line of each entry, the
    bounds of each track's entries, its spans on lines that are not drawn, and how many columns were used to have at most `most`."""

def owned_segments(
    start: NDArray[np.int64], end: NDArray[np.int64], label: NDArray[np.int8], precedence: NDArray[np.int8]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Start, end and row of the stretches of one track in which one span owns it; they do not overlap.

    Spans are in the order of their starts, longest first, and need not nest. The label with the lowest precedence (0 to 31) wins, then
    the span that began last. A negative label owns nothing.
    """

def segments_of_tracks(
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    label: NDArray[np.int8],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    precedence: list[NDArray[np.int8]],
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int8]]]:
    """Start, end, row and label of the same of several tracks of a table; track i has the rows [first[i], last[i])."""

def self_times(
    start: NDArray[np.int64], end: NDArray[np.int64], label: NDArray[np.int8], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How long each span is the innermost of its track; track i has the rows [first[i], last[i]).

    Spans with a negative label neither own nor hide anything.
    """

def inside_same_key(parent: NDArray[np.int32], key: NDArray[np.int32], keys: int) -> NDArray[np.uint8]:
    """1 for each row that lies inside a row with the same key, at any distance; a negative key equals no other."""

def group_totals(
    group: NDArray[np.int32], value: NDArray[np.int64], groups: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Sum, smallest and largest of each group, 0 to groups - 1; an empty group has the extremes of its type."""

def group_sums(group: NDArray[np.int32], value: NDArray[np.float64], groups: int) -> NDArray[np.float64]:
    """The sum of each group, added in the order of the rows."""

def group_firsts(group: NDArray[np.int32], groups: int) -> NDArray[np.int64]:
    """The place of each group's first row, -1 for an empty group."""

def group_largest(group: NDArray[np.int32], value: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    """The place of each group's largest value, of equal ones the last; -1 for an empty group."""

def group_distinct(group: NDArray[np.int32], value: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    """How many different values each group has."""

def dense_codes(code: NDArray[np.int64], space: int) -> tuple[NDArray[np.int32], int]:
    """Equal codes, all in [0, space), as numbers without gaps in the order of the codes, and how many there are."""

def names_of_kinds(
    kind: NDArray[np.int8], name: NDArray[np.int32], first: NDArray[np.int64], last: NDArray[np.int64], kinds: int, names: int
) -> NDArray[np.uint8]:
    """Kinds x names: 1 where any row of any [first[i], last[i]) has both."""

def union_of(start: NDArray[np.int64], end: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Intervals of any order and overlap as sorted, disjoint ones that neither touch nor are empty."""

def union_of_labels(
    start: NDArray[np.int64], end: NDArray[np.int64], label: NDArray[np.int8], wanted: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The same of those for which wanted[label] is not 0; a negative label never counts."""

def difference_of(
    start: NDArray[np.int64], end: NDArray[np.int64], other_start: NDArray[np.int64], other_end: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What lies in the first set of intervals and not in the second; both sorted and disjoint."""

def lengths_before(start: NDArray[np.int64], end: NDArray[np.int64], time: NDArray[np.int64]) -> NDArray[np.int64]:
    """How much of a sorted, disjoint set lies before each time."""

def sweep_steps(
    tracks: Sequence[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int8]]],
    bounds: NDArray[np.int64],
    labels: int,
    counted: NDArray[np.uint8],
    rows: int = 0,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Divides the steps between bounds among labels 0 to labels - 1, of which the lowest active one owns an instant.

    A track is (start, end, row, label) of segments that do not overlap. Returns steps x labels owned, steps x labels covered (each
    label's union), and per row what it owned in the steps that are counted; with rows = 0 the last is empty.
    """

def owned_pieces(
    tracks: Sequence[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int8]]],
    bounds: NDArray[np.int64],
    labels: int,
    wanted: NDArray[np.uint8],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int8]]:
    """Who owns each instant of the wanted steps, as sweep_steps divides them: step, start, end, row and label, in time order."""

class ReplayPlan:
    """What waits for what in the recordings of all ranks, found once; plays them with other durations.

    A rank is (calls: start, end, name, kind 0 launches, 1 may wait, 2 waits), (operations: start, end, stream, launch,
    one of another stream it waits for, collective), moments of the host, and what to add to be on the clock of all. Raises ValueError.
    """

    def __init__(self, ranks: Sequence[tuple[object, ...]]) -> None: ...
    def links(self, rank: int) -> dict[str, Any]:
        """Latency of launches, gap on streams, per operation the one on another stream and per call the one it waits for."""

    def run(
        self,
        scales: Sequence[
            tuple[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]], NDArray[np.float64], NDArray[np.float64]]
        ],
        keep: bool,
    ) -> list[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]:
        """Per rank new starts and ends of operations and times of moments.

        Factors are of (stretches of the host: start, end, factor), of calls that wait, and of operations.
        """

def critical_paths(
    ranks: Sequence[tuple[object, ...]],
    rank: int,
    bounds: NDArray[np.int64],
    last_op: NDArray[np.int32],
    op_step: NDArray[np.int32],
    host_end: NDArray[np.int64],
) -> tuple[
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.uint8],
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
]:
    """The critical path through a rank's steps: per segment step, rank, kind, index, start and end; and per operation its slack.

    Last come times, ascending, and the slack of what the host ends at each of them or after the time before it. `host_end` is when the
    host is done with each step; empty where steps are the device's own.

    `ranks` are as those of ReplayPlan, `last_op` is the operation that ends a step, negative where the host does. Raises ValueError.
    """

def column_checksum(bytes: NDArray[np.uint8]) -> int:
    """The CRC32C of a column's memory, without the interpreter lock."""

class ProfileTables:
    """One recording's tables; arrays share their memory. What they mean is said in stepscope.model.profile."""

    @property
    def spans(self) -> dict[str, NDArray[Any]]: ...
    @property
    def markers(self) -> dict[str, NDArray[Any]]: ...
    @property
    def kernels(self) -> dict[str, NDArray[Any]]: ...
    @property
    def copies(self) -> dict[str, NDArray[Any]]: ...
    @property
    def collectives(self) -> dict[str, NDArray[Any]]: ...
    @property
    def allocations(self) -> dict[str, NDArray[Any]]: ...
    @property
    def flows(self) -> dict[str, NDArray[Any]]: ...
    @property
    def counters(self) -> dict[str, NDArray[Any]]: ...
    @property
    def aggregates(self) -> dict[str, NDArray[Any]]: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def tracks(self) -> list[tuple[str, int, int, str, int, int, int, int]]: ...
    @property
    def devices(self) -> list[tuple[str, str, int, int, int, float, float, tuple[int, int], int, int, int, int, float, str]]: ...
    @property
    def ops(self) -> list[tuple[str, str, str, str, str, str, float, float, bool | None]]: ...
    @property
    def programs(self) -> list[tuple[str, int, int, int]]: ...
    @property
    def notes(self) -> list[tuple[str, str, str]]: ...
    @property
    def environment(self) -> dict[str, str]: ...
    @property
    def host(self) -> str: ...
    @property
    def framework(self) -> str: ...
    @property
    def rank(self) -> int: ...
    @property
    def world_size(self) -> int: ...
    @property
    def base_ns(self) -> int: ...
    @property
    def window(self) -> tuple[int, int]: ...

SpanId = tuple[int, int]

class ProfileBuilder:
    """Makes tables of spans that Python found: sorted, nested and linked. One call a span, so for thousands, not millions."""

    def __init__(self) -> None: ...
    def intern(self, text: str) -> int: ...
    def add_track(self, name: str, role: int, purpose: int = 0, process: str = "host", device: int = -1, number: int = 0) -> int: ...
    def add_span(
        self,
        track: int,
        start: int,
        end: int,
        name: str,
        kind: int = 0,
        correlation: int = -1,
        op: int = -1,
        shape: str = "",
        step: int = -1,
        source: int = -1,
    ) -> SpanId: ...
    def add_operation(
        self, name: str, type: str = "", scope: str = "", program: str = "", source: str = "", flops: float = ...
    ) -> int: ...
    def add_marker(self, span: SpanId, number: int, family: int) -> None: ...
    def add_flow(self, source: SpanId, target: SpanId, kind: int = 0) -> None: ...
    def pair_flow(self, key: int, span: SpanId, is_source: bool, kind: int = 0) -> None:
        """An end of a flow; a target is paired with the latest source of its key that began before it."""

    def add_allocation(self, track: int, time: int, bytes: int, allocator: str = "", device: int = -1) -> None: ...
    def add_counter(self, track: int, time: int, value: float) -> None: ...
    def finish(self) -> ProfileTables:
        """The tables; the builder is empty afterwards."""

class NoRunMetadata(ValueError):
    """The bytes are no RunMetadata, or hold no node's statistics."""

def read_run_metadata(data: bytes, spans: int, names: int) -> ProfileTables:
    """The statistics of one session.run of TensorFlow 1, with at most so many spans and names. Raises NoRunMetadata."""

class NotPlain(ValueError):
    """A pickle that is damaged, or holds more than plain data; the text says which, to be put after "because"."""

def read_plain_pickle(data: bytes) -> object:
    """What a pickle of numbers, text, lists, tuples, dicts and sets holds; nothing in it is ever executed. Raises NotPlain."""

class UnreadableXSpace(ValueError):
    """Nothing of the file can be read; the message goes on after the file's name."""

def read_number_table(
    origin: Origin, most_rows: int, most_values: int
) -> tuple[NDArray[np.float32], NDArray[np.int64], int, int, list[tuple[int, int, int]], int]:
    """Reads a text file of numbers with one vector on each line.

    Returns (values row after row, which line each row is, lines, columns, bad lines, number of bad lines). Lines without content do not
    count. At most `most_rows` rows and `most_values` numbers are kept, evenly spread over the file. Lines that are no vector of finite
    numbers are left out; of those that would have been kept the first 20 are listed as (line from 1, problem, columns).
    Problems: 1 another number of columns than the first line, 2 not a number, 3 NaN or infinite. Raises OSError.
    """

def read_whole_file(origin: Origin, most: int) -> NDArray[np.uint8]:
    """A file's content, at most so many bytes of it, in memory that is fast to fill. Raises OSError."""

def read_xspace(data: bytes | NDArray[np.uint8], most_spans: int, most_names: int, threads: int = 0) -> ProfileTables:
    """Reads a whole XSpace file. Raises UnreadableXSpace."""

def xspace_arguments(data: bytes, source: int) -> list[tuple[str, int | float | str]]:
    """Every stat of the event at a span's `source`, and its long name when it has two. Raises UnreadableXSpace."""

def xspace_file_arguments(origin: Origin, source: int) -> list[tuple[str, int | float | str]]:
    """The same of a plain file, of which only the names are read. Raises OSError too."""

class UnreadableHlo(ValueError):
    """A program that is no HloProto; the text goes after the program's name."""

def read_graph_def(origin: Origin, offset: int, length: int, nodes: int, inputs: int) -> dict[str, Any]:
    """Columns of model.graph.Graph for a GraphDef of so many bytes at an offset, and for each function of its library.

    `nodes` and `inputs` are how many are read at most. Constants are stepped over. Raises OSError.
    """

def read_hlo(data: bytes) -> dict[str, Any]:
    """The columns of model.hlo.HloProgram, from a serialised HloProto. Raises UnreadableHlo."""

def first_fitting(names: Sequence[str], patterns: Sequence[str]) -> NDArray[np.int32]:
    """For each name the place of the first pattern that fits it as a whole, -1 where none does: * stands for anything, and letters of
    ASCII match in either case. Takes at most the length of the name times that of the pattern."""

def listed_rules() -> list[tuple[str, str, str, str, str]]:
    """The native readers' own rules: format, what the text is held against, how, the text, and the kind."""

class RestartIndex:
    """Places in a gzip file from which inflating can begin."""

    def __len__(self) -> int: ...

def read_kineto(
    origin: Origin, rules: list[tuple[int, int, str, int, str]], bytes: int, ratio: int, spans: int, names: int
) -> tuple[str, ProfileTables, RestartIndex | None, int]:
    """Reads a trace in JSON, plain or gzip: what it is ("kineto", "chrome", "unknown", "bomb"), its tables, a gzip file's restart
    points, and how many events it has. `rules` are those of stepscope.formats.kineto.rules. Raises OSError."""

def read_kineto_ranks(
    origin: Origin, rules: list[tuple[int, int, str, int, str]], bytes: int, ratio: int, spans: int, names: int
) -> list[ProfileTables]:
    """The tables of each rank of a trace that contains several, by rank; empty when its labels do not divide it. Raises OSError."""

def read_trace_event(origin: Origin, offset: int, index: RestartIndex | None) -> bytes:
    """The event at an offset of the uncompressed file as valid JSON; empty when there is none."""

def restart_index(origin: Origin) -> RestartIndex:
    """The restart points of a gzip file, about one in 4 MB."""

def inflate(
    origin: Origin, offset: int, length: int, index: RestartIndex | None, bytes: int = ..., ratio: int = ...
) -> tuple[bytes, str]:
    """Bytes of a gzip file's content, and how inflating ended: "none" (there is more), "complete", "truncated", "damaged" or
    "too_large"."""

class NoPerfettoTrace(ValueError):
    """The bytes hold no slice and no counter of a Perfetto trace; the text says why, to be put after "because"."""

def read_perfetto(data: bytes, spans: int, names: int) -> ProfileTables:
    """The tracks of a Perfetto trace, with at most so many spans and names. Raises NoPerfettoTrace."""

class TraceExport:
    """Writes a profile as Perfetto's .pftrace ("pftrace"), Chrome's trace JSON ("json") or speedscope's ("speedscope").

    The columns are shared, not copied."""

    def __init__(
        self,
        *,
        format: str,
        track: NDArray[np.int32],
        name: NDArray[np.int32],
        cause: NDArray[np.int32],
        start: NDArray[np.int64],
        end: NDArray[np.int64],
        kind: NDArray[np.int8],
        counter_track: NDArray[np.int32],
        counter_time: NDArray[np.int64],
        counter_value: NDArray[np.float64],
        marker_row: NDArray[np.int32],
        marker_number: NDArray[np.int64],
        marker_family: NDArray[np.int8],
        copy_row: NDArray[np.int32],
        copy_direction: NDArray[np.int8],
        names: list[str],
        tracks: list[tuple[str, str, int, int]],
        base_ns: int,
        low: int,
        high: int,
    ) -> None: ...
    def next(self, wanted: int) -> bytes:
        """The next piece of about that many bytes; empty at the end."""

def start_marked_ops() -> None:
    """Gives a recorder to every library of the process that marks operations with stepscope_op.h."""

def stop_marked_ops() -> tuple[list[tuple[str, int, int, int, int, int]], int]:
    """Takes it away; operations as name, start, end, thread as the kernel and an XSpace number it, bytes; and how many were dropped."""
