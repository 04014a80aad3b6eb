"""How many threads work, and stretches in which none does although the framework was called."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyses.timeline import MS, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.host.threads import HostThreads, busy_threads, host_threads
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Profile

WITH_POOL = """
    main    1111111111
    main    ffffffffff
    pool 1  oooo...ooo
    pool 2  oo........
"""


def found(profile: Profile, cores: int | None = None) -> HostThreads:
    return host_threads(profile, break_down(profile), cores)


def test_threads_that_work_at_an_average_instant() -> None:
    threads = found(timeline(WITH_POOL))
    assert (threads.threads, threads.pool, threads.busy) == (2, 2, pytest.approx(0.9))


@pytest.mark.parametrize(("cores", "share"), [(None, 0), (1, 0.2), (2, 0), (3, 0)])
def test_threads_wait_where_more_work_than_there_are_cores(cores: int | None, share: float) -> None:
    assert found(timeline(WITH_POOL), cores).crowded == pytest.approx(share)


def test_nobody_works_inside_a_framework_call() -> None:
    threads = found(timeline(WITH_POOL))
    assert [(int(start) // MS, int(end) // MS) for start, end in zip(*threads.quiet, strict=True)] == [(4, 7)]
    assert threads.quiet_per_step_ns == 3 * MS


def test_outside_framework_calls_silence_means_nothing() -> None:
    threads = found(
        timeline("""
        main    1111111111
        main    oo......oo
    """)
    )
    assert (len(threads.quiet[0]), threads.framework_calls) == (0, False)


def test_work_of_the_device_is_work() -> None:
    threads = found(
        timeline("""
        main    1111111111
        main    ffffffffff
        main    l
        gpu 0    KKKKKKKKK
    """)
    )
    assert len(threads.quiet[0]) == 0


def test_waiting_needs_no_core() -> None:
    threads = found(
        timeline("""
        main      1111111111
        main      oooooooooo
        network   CCCCCCCCCC
        loader 1  iiiiiiiiii
    """)
    )
    assert threads.busy == pytest.approx(1.0)


def test_cores_are_what_the_recording_or_the_caller_tells() -> None:
    profile = timeline(WITH_POOL)
    assert (found(profile).cores, found(profile).free) == (None, None)
    assert found(profile, 4).free == pytest.approx(3.1)
    assert found(replace(profile, environment={"cpu_count": "8"})).cores == 8
    assert found(replace(profile, environment={"cpu_count": "-8"})).cores is None
    assert found(replace(profile, environment={"cpu_count": "9" * 40})).cores is None


@pytest.mark.parametrize(
    "name",
    [
        "<built-in function sleep>",
        "$time sleep",
        "concurrent/futures/thread.py(69): _worker",
        "queue.py(171): get",
        "<built-in method poll of select.poll object at 0x7f2dea433cf0>",
        "<built-in method acquire of _thread.lock object at 0x7f2dea258640>",
        "threading.py(327): wait",
        "$threading.py:327 wait",
        "selectors.py(402): select",
    ],
)
def test_python_that_sleeps_needs_no_core(name: str) -> None:
    picture = "main    1111111111\nmain    oooooooooo\nmain    ..pppppp.."
    assert found(timeline(picture, p=name)).busy == pytest.approx(0.4)
    assert found(timeline(picture, p="torch/nn/modules/module.py(1751): _call_impl")).busy == pytest.approx(1.0)


def test_work_inside_a_wait_needs_a_core() -> None:
    # The iterator's own time is a wait; what the pipeline runs inside it on the same thread is not.
    picture = "main    1111111111\nmain    iiiiiiiiii\nmain    ...oooo..."
    assert found(timeline(picture, i="Iterator::Root")).busy == pytest.approx(0.4)
    assert found(timeline(picture, i="enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")).busy == pytest.approx(1.0)
    assert found(timeline(picture, i="enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__")).busy == pytest.approx(0.4)


def test_without_what_is_moved() -> None:
    profile = timeline("""
        main      1111111111
        main      iiiiiioooo
        loader 1  oooooooooo
        pool 1    oooo......
    """)
    breakdown = break_down(profile)
    assert busy_threads(profile, breakdown) == pytest.approx(2.4)
    assert busy_threads(profile, breakdown, [TimeClass.INPUT]) == pytest.approx(0.8), "threads of the input pipeline work for input"
