"""Each class of time alone, in a recording of a device and in one of a CPU: four of ten milliseconds are its own, and no other's."""

from __future__ import annotations

import pytest

from analyses.timeline import Timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.time_classes import TimeClass

ON_THREAD = {
    TimeClass.COMPILE: "c", TimeClass.GC: "g", TimeClass.IO: "w", TimeClass.INPUT: "i", TimeClass.SYNC: "s", TimeClass.ALLOC: "a",
    TimeClass.LAUNCH: "l", TimeClass.OP: "o", TimeClass.FRAMEWORK: "f", TimeClass.PYTHON: "p", TimeClass.UNTRACED: ".",
    TimeClass.COMM: "C",
}  # fmt: skip
ON_STREAM = {TimeClass.COMPUTE: "L", TimeClass.COMM: "C", TimeClass.H2D: "H", TimeClass.D2H: "D", TimeClass.D2D: "F"}


def parts(picture: str, unit: int = 1_000_000) -> dict[TimeClass, float]:
    """Of the only step, in letters."""
    found = break_down(Timeline(unit).draw(picture).build())
    return {each: float(found.parts[0, each]) / unit for each in TimeClass if found.parts[0, each]}


@pytest.mark.parametrize(("time_class", "letter"), [*ON_THREAD.items()])
def test_on_the_host_of_a_device(time_class: TimeClass, letter: str) -> None:
    found = parts(f"main   1111111111\nmain   {letter * 4}\ngpu 0      KKKKKK")
    assert found == {TimeClass.COMPUTE: 6, time_class: 4}


@pytest.mark.parametrize(("time_class", "letter"), [*ON_STREAM.items()])
def test_on_the_device(time_class: TimeClass, letter: str) -> None:
    found = parts(f"main   1111111111\ngpu 0  {letter * 4}KKKKKK")
    assert found == ({TimeClass.COMPUTE: 10} if time_class is TimeClass.COMPUTE else {TimeClass.COMPUTE: 6, time_class: 4})


@pytest.mark.parametrize(("time_class", "letter"), [*ON_THREAD.items()])
def test_without_a_device(time_class: TimeClass, letter: str) -> None:
    """A letter is 4 µs: six are an operation long enough to be compute, one alone is a short one."""
    found = parts(f"main   1111111111\nmain   {letter * 4 if letter != 'o' else 'o.o.'}\npool       oooooo", 4_000)
    short = {TimeClass.OP: 2, TimeClass.UNTRACED: 2}
    assert found == {TimeClass.COMPUTE: 6} | (short if time_class is TimeClass.OP else {time_class: 4})


def test_every_class_was_tried() -> None:
    assert {*ON_THREAD, *ON_STREAM} == set(TimeClass)
