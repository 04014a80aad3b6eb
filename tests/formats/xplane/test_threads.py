"""Several threads read a large file, and its tables are those of one."""

from __future__ import annotations

import pytest

import xspace_bytes as xb
from stepscope._native import ProfileTables, read_xspace
from stepscope.model.profile import SpanKind

pytestmark = pytest.mark.slow  # only a large file is read by several threads
US = 1_000_000
THREADS = 12
EVENTS = 20_000
TABLES = ("spans", "markers", "kernels", "copies", "collectives", "allocations", "flows", "counters", "aggregates")


@pytest.fixture(scope="module")
def content() -> bytes:
    """Lines of several planes, some for one thread, with names, operations, flows and steps that they share; one is not in order."""
    planes: list[xb.Plane] = []
    for process in range(3):
        plane = xb.Plane("/host:CPU" if process == 0 else f"/host:tracer {process}")
        for thread in range(THREADS // 3):
            late = 7 * US if thread == 1 else 0
            events = [_event(plane, process, thread, at, late) for at in range(EVENTS)]
            plane.line(f"thread {thread}", *events, id=thread if process == 1 else 100 * process + thread)
        planes.append(plane)
    return xb.space(*planes)


def _event(plane: xb.Plane, process: int, thread: int, at: int, late: int) -> bytes:
    begin = at * 10 * US + (late if at % 5 == 0 else 0)
    name = f"{process}/{at % 17}/{thread}:Add{at % 3}"
    if at % 11 == 0:
        return plane.event("send", begin, 3 * US, _pt=1, _p=at * 100 + thread)
    if at % 11 == 1:
        return plane.event("receive", begin, 3 * US, _ct=1, _c=(at - 1) * 100 + (thread + 1) % 4)
    if at % 101 == 0:
        return plane.event("train", begin, 9 * US, step_num=at // 101)
    return plane.event(name, begin, 5 * US)


def _read(content: bytes, threads: int) -> ProfileTables:
    return read_xspace(content, 10_000_000, 1_000_000, threads)


def test_tables_do_not_depend_on_the_number_of_threads(content: bytes) -> None:
    one, many = _read(content, 1), _read(content, 8)
    assert len(one.spans["start"]) == THREADS * EVENTS
    assert (one.names, one.tracks, one.notes, one.window) == (many.names, many.tracks, many.notes, many.window)
    assert repr(one.ops) == repr(many.ops)  # nan is not equal to itself
    for table in TABLES:
        ours, theirs = getattr(one, table), getattr(many, table)
        assert {name: column.tobytes() for name, column in ours.items()} == {name: column.tobytes() for name, column in theirs.items()}


def test_what_lines_share_is_there_once(content: bytes) -> None:
    tables = _read(content, 0)
    assert len(tables.tracks) == 2 * THREADS // 3  # two of the planes are of the same threads
    assert len(set(tables.names)) == len(tables.names)
    assert len(set(map(repr, tables.ops))) == len(tables.ops)
    assert len(tables.flows["source"]) > 0
    kind, op = tables.spans["kind"], tables.spans["op"]
    named = [tables.ops[number][0] for number in set(op[kind == SpanKind.OP].tolist())]
    assert {name.rsplit("/", 1)[1] for name in named} == {"0", "1", "2", "3"}


def test_spans_beyond_the_limit_are_those_at_the_end_of_the_file() -> None:
    plane = xb.Plane("/host:CPU")
    for line in range(4):
        plane.line(f"{line}", *(plane.event("x", at * US, US) for at in range(70_000)))
    tables = read_xspace(xb.space(plane), 150_000, 100, 4)
    lengths = [last - first for *_, first, last in tables.tracks]
    assert lengths == [70_000, 70_000, 10_000, 0]
    assert [note for note in tables.notes if note[1] == "dropped_events"]
