"""Memory of several profiles of a run: peaks beside each other, and who holds more."""

from __future__ import annotations

from analyses.memory_tables import Event, with_allocations
from stepscope.analyses.memory.several import first_step, memory_of_each
from stepscope.analyses.memory.timeline import StackedBy
from stepscope.model.profile import Profile

PICTURE = """
    main  1122
    main  oooo
"""


def held(**ops: int) -> Profile:
    """One profile at whose end each operation holds so many bytes."""
    events = [Event(0.1 * (place + 1), size, place, "o", op=name) for place, (name, size) in enumerate(ops.items())]
    return with_allocations(PICTURE, events)


def test_who_holds_more_comes_first() -> None:
    (found,) = memory_of_each([[held(keep=100, cache=10)], [held(keep=100, cache=50)], [held(keep=90, cache=200, extra=7)]])
    assert (found.name, found.peaks) == ("host", (110, 150, 297))
    assert [(row.name, row.bytes, row.change) for row in found.rows] == [
        ("cache", (10, 50, 200), 190),
        ("keep", (100, 100, 90), -10),
        ("extra", (0, 0, 7), 7),
    ]


def test_a_profile_without_the_memory_is_a_gap() -> None:
    (found,) = memory_of_each([[held(keep=100)], [with_allocations(PICTURE, [])], [held(keep=130)]])
    assert (found.peaks, found.rows[0].bytes, found.rows[0].change) == ((100, None, 130), (100, None, 130), 30)


def test_a_memory_of_one_profile_alone_is_left_out() -> None:
    gpu = with_allocations(PICTURE, [Event(0.5, 10, 1, "o", device=0)])
    assert memory_of_each([[gpu], [held(keep=1)]]) == []


def test_what_has_no_kind_goes_by_its_operation() -> None:
    (found,) = memory_of_each([[held(keep=1)], [held(keep=2)]], StackedBy.KIND)
    assert [row.name for row in found.rows] == ["keep"]


def test_the_first_step_is_that_of_numbered_steps() -> None:
    assert first_step([held(keep=1)]) == 1
    assert first_step([]) is None
