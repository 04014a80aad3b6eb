"""Operations of host and devices in one table: how often, how long, how much of it is seen in the step, memory and arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from stepscope._native import inside_same_key, self_times
from stepscope.analyses.breakdown import Breakdown, counts_per_step
from stepscope.analyses.grouping import Grouped, dense_codes
from stepscope.analyses.input.stages import stage_rows
from stepscope.analyses.rows import rows_of, rows_of_kinds, rows_of_role, union_of_rows
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.executions import counts_of, find_executions, group_executions, host_operation_of
from stepscope.analyses.work.functions import callers
from stepscope.analyses.work.module_calls import ModuleCalls, module_calls
from stepscope.analyses.work.operation_costs import SHAPES, OperationCosts, joined_sources, recorded_costs
from stepscope.analyses.work.product_flops import flops_of_rows
from stepscope.model.profile import NONE, Float64, Int32, Int64, Profile, SpanKind, TrackRole

HOST = "host"
_SHAPES_SHOWN = 4
_NAMELESS = "(none)"
_EAGER = "\0eager"
"""Beside names of functions: none."""

_OPERATIONS = (SpanKind.OP, SpanKind.INPUT, SpanKind.COLLECTIVE, SpanKind.COMPILE, SpanKind.IO, SpanKind.GC)
_CALLS = (SpanKind.RUNTIME, SpanKind.SYNC, SpanKind.ALLOC, SpanKind.FRAMEWORK, SpanKind.PYTHON)


class By(Enum):
    """What makes one row of the table."""

    NAME = "name"
    TYPE = "type"
    SCOPE = "scope"
    MODULE = "module"  # as PyTorch records them; the scope where no module is known
    PROGRAM = "program"
    SHAPE = "shape"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class OperationRow:
    """Times in nanoseconds over the whole recording, but for `exposed_ns`, which is of a typical step."""

    name: str  # of the operation, or of what the table is grouped by
    type: str
    kind: str  # of the spans with most of its time
    device: str  # "host", or the device's name such as "GPU 0"
    count: int  # executions, not kernels; an operation inside one of the same row belongs to the execution around it
    count_per_step: float  # executions in a typical step
    spans: int  # kernels and copies on a device, operations on the host, those inside others of the row as well
    total_ns: int  # of all executions
    self_ns: int  # without what runs inside it on its thread
    min_ns: int  # of one execution, as the average
    max_ns: int
    share: float  # of the self times of its side: host, or all devices
    cumulative: float  # its share and those of the rows with more self time
    exposed_ns: float  # of a typical step: not hidden behind other work; all rows and untraced sum to the step
    exposed_share: float  # of a typical step
    part: str  # of the step's time in which it is exposed most, "" when it is hidden
    eager: bool | None  # None: cannot tell, or both
    function: str  # that runs it, "" when it is eager or nothing tells
    program: str
    scope: str
    source: str
    shapes: tuple[str, ...]  # the first few, of its inputs
    output_shapes: tuple[str, ...]  # the first few
    memory_bytes: int  # allocated by it, releases not counted; NONE when the file tells nothing of memory
    flops: float  # in sum; nan when unknown
    bytes: float  # accessed, in sum; nan when unknown
    flops_from: str  # "recorded", "HLO", "shapes", several of them, or "" when unknown
    bytes_from: str

    @property
    def average_ns(self) -> float:
        """Per execution."""
        return self.total_ns / self.count if self.count else 0.0


@dataclass(frozen=True, slots=True)
class _Side:
    """The spans of the host, or of one device in time order, that the table holds."""

    device: str
    rows: Int64
    on_device: bool


@dataclass(frozen=True, slots=True)
class _Measures:
    """What is known of every span, whatever row of the table it goes to."""

    self_ns: Int64
    flops: Float64 | None  # from shapes; nan when unknown, None when all are
    memory: Int64 | None
    modules: ModuleCalls | None
    costs: OperationCosts


def operations(
    profile: Profile,
    breakdown: Breakdown,
    by: By = By.NAME,
    *,
    calls: bool = False,
    min_time_ns: int = 0,
    min_bytes: int = 0,
    costs: OperationCosts | None = None,
) -> list[OperationRow]:
    """The table, most exposed first; `calls` adds runtime, framework and Python calls. Filters are of total time and of bytes.

    `costs` are what the file tells of operations unless given, with those of compiled programs (hlo_costs).
    """
    modules = module_calls(profile) if by is By.MODULE else None
    flops = flops_of_rows(profile)
    of_shapes = None if np.isnan(flops).all() else flops
    measures = _Measures(own_times(profile), of_shapes, _allocated(profile), modules, costs or recorded_costs(profile))
    found: list[OperationRow] = []
    for sides in ([_Side(HOST, _host_rows(profile, calls), False)], _device_sides(profile)):
        of_side = [row for side in sides if len(side.rows) for row in _rows(profile, breakdown, side, by, measures)]
        found += _with_shares(of_side)
    kept = [row for row in found if row.total_ns >= min_time_ns and (not min_bytes or _bytes_of(row) >= min_bytes)]
    return sorted(kept, key=lambda row: (-row.exposed_ns, -row.self_ns, row.device, row.name))


def spans_of_operation(profile: Profile, by: By, name: str, device: str, *, calls: bool = False) -> Int64:
    """The spans of one row of the table: of `device`, or of all devices when none has that name; executions alone on the host."""
    modules = module_calls(profile) if by is By.MODULE else None
    if device == HOST:
        sides = [_Side(HOST, _host_rows(profile, calls), False)]
    else:
        every = _device_sides(profile)
        sides = [side for side in every if side.device == device] or every
    found = [_spans_of_row(profile, side, by, name, modules) for side in sides if len(side.rows)]
    return np.concatenate([np.zeros(0, np.int64), *found])


def _spans_of_row(profile: Profile, side: _Side, by: By, name: str, modules: ModuleCalls | None) -> Int64:
    atom = _atoms(profile, side.rows, by, modules)
    wanted = np.array([(text or _NAMELESS) == name for text in _texts(profile, atom, side.rows, by, modules)])
    mine = wanted[atom.code]
    if not side.on_device:
        mine &= ~_inside_own_row(profile, side.rows, Grouped(mine.astype(np.int32), 2))
    return side.rows[mine]


def most_exposed(rows: Sequence[OperationRow], count: int) -> list[OperationRow]:
    """The rows that the step waits for most; the same operation on several devices is one row of them all."""
    merged: dict[tuple[str, bool], list[OperationRow]] = {}
    for row in rows:
        merged.setdefault((row.name, row.device == HOST), []).append(row)
    found = [_of_all_devices(same) for same in merged.values()]
    return sorted((row for row in found if row.exposed_ns > 0), key=lambda row: (-row.exposed_ns, row.name))[:count]


def _of_all_devices(rows: list[OperationRow]) -> OperationRow:
    if len(rows) == 1:
        return rows[0]
    return replace(
        rows[0],
        device=f"{len(rows)} devices",
        part=max(rows, key=lambda row: row.exposed_ns).part,
        count=sum(row.count for row in rows),
        count_per_step=sum(row.count_per_step for row in rows),
        spans=sum(row.spans for row in rows),
        total_ns=sum(row.total_ns for row in rows),
        self_ns=sum(row.self_ns for row in rows),
        min_ns=min(row.min_ns for row in rows),
        max_ns=max(row.max_ns for row in rows),
        share=sum(row.share for row in rows),
        cumulative=max(row.cumulative for row in rows),
        exposed_ns=sum(row.exposed_ns for row in rows),
        exposed_share=sum(row.exposed_share for row in rows),
        flops=float(np.sum([row.flops for row in rows])),
        bytes=float(np.sum([row.bytes for row in rows])),
        flops_from=joined_sources(row.flops_from for row in rows),
        bytes_from=joined_sources(row.bytes_from for row in rows),
    )


def own_times(profile: Profile) -> Int64:
    """Self time of every span on threads and streams; step markers and other tracks own none.

    A framework's call directly inside an operation is how that computes (TensorFlow's `DecodeImageV2Op::JPEG` in `DecodeJpeg`): its
    time is the operation's own.
    """
    own = _self_times(profile)
    spans = profile.spans
    calls = np.flatnonzero((spans.kind == SpanKind.FRAMEWORK) & (spans.parent >= 0))
    above = spans.parent[calls]
    calls = calls[spans.kind[above] == SpanKind.OP]
    np.add.at(own, spans.parent[calls], own[calls])
    own[calls] = 0
    return own


def _self_times(profile: Profile) -> Int64:
    tracks = [track for track in profile.tracks if track.role in (TrackRole.THREAD, TrackRole.STREAM)]
    label = np.negative((profile.spans.kind == SpanKind.MARKER).view(np.int8))  # NONE for markers, 0 for all others
    first = np.array([track.first_row for track in tracks], np.int64)
    last = np.array([track.last_row for track in tracks], np.int64)
    own = self_times(profile.spans.start, profile.spans.end, label, first, last)
    if profile.part is not None:  # device work is not cut: what it overlaps on its stream may belong to the range beside it
        rows = rows_of_role(profile, TrackRole.STREAM)
        own[rows] = _self_times(profile.part.whole)[profile.part.rows[rows]]
    return own


def _host_rows(profile: Profile, calls: bool) -> Int64:
    wanted = np.zeros(len(SpanKind), bool)
    wanted[[*_OPERATIONS, *(_CALLS if calls else ())]] = True
    rows = rows_of_kinds(profile, TrackRole.THREAD, wanted)
    return rows if calls else union_of_rows(profile, rows, stage_rows(profile))


def _device_sides(profile: Profile) -> list[_Side]:
    streams = [track for track in profile.tracks if track.role == TrackRole.STREAM]
    sides: list[_Side] = []
    for device in sorted({track.device for track in streams}):
        mine = [track for track in streams if track.device == device]
        rows = rows_of(mine)
        sides.append(_Side(mine[0].process, rows[np.argsort(profile.spans.start[rows], kind="stable")], True))
    return sides


def _rows(profile: Profile, breakdown: Breakdown, side: _Side, by: By, measures: _Measures) -> list[OperationRow]:
    """Groups twice: spans by operation, where executions, FLOPs and bytes are known; operations by what makes a row."""
    spans = profile.spans
    atom = _atoms(profile, side.rows, by, measures.modules)
    texts = _texts(profile, atom, side.rows, by, measures.modules)
    key_of_text = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    key_of_atom = np.array([key_of_text[text] for text in texts], np.int32)
    rows = Grouped(key_of_atom[atom.code], len(key_of_text))
    length = spans.end[side.rows] - spans.start[side.rows]
    inside = _inside_own_row(profile, side.rows, rows)
    flops = np.full(rows.groups, np.nan)
    if side.on_device:
        host = host_operation_of(profile, side.rows)
        of_atoms = find_executions(profile, side.rows, host, atom.code, atom.groups)
        count_of_atom = counts_of(of_atoms, atom.code, atom.groups)
        executions = group_executions(of_atoms, side.rows, rows, inside)
        counts, times = executions.group.counts(), executions.totals(np.where(inside, 0, length))
        begins, row_of = executions.of_span.firsts(), executions.group.code
        if measures.flops is not None:
            flops = _flops_of_launchers(measures.flops, host, rows)
    else:  # on the host an execution is a span that no other of its row holds
        count_of_atom = atom.counts()
        outer = Grouped(rows.code[~inside], rows.groups)
        begins, row_of = np.flatnonzero(~inside), outer.code
        counts, times = outer.counts(), outer.totals(length[~inside])
        if measures.flops is not None:
            flops = _flop_sums(outer.code, measures.flops[side.rows][~inside], rows.groups)
    totals, shortest, longest = times
    memory = measures.memory
    allocated = np.full(rows.groups, NONE, np.int64) if memory is None else rows.sums(memory[side.rows])
    facts = _facts(profile, measures.costs, atom, side.rows, count_of_atom, key_of_atom, rows.groups)
    shapes = _shapes(profile, rows, side.rows)
    pieces, selves = rows.counts(), rows.sums(measures.self_ns[side.rows])
    exposed = rows.float_sums(breakdown.exposed[side.rows]) / max(1, len(breakdown.typical))
    per_step = counts_per_step(profile, breakdown, side.rows[begins], row_of, rows.groups)
    kinds = _heaviest(rows, spans.kind[side.rows], length.astype(np.float64), len(SpanKind))
    parts = _parts(breakdown, side.rows, rows)
    outputs_recorded = profile.format == "run_metadata"
    step = breakdown.typical_ns or 1.0
    return [
        OperationRow(
            name=text or _NAMELESS,
            type=facts[place].type,
            kind=SpanKind(int(kinds[place])).name.lower(),
            device=side.device,
            count=int(counts[place]),
            count_per_step=float(per_step[place]),
            spans=int(pieces[place]),
            total_ns=int(totals[place]),
            self_ns=int(selves[place]),
            min_ns=int(shortest[place]),
            max_ns=int(longest[place]),
            share=0.0,
            cumulative=0.0,
            exposed_ns=float(exposed[place]),
            exposed_share=float(exposed[place]) / step,
            part=TimeClass(parts[place]).key if parts[place] != NONE else "",
            eager=facts[place].eager,
            function=facts[place].function,
            program=facts[place].program,
            scope=facts[place].scope,
            source=facts[place].source,
            shapes=facts[place].inputs or (() if outputs_recorded else shapes[place]),
            output_shapes=facts[place].outputs or (shapes[place] if outputs_recorded else ()),
            memory_bytes=int(allocated[place]),
            flops=float(flops[place]) if np.isnan(facts[place].flops) else facts[place].flops,
            bytes=facts[place].bytes,
            flops_from=facts[place].flops_from or ("" if np.isnan(flops[place]) else SHAPES),
            bytes_from=facts[place].bytes_from,
        )
        for text, place in key_of_text.items()
    ]


def _parts(breakdown: Breakdown, rows: Int64, grouped: Grouped) -> list[int]:
    """For every group the class that has most of its exposed time, NONE when all of it is hidden."""
    own, label = breakdown.exposed[rows], breakdown.classified.label[rows]
    counted = np.flatnonzero((own > 0) & (label >= 0) & (label < len(TimeClass)))
    found = _heaviest(Grouped(grouped.code[counted], grouped.groups), label[counted], own[counted], len(TimeClass))
    return [int(each) for each in found]


def _heaviest(grouped: Grouped, values: Int32 | NDArray[np.uint8] | NDArray[np.int8], weight: Float64, most: int) -> Int64:
    """For every group the value, of those in [0, most), that has most weight in it; NONE for a group without members."""
    found = np.full(grouped.groups, NONE, np.int64)
    pairs = dense_codes(grouped.code.astype(np.int64) * most + values, grouped.groups * most)
    first = pairs.firsts()
    order = np.argsort(-pairs.float_sums(weight), kind="stable")[::-1]  # of several that go to one place the last stays
    found[grouped.code[first[order]]] = values[first[order]]
    return found


def _atoms(profile: Profile, rows: Int64, by: By, modules: ModuleCalls | None) -> Grouped:
    """Spans of one operation, or of one name where the operation is unknown; by shape or module, also of one of these."""
    spans = profile.spans
    op = _operation_of(profile, rows).astype(np.int64)
    code = np.where(op >= 0, op, len(profile.ops) + spans.name[rows].astype(np.int64))
    space = len(profile.ops) + len(profile.names)
    if by is By.SHAPE:
        code = code * (len(profile.names) + 1) + spans.shape[rows].astype(np.int64) + 1
        space *= len(profile.names) + 1
    if modules is not None:
        code = code * (len(modules.paths) + 1) + modules.module[rows] + 1
        space *= len(modules.paths) + 1
    return dense_codes(code, space)


def _operation_of(profile: Profile, rows: Int64) -> Int32:
    """The operation of each span; a call that belongs to an operation is no execution of it, and goes by its own name."""
    is_call = np.zeros(len(SpanKind), bool)
    is_call[list(_CALLS)] = True
    return np.where(is_call[profile.spans.kind[rows]], np.int32(NONE), profile.spans.op[rows])


def _texts(profile: Profile, atom: Grouped, rows: Int64, by: By, modules: ModuleCalls | None) -> list[str]:
    """What makes the row of each atom; an operation without a type goes by its name."""
    spans = profile.spans
    texts: list[str] = []
    first = rows[atom.firsts()]
    ops = _operation_of(profile, first)
    for place, row in enumerate(first.tolist()):
        op = int(ops[place])
        known = profile.ops[op] if op >= 0 else None
        name = known.name if known and known.name else profile.names[int(spans.name[row])]
        if by is By.NAME:
            texts.append(name)
        elif by is By.MODULE:
            texts.append(_module_text(modules, row) or (known.scope if known else ""))
        elif by is By.TYPE:
            texts.append((known.type if known else "") or name)
        elif by is By.SHAPE:
            shape = int(spans.shape[row])
            texts.append(f"{name} {profile.names[shape]}" if shape >= 0 else name)
        else:
            texts.append(str(getattr(known, by.value)) if known else "")
    return texts


def _module_text(modules: ModuleCalls | None, row: int) -> str:
    module = NONE if modules is None else int(modules.module[row])
    return "" if modules is None or module == NONE else "/".join(modules.paths[module])


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the operations of a row have in common, and their arithmetic in sum."""

    type: str
    scope: str
    program: str
    source: str
    eager: bool | None
    function: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    flops: float
    bytes: float
    flops_from: str
    bytes_from: str


_NO_FACTS = _Facts("", "", "", "", None, "", (), (), float("nan"), float("nan"), "", "")
"""Of what is no operation."""


def _facts(
    profile: Profile, costs: OperationCosts, atom: Grouped, rows: Int64, executions: Int64, key_of_atom: Int32, keys: int
) -> list[_Facts]:
    ops_of_key = [list[tuple[int, int]]() for _ in range(keys)]
    functions = [set[str]() for _ in range(keys)]
    first = rows[atom.firsts()]
    ops: list[int] = _operation_of(profile, first).tolist()
    called = callers(profile, first)
    for place, op in enumerate(ops):
        if op >= 0:
            key, call = int(key_of_atom[place]), int(called.function[place])
            ops_of_key[key].append((op, int(executions[place])))
            functions[key].add(_EAGER if called.eager[place] else profile.names[int(profile.spans.name[call])] if call >= 0 else "")
    return [_shared_facts(profile, costs, members, in_ - {""}) for members, in_ in zip(ops_of_key, functions, strict=True)]


def _shared_facts(profile: Profile, costs: OperationCosts, members: list[tuple[int, int]], functions: set[str]) -> _Facts:
    """Per execution, never per kernel: an operation of two kernels does its arithmetic once."""
    if not members:
        return _NO_FACTS
    known = [profile.ops[op] for op, _ in members]

    def only(texts: set[str]) -> str:
        return texts.pop() if len(texts) == 1 else ""

    eager = {op.eager for op in known}
    if eager == {None} and functions:
        eager = {function == _EAGER for function in functions}
    flops = [float(costs.flops[op]) * count for op, count in members]
    accessed = [float(costs.bytes[op]) * count for op, count in members]
    return _Facts(
        type=only({op.type for op in known}),
        scope=only({op.scope for op in known}),
        program=only({op.program for op in known}),
        source=only({op.source for op in known}),
        eager=eager.pop() if len(eager) == 1 else None,
        function=only(functions - {_EAGER}),
        inputs=_first_few(costs.input_shapes.get(op, "") for op, _ in members),
        outputs=_first_few(costs.output_shapes.get(op, "") for op, _ in members),
        flops=float(np.nansum(flops)) if flops and not np.isnan(flops).all() else float("nan"),
        bytes=float(np.nansum(accessed)) if accessed and not np.isnan(accessed).all() else float("nan"),
        flops_from=joined_sources(costs.flops_from[op] for op, _ in members),
        bytes_from=joined_sources(costs.bytes_from[op] for op, _ in members),
    )


def _first_few(shapes: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(shape for shape in shapes if shape))[:_SHAPES_SHOWN]


def _flop_sums(code: Int32, flops: Float64, groups: int) -> Float64:
    """Sums of what is known; nan for a group of which nothing is."""
    known = ~np.isnan(flops)
    sums = np.bincount(code[known], flops[known], groups).astype(np.float64)
    sums[np.bincount(code[known], minlength=groups) == 0] = np.nan
    return sums


def _flops_of_launchers(flops: Float64, host: Int32, keys: Grouped) -> Float64:
    """Sums over the host operations that launched the spans of each row; one that launched several kernels counts once."""
    linked = np.flatnonzero(host >= 0)
    linked = linked[~np.isnan(flops[host[linked]])]
    pairs = keys.code[linked].astype(np.int64) * len(flops) + host[linked]
    _, first = np.unique(pairs, return_index=True)
    once = linked[first]
    return _flop_sums(keys.code[once], flops[host[once]], keys.groups)


def _inside_own_row(profile: Profile, rows: Int64, keys: Grouped) -> NDArray[np.bool_]:
    """Which spans are inside another span of their own row of the table, whose time must not be counted twice."""
    key = np.full(len(profile.spans), NONE, np.int32)
    key[rows] = keys.code
    return inside_same_key(profile.spans.parent, key, keys.groups)[rows] > 0


def _shapes(profile: Profile, keys: Grouped, rows: Int64) -> list[tuple[str, ...]]:
    """The first few distinct shapes of each row."""
    shape = profile.spans.shape[rows]
    known = np.flatnonzero(shape >= 0)
    pairs = dense_codes(keys.code[known].astype(np.int64) * len(profile.names) + shape[known], keys.groups * len(profile.names))
    found = [list[str]() for _ in range(keys.groups)]
    for place in known[np.sort(pairs.firsts())].tolist():
        shown = found[int(keys.code[place])]
        if len(shown) < _SHAPES_SHOWN:
            shown.append(profile.names[int(shape[place])])
    return [tuple(shown) for shown in found]


def _allocated(profile: Profile) -> Int64 | None:
    """Bytes that each span allocated itself, or None when the file holds no allocations.

    What a call inside an operation allocates belongs to the operation.
    """
    allocations, spans = profile.allocations, profile.spans
    if not len(allocations.time):
        return None
    taken = np.flatnonzero((allocations.bytes > 0) & (allocations.row >= 0))
    row = allocations.row[taken].astype(np.int64)
    shown = np.zeros(len(SpanKind), bool)
    shown[list(_OPERATIONS)] = True
    open_ = np.flatnonzero(~shown[spans.kind[row]])
    while len(open_):
        row[open_] = spans.parent[row[open_]]
        open_ = open_[row[open_] >= 0]
        open_ = open_[~shown[spans.kind[row[open_]]]]
    inside = row >= 0
    sums = np.zeros(len(spans), np.int64)
    np.add.at(sums, row[inside], allocations.bytes[taken][inside])
    return sums


def _with_shares(rows: list[OperationRow]) -> list[OperationRow]:
    total = sum(row.self_ns for row in rows)
    found: list[OperationRow] = []
    so_far = 0
    for row in sorted(rows, key=lambda row: (-row.self_ns, row.device, row.name)):
        so_far += row.self_ns
        found.append(replace(row, share=row.self_ns / total if total else 0.0, cumulative=so_far / total if total else 0.0))
    return found


def _bytes_of(row: OperationRow) -> float:
    return max(float(row.memory_bytes), 0.0 if np.isnan(row.bytes) else row.bytes)
