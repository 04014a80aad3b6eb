"""Idle gaps in a window of the trace are those that the table of idle causes sums up."""

from __future__ import annotations

from collections import defaultdict

import pytest

from session.drawn_sessions import analysed, drawn
from stepscope.analyses.idle_causes import cause_pieces, idle_causes
from stepscope.model.errors import BadInput
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.gaps import GAPS, GapsWanted, IdleGaps
from stepscope.session.step_rows import StepGroup

ON_A_CPU = "main   1111111111\nmain   ooo.iii..o"
TWO_DEVICES = """
    main     1111111111
    main     lliiii....
    gpu 0    KK....KKKK
    gpu 1    KKKKKK..KK
"""


def asked(session: AnalysedSession, start_ms: float, end_ms: float, limit: int = 100) -> IdleGaps:
    return GAPS.make(session, GapsWanted(start_us=start_ms * 1e3, end_us=end_ms * 1e3, limit=limit))


def shown(found: IdleGaps) -> list[tuple[str, float, float, str]]:
    return [(gap.process, gap.start_us, gap.end_us, gap.cause) for gap in found.rows]


def test_a_gap_has_its_place_its_cause_and_the_span_of_the_host() -> None:
    session = drawn(names={"i": "next_batch"})
    found = asked(session, 10, 20)
    assert shown(found)[0] == ("GPU 0", 10_000, 13_000, "input_wait")
    gap, spans = found.rows[0], session.profiles[0].spans
    assert gap.row is not None
    assert (gap.name, gap.label, gap.group, gap.track) == ("next_batch", "input wait", StepGroup.INPUT_WAIT, None)
    assert (int(spans.start[gap.row]), int(spans.end[gap.row])) == (10_000_000, 13_000_000)


def test_gaps_that_cross_the_edge_of_the_window_are_there_as_a_whole() -> None:
    assert shown(asked(drawn(), 11, 12)) == [("GPU 0", 10_000, 13_000, "input_wait")]
    assert shown(asked(drawn(), 16, 17)) == []


def test_gaps_are_by_device_and_those_that_are_left_out_are_the_shortest() -> None:
    session = drawn(TWO_DEVICES)
    assert [row[:3] for row in shown(asked(session, 0, 10))] == [("GPU 0", 2_000, 6_000), ("GPU 1", 6_000, 8_000)]
    found = asked(session, 0, 10, limit=1)
    assert (shown(found)[0][:3], found.total) == (("GPU 0", 2_000, 6_000), 2)


def test_without_a_device_gaps_are_those_of_the_cpu() -> None:
    found = asked(drawn(ON_A_CPU), 0, 10)
    assert [(gap.process, gap.track) for gap in found.rows] == [("host", 0)] * 3
    assert [gap[1:] for gap in shown(found)] == [
        (3_000, 4_000, "untraced"),
        (4_000, 7_000, "input_wait"),
        (7_000, 9_000, "untraced"),
    ]


@pytest.mark.parametrize("picture", [None, ON_A_CPU, TWO_DEVICES])
def test_the_picture_agrees_with_the_table(picture: str | None) -> None:
    session = drawn() if picture is None else drawn(picture)
    profile, breakdown = session.profiles[0], session.breakdown()
    for device in breakdown.classified.devices:
        pieces, table = cause_pieces(profile, breakdown, device), idle_causes(profile, breakdown, device).table
        sums: dict[int, int] = defaultdict(int)
        for start, end, cause in zip(pieces.start.tolist(), pieces.end.tolist(), pieces.cause.tolist(), strict=True):
            sums[cause] += end - start
        steps = len(breakdown.typical)
        assert steps == len(breakdown.steps)
        assert {cause: total / steps for cause, total in sums.items()} == {one.cause: one.per_step_ns for one in table.sums}


def test_a_range_changes_nothing() -> None:
    whole = drawn()
    assert asked(analysed(whole.profiles[0], chosen="3:5"), 0, 40) == asked(whole, 0, 40)


def test_windows_that_are_none() -> None:
    with pytest.raises(BadInput):
        asked(drawn(), 2, 1)
