"""How full a device is (`memory.fullest`), who asked for memory (`memory.owners`), and what a part of a recording holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analyses.memory_tables import Event, with_allocations
from analyses.timeline import MS
from stepscope.analyses.memory.fullest import Held, allocations_recorded, fullest_device
from stepscope.analyses.memory.owners import Texts, owner_rows, owner_texts
from stepscope.analyses.ranges.part_memory import allocations_of_part
from stepscope.model.profile import NONE, Device, SpanKind

PICTURE = """
    main    1111111111
    main    nnnnnnnnnn
    main    .fffffff..
    main    ..ooooo...
    main    ...a.a....
"""


def test_the_fullest_moment_of_the_fullest_device() -> None:
    events = [Event(1, 100, device=0, allocated=100, reserved=150), Event(2, 50, device=0, allocated=150, reserved=200)]
    profile = with_allocations(PICTURE, events, capacity=1000)
    assert fullest_device(profile) == Held(150, 200, 1000)
    assert allocations_recorded(profile)
    other = [Event(3, 90, device=1, allocated=90, reserved=200)]
    both = with_allocations(PICTURE, [*events, *other], capacity=1000)
    both = replace(both, devices=[*both.devices, Device("", "GPU", 1, memory_bytes=100)])
    assert fullest_device(both) == Held(90, 200, 100), "90 of 100 is fuller than 150 of 1000"


def test_without_totals_nobody_knows_how_full_it_is() -> None:
    profile = with_allocations(PICTURE, [Event(1, 100, device=0)])
    assert (fullest_device(profile), allocations_recorded(profile)) == (None, True)
    assert not allocations_recorded(with_allocations(PICTURE, []))


def test_an_allocation_belongs_to_the_outermost_operation_or_call() -> None:
    profile = with_allocations(PICTURE, [], n="training", f="EagerExecute", o="aten::mm", a="cudaMalloc")
    named = {profile.names[name]: row for row, name in enumerate(profile.spans.name)}

    def owner(*names: str) -> list[str]:
        rows = np.array([named[name] for name in names], np.int32)
        return [profile.names[profile.spans.name[row]] for row in owner_rows(profile, rows)]

    assert owner("cudaMalloc", "aten::mm", "EagerExecute", "training") == ["aten::mm", "aten::mm", "EagerExecute", "training"]
    marker = int(np.flatnonzero(profile.spans.kind == SpanKind.MARKER)[0])
    assert owner_rows(profile, np.array([marker, NONE], np.int32)).tolist() == [NONE, NONE]


def test_what_the_file_names_comes_before_the_spans() -> None:
    events = [Event(3.5, 10, around="cudaMalloc"), Event(3.6, 10, around="cudaMalloc", op="model/dense/MatMul"), Event(9.5, 10)]
    profile = with_allocations(PICTURE, events, o="aten::mm", a="cudaMalloc")
    texts = Texts()
    op, module = owner_texts(profile, np.arange(3), texts)
    assert [texts.all[one] for one in op] == ["aten::mm", "model/dense/MatMul", ""]
    assert [texts.all[one] for one in module] == ["", "model/dense", ""]
    assert texts.number("aten::mm") == op[0], "each text is kept once"


def test_what_a_part_holds_from_before_comes_first() -> None:
    events = [
        Event(1, 100, address=1, around="cudaMalloc", allocated=1100),
        Event(2, 50, address=2, allocated=1150),
        Event(3, -50, address=2, allocated=1100),
        Event(6, 30, address=3, allocated=1130),
        Event(8, -100, address=1, allocated=1030),
    ]
    profile = with_allocations("main   1111122222\nmain   a.........", events, a="cudaMalloc")
    new = np.full(len(profile.spans) + 1, NONE, np.int32)
    found = allocations_of_part(profile, 5 * MS, 10 * MS, new)
    assert (found.bytes.tolist(), found.address.tolist()) == ([100, 30, -100], [1, 3, 1])
    assert [time / MS for time in found.time] == [5 - 1 / MS, 6, 8]
    assert found.allocated.tolist() == [1100, 1130, 1030], "the level is that of the whole recording"
    assert (profile.names[found.op[0]], found.row.tolist()) == ("cudaMalloc", [NONE, NONE, NONE])


def test_without_addresses_a_part_has_its_own_events_alone() -> None:
    profile = with_allocations("main   1111122222", [Event(1, 100), Event(6, 30)])
    found = allocations_of_part(profile, 5 * MS, 10 * MS, np.full(len(profile.spans) + 1, NONE, np.int32))
    assert found.bytes.tolist() == [30]
