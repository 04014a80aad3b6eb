"""Waits for the framework's threads on drawn profiles: which count, and what going on without them would hide."""

from __future__ import annotations

import pytest

from analyses.timeline import Timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.what_if.levers import Lever
from stepscope.analyses.what_if.prediction import plain_range, replay_context
from stepscope.analyses.what_if.waits import waits_inside_steps
from stepscope.model.profile import Profile


def drawn(picture: str) -> Profile:
    return Timeline(100_000).draw(picture).build()


READS_THE_LOSS = """
    main   111111111122222222223333333333
    main   sss.......sss.......sss.......
    pool   ooo.......ooo.......ooo.......
"""
ENDS_WITH_A_WAIT = """
    main   111111111122222222223333333333
    main   .......sss.......sss.......sss
    pool   ooooooooooooooooooooooooooooo.
"""
WORK_GOES_ON = """
    main   111111111122222222223333333333
    main   sss.......sss.......sss.......
    pool   oooooo....oooooo....oooooo....
"""


def test_a_wait_that_leaves_the_threads_idle_hides_nothing() -> None:
    profile = drawn(READS_THE_LOSS)
    found = waits_inside_steps(profile, break_down(profile))
    assert found.step.tolist() == [0, 1, 2]
    assert found.waited_ns.tolist() == [300_000] * 3
    assert found.idle_ns.tolist() == [700_000] * 3
    assert plain_range(replay_context([profile], cores=8), [Lever("sync")]) == pytest.approx((0.7, 0.7))


def test_on_the_last_cores_work_that_runs_beside_is_not_wholly_hidden() -> None:
    profile = drawn(READS_THE_LOSS)
    assert waits_inside_steps(profile, break_down(profile)).threads == pytest.approx(1)
    assert plain_range(replay_context([profile], cores=2), [Lever("sync")]) == pytest.approx((0.7, 0.85))
    assert plain_range(replay_context([profile]), [Lever("sync")]) == pytest.approx((0.7, 0.85)), "nobody knows how many there are"
    two = drawn("""
        main     111111111122222222223333333333
        main     sss.......sss.......sss.......
        pool     ooo.......ooo.......ooo.......
        pool 2   ooo.......ooo.......ooo.......
    """)
    assert waits_inside_steps(two, break_down(two)).threads == pytest.approx(2)
    assert plain_range(replay_context([two], cores=3), [Lever("sync")]) == pytest.approx((0.7, 0.8))


def test_the_wait_that_ends_a_step_is_meant_to_be_there() -> None:
    profile = drawn(ENDS_WITH_A_WAIT)
    assert len(waits_inside_steps(profile, break_down(profile)).rows) == 0


def test_only_idle_time_after_the_work_counts() -> None:
    profile = drawn(WORK_GOES_ON)
    found = waits_inside_steps(profile, break_down(profile))
    assert found.idle_ns.tolist() == [400_000] * 3
    assert found.hidden_ns.tolist() == [300_000] * 3


def test_a_wait_without_work_is_no_loss_of_overlap() -> None:
    profile = drawn(READS_THE_LOSS.replace("pool   ooo", "pool   ...").replace(".ooo", "...."))
    assert len(waits_inside_steps(profile, break_down(profile)).rows) == 0


def test_a_wait_inside_another_one_is_the_same_wait() -> None:
    nested = READS_THE_LOSS.replace("    pool", "    main   .s........\n    pool", 1)
    profile = drawn(nested)
    assert len(profile.spans) == len(drawn(READS_THE_LOSS).spans) + 1
    assert waits_inside_steps(profile, break_down(profile)).step.tolist() == [0, 1, 2]
