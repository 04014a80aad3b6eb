"""The part of a profile that belongs to chosen steps: device work by its launch, threads cut at the edges, links made anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analyses.timeline import MS, timeline
from stepscope.analyses.ranges.part import part_of
from stepscope.analyses.steps import find_steps
from stepscope.model.profile import NONE, Counters, FlowKind, Flows, Profile

DRAWN = """
main   11111111222222223333333344444444
main   o......l.......l.......l......oo
pool   ......xxxx......................
gpu 0  ........KKK.....LLL.....MMM.....
"""


def cut(first: int, last: int, profile: Profile | None = None) -> Profile:
    profile = profile or timeline(DRAWN)
    steps = find_steps(profile)
    return part_of(profile, steps, (first, last), steps, "chosen")


def times(profile: Profile, track: str) -> list[tuple[float, float]]:
    one = next(each for each in profile.tracks if each.name == track)
    rows = range(one.first_row, one.last_row)
    return [(profile.spans.start[row] / MS, profile.spans.end[row] / MS) for row in rows]


def test_device_work_belongs_to_the_step_that_launched_it() -> None:
    # Every kernel starts in the step after its launch.
    assert times(cut(0, 1), "gpu 0") == [(8, 11)]
    assert times(cut(1, 3), "gpu 0") == [(16, 19), (24, 27)]
    assert times(cut(3, 4), "gpu 0") == []


def test_a_thread_is_cut_where_the_range_begins_and_ends() -> None:
    assert times(cut(0, 1), "pool") == [(6, 8)]
    assert times(cut(1, 2), "pool") == [(8, 10)]
    assert times(cut(2, 3), "pool") == []


def test_links_lead_to_the_same_spans_as_before() -> None:
    part = cut(1, 3)
    kernels = part.kernels.row.tolist()
    assert [part.names[part.spans.name[row]] for row in kernels] == ["L", "M"]
    launches = part.spans.cause[kernels]
    assert [part.spans.start[row] / MS for row in launches] == [15, 23]
    parents = part.spans.parent[launches]
    assert [part.names[part.spans.name[row]] for row in parents] == ["ProfilerStep#2", "ProfilerStep#3"]
    assert [part.spans.step[row] for row in part.markers.row] == [2, 3]


def test_the_part_knows_its_steps_and_what_it_was_cut_from() -> None:
    whole = timeline(DRAWN)
    part = cut(1, 3, whole).part
    assert part is not None
    assert (part.steps.number.tolist(), part.steps.before, part.steps.last_end / MS) == ([2, 3], 1, 24)
    assert (part.whole, part.text, len(part.all_steps)) == (whole, "chosen", 4)


def test_counters_and_flows_of_other_steps_are_left_out() -> None:
    profile = timeline(DRAWN)
    first, last = int(profile.kernels.row[0]), int(profile.kernels.row[2])
    flows = Flows(np.array([first, first], np.int32), np.array([first, last], np.int32), np.full(2, FlowKind.BACKWARD, np.int8))
    counters = Counters(np.zeros(4, np.int32), np.array([0, 7, 8, 20], np.int64) * MS, np.array([1.0, 2.0, 3.0, 4.0]))
    part = cut(0, 1, replace(profile, flows=flows, counters=counters))
    assert part.counters.value.tolist() == [1.0, 2.0]
    assert [part.names[part.spans.name[row]] for row in (*part.flows.source, *part.flows.target)] == ["K", "K"]
    assert NONE not in part.flows.target.tolist()
