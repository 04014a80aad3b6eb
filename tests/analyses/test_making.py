"""How long the batch of a step takes to make, and who makes it."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.input.making import Making, making
from stepscope.model.profile import MarkerFamily, Profile

STEPS = "main     111111111122222222223333333333"
SINGLE = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
SEVERAL = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def found(profile: Profile) -> Making:
    return making(profile, break_down(profile))


def drawn(*lines: str, **names: str) -> Profile:
    return timeline("\n".join([STEPS, *lines]), MS, MarkerFamily.PROFILER_STEP, **names)


def facts(made: Making) -> tuple[float, int, bool, bool]:
    return made.ns.tolist()[1] / MS, made.makers, made.counted, made.beside


def test_who_fetches_makes_the_batch() -> None:
    profile = drawn("main     iiiiiioooo" + "iiiiiioooo" * 2, i=SINGLE)
    assert facts(found(profile)) == (6, 1, True, False)
    assert found(profile).cores == 1


def test_workers_that_are_waited_for_need_the_whole_step() -> None:
    assert facts(found(drawn("main     iiiiiioooo" + "iiiiiioooo" * 2, i=SEVERAL))) == (10, 1, False, True)


def test_every_worker_has_a_thread_that_feeds_it() -> None:
    feeds = ["feed 1   " + "p" * 30, "feed 2   " + "p" * 30, "feed 3   " + "p" * 30]
    profile = drawn("main     iiiiiioooo" + "iiiiiioooo" * 2, *feeds, i=SEVERAL, p="multiprocessing/queues.py(231): _feed")
    assert facts(found(profile)) == (30, 3, True, True)


def test_a_batch_from_a_full_buffer_does_not_tell_how_long_it_took() -> None:
    long = "main     " + "".join(f"{step}" * 100 for step in range(1, 5))
    profile = timeline("\n".join([long, "main     " + ("ii" + "o" * 98) * 4]), i=SEVERAL)
    assert facts(found(profile)) == (2, 1, False, True)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        # What unpacks a batch has one; what polls waits for a worker that is too slow.
        ("<built-in function loads>", (6, 1, False, True, True)),
        ("<built-in method poll of select.poll object>", (10, 1, False, True, False)),
    ],
)
def test_a_batch_that_is_ready_does_not_tell_of_slow_workers(function: str, expected: tuple[float, int, bool, bool, bool]) -> None:
    lines = ("main     " + "iiiiiioooo" * 3, "main     " + ".ppppp...." * 3)
    made = found(drawn(*lines, i=SEVERAL, p=function))
    assert (*facts(made), made.ready) == expected
    assert found(drawn(lines[0], i=SEVERAL)).ready is None, "without Python nobody knows"


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        ("Map", (8, 1, True, False)),
        ("Prefetch", (10, 1, True, True)),
        ("MapAndBatch", (10, 1, False, True)),
        ("ParallelMapV2", (10, 1, False, True)),
    ],
)
def test_stages_that_work_ahead_of_the_step(stage: str, expected: tuple[float, int, bool, bool]) -> None:
    lines = ["main     iiiiiiiioo" + "iiiiiiiioo" * 2, "main     .ffffff..." + ".ffffff..." * 2]
    assert facts(found(drawn(*lines, i="Iterator::Root", f=f"Iterator::Root::{stage}"))) == expected


def test_python_that_sleeps_while_it_fetches_needs_less_than_a_core() -> None:
    lines = ["main     iiiiiiiioo" + "iiiiiiiioo" * 2, "main     .pppppp..." + ".pppppp..." * 2]
    assert found(drawn(*lines, i=SINGLE, p="<built-in function sleep>")).cores == pytest.approx(0.25)
    assert found(drawn(*lines, i=SINGLE, p="data.py(7): __getitem__")).cores == 1


def test_no_input() -> None:
    assert facts(found(drawn("main     " + "o" * 30))) == (0, 1, True, False)
