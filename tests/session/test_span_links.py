"""A span names its line, the stack around it, its self time, and every span that it is tied to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyses.timeline import MS, Timeline
from session.drawn_sessions import analysed, drawn
from stepscope.analyses.timeline.links import Link, links_of, self_ns
from stepscope.model.profile import FlowKind, Flows, Profile, SpanKind
from stepscope.session.parts.span import MOST_LINKS, SPAN, SpanDetail, SpanWanted

PICTURE = """
    main      1111111111
    main      pppppppppp
    main      .oooooo...
    main      .ll.f.....
    backward  .......xx.
    gpu 0     ....KKK...
"""


def with_flows(profile: Profile, *flows: tuple[int, int, FlowKind]) -> Profile:
    source, target, kind = zip(*flows, strict=True)
    return replace(profile, flows=Flows(np.array(source, np.int32), np.array(target, np.int32), np.array(kind, np.int8)))


def row_of(profile: Profile, name: str) -> int:
    return next(row for row, number in enumerate(profile.spans.name.tolist()) if profile.names[number] == name)


def asked(profile: Profile, name: str, chosen: str = "") -> SpanDetail:
    return SPAN.make(analysed(profile, chosen=chosen), SpanWanted(row=row_of(profile, name)))


def test_a_launch_and_what_it_launches() -> None:
    profile = Timeline().draw(PICTURE).build()
    launch, kernel = asked(profile, "l"), asked(profile, "K")
    assert [(link.kind, link.name, link.row) for link in launch.links] == [("launches", "K", kernel.row)]
    (link,) = kernel.links
    assert (link.kind, link.row, link.name, link.track_id, link.track) == ("launched_by", launch.row, "l", launch.track_id, "main")
    assert (link.start_us, link.duration_us) == (launch.start_us, launch.duration_us) == (1_000, 2_000)
    assert (kernel.links_total, kernel.track, kernel.line) == (1, "gpu 0", 0)


@pytest.mark.parametrize(
    ("kind", "from_source", "from_target"),
    [
        (FlowKind.BACKWARD, "forward_of", "backward_of"),
        (FlowKind.PRODUCER, "consumer", "producer"),
        (FlowKind.STREAM_WAIT, "stream_wait", "stream_wait"),
    ],
)
def test_flows_are_links_of_both_ends(kind: FlowKind, from_source: str, from_target: str) -> None:
    profile = Timeline().draw(PICTURE).build()
    source, target = row_of(profile, "o"), row_of(profile, "x")
    profile = with_flows(profile, (source, target, kind))
    assert links_of(profile, source) == [Link(from_source, target)]
    assert links_of(profile, target) == [Link(from_target, source)]
    assert links_of(profile, row_of(profile, "p")) == []


def test_place_stack_and_self_time() -> None:
    profile = Timeline().draw(PICTURE, p="train.py(3): fit").build()
    found = asked(profile, "o")
    assert (found.track, found.track_id, found.line, found.stack) == ("main", 0, 2, ["train.py(3): fit"])
    assert (found.duration_us, found.self_us) == (6_000, 3_000)
    assert asked(profile, "K").self_us == asked(profile, "K").duration_us == 3_000
    assert asked(profile, "ProfilerStep#1").self_us == 0


def test_children_that_touch_the_end_count() -> None:
    line = Timeline()
    line.span("main", 0, 10, SpanKind.OP, "outer")
    line.span("main", 4, 10, SpanKind.OP, "inner")
    line.span("main", 10, 12, SpanKind.OP, "after")
    profile = line.build()
    assert [self_ns(profile, row) for row in range(3)] == [4, 6, 2]


def test_many_links_are_counted_and_some_are_listed() -> None:
    line = Timeline()
    launch = line.span("main", 0, MS, SpanKind.RUNTIME, "graph")
    for place in range(MOST_LINKS + 7):
        line.span("gpu 0", MS + place * 10, MS + place * 10 + 5, SpanKind.KERNEL, "k", cause=launch)
    found = asked(line.build(), "graph")
    assert (len(found.links), found.links_total) == (MOST_LINKS, MOST_LINKS + 7)


def test_rows_are_those_of_the_whole_profile_in_a_range() -> None:
    whole = drawn().profiles[0]
    last = len(whole.spans) - 1
    found = [SPAN.make(analysed(whole, chosen=chosen), SpanWanted(row=last)) for chosen in ("", "3:5")]
    assert found[0] == found[1]
