"""How the host feeds a device, on drawings whose numbers can be counted."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.launches import blocking_calls, launches
from stepscope.model.profile import Profile


def waits(profile: Profile) -> list[tuple[str, str]]:
    """Each call that waits with what it waited for."""
    found = blocking_calls(profile, break_down(profile))
    names = profile.spans.name
    pairs = zip(found.row.tolist(), found.waited_for.tolist(), strict=True)
    return [(profile.names[int(names[row])], profile.names[int(names[device])]) for row, device in pairs]


def test_work_that_starts_at_once_found_an_empty_queue() -> None:
    profile = timeline("""
        main    111111111111
        main    l...l...l...
        gpu 0    KK  KK  KK
    """)
    found = launches(profile, break_down(profile))
    assert found is not None
    assert (found.count, found.per_step, found.unqueued) == (3, 3.0, 1.0)
    assert (found.latency_ns, found.host_ns, found.kernel_ns) == (MS, 4 * MS, 2 * MS)


def test_work_behind_other_work_was_queued() -> None:
    profile = timeline("""
        main    11111111111111
        main    l.l.l.........
        gpu 0    KKKK
        gpu 0        LLLL
        gpu 0            MMMM
    """)
    found = launches(profile, break_down(profile))
    assert found is not None
    # Delays of 1, 3 and 5 ms: only the first two fit into two latencies of 1 ms when nothing was there before, so one does.
    assert found.unqueued == pytest.approx(1 / 3)
    assert found.host_ns == 2 * MS


def test_without_links_nothing_is_known() -> None:
    profile = timeline("""
        main    1111
        gpu 0   KK
    """)
    assert launches(profile, break_down(profile)) is None
    assert waits(profile) == []


def test_a_synchronising_call_waits_for_what_ends_with_it() -> None:
    profile = timeline("""
        main    1111111111
        main    l.sssss
        gpu 0    KKKKKK
    """)
    assert waits(profile) == [("s", "K")]


def test_a_call_that_ends_long_after_the_device_waits_for_something_else() -> None:
    profile = timeline("""
        main    11111111111111
        main    l.ssssssssss
        gpu 0    KK
    """)
    assert waits(profile) == []


def test_a_launch_far_longer_than_its_like_waits_too() -> None:
    profile = timeline("""
        main    11111111111111111111
        main    l.l.llllllll.l
        gpu 0    K K
        gpu 0        KKKKKKK
        gpu 0                 K
    """)
    assert waits(profile) == [("l", "K")]


def test_work_launched_after_the_call_began_is_not_what_it_waits_for() -> None:
    profile = timeline("""
        main      1111111111
        main      .sssss....
        backward  ..l.......
        gpu 0        KKK
    """)
    assert waits(profile) == []
