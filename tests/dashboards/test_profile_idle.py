"""Why the device is idle, on the overview: the numbers of the analysis, of one rank and of several."""

from __future__ import annotations

from typing import Any

import pytest

from analyses.timeline import timeline
from dashboards.profile_server import ProfileServer
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.idle_causes import mean_causes

PICTURE = """
    main     1111111111222222222233333333334444444444
    main     iiil o    iiil o    iiil o    iiil o
    gpu 0        KKK       KKK       KKK       KKK
"""


def by_cause(idle: dict[str, Any]) -> dict[str, float]:
    return {one["cause"]: one["ms"] for one in idle["causes"]}


def test_causes_sum_to_the_idle_time_and_agree_with_the_breakdown(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE, i="next")
    report = profiles.report()
    (rank,) = report["ranks"]
    idle = rank["idle"]
    assert (idle["ms"], idle["share"]) == (7.0, 0.7)
    assert by_cause(idle) == {"input_wait": 3.0, "untraced": 3.0, "launch_bound": 0.75, "host_op": 0.25}
    assert sum(by_cause(idle).values()) == idle["ms"]
    assert by_cause(idle)["input_wait"] == report["parts"]["input"]
    waiting = idle["causes"][0]
    assert (waiting["title"], waiting["group"], waiting["gaps_per_step"]) == ("Input wait", "input_wait", 1.0)
    assert [(one["name"], one["ms"], one["part"]) for one in waiting["names"]] == [("next", 3.0, "input")]


def test_they_are_those_of_the_analysis(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE)
    drawn = timeline(PICTURE)
    found = mean_causes(drawn, break_down(drawn))
    (rank,) = profiles.report()["ranks"]
    assert by_cause(rank["idle"]) == {one.cause.key: pytest.approx(one.per_step_ns / 1e6) for one in found.sums}


def test_of_several_ranks_it_is_the_one_with_the_longest_steps(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE, rank=0)
    slower = "\n".join(line.replace("1111111111", "11111111111") for line in PICTURE.splitlines())
    profiles.record("train", "worker1", slower, rank=1)
    report = profiles.report()
    longest = max(report["ranks"], key=lambda rank: rank["step_ms"]["typical"])
    assert report["longest"] == longest["worker"]


def test_a_device_that_is_never_idle_has_no_such_part(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", """
        main     11112222
        main     l...l...
        gpu 0    KKKKKKKK
    """)  # fmt: skip
    assert profiles.report()["ranks"][0]["idle"]["causes"] == []
